"""Records of docs/capture.md: a length and a MessagePack map. Standard library only."""

import struct

# Numbers of records, as far as this example meets them.
OPEN, IN, EOF, AT, CALL, NOTIFY = 1, 4, 6, 7, 13, 14
REFUSED, CONFIG_ERROR, NOTIFICATION, RESULT, ENDING, CLOSED, OUT = 33, 34, 40, 42, 57, 59, 60
DRAIN, ACCEPTED, MORE, READY = 78, 80, 81, 87
OUTCOMES = range(RESULT, 48)  # of a call: result, error, invalid-answer, timeout, canceled, lost
NEVER = 2**63 - 1
RECORD_BYTES_MAX = (64 << 20) + (4 << 10)


def encode(record):
    body = pack(record)
    return struct.pack(">I", len(body)) + body


def read(stream):
    """The next record, or EOFError where the program has ended, ValueError where this is none."""
    size = struct.unpack(">I", exactly(stream, 4))[0]
    if not 0 < size <= RECORD_BYTES_MAX:
        raise ValueError(f"a record of {size} bytes")
    record, end = unpack(exactly(stream, size), 0)
    if end != size or not isinstance(record, dict):
        raise ValueError("a record is one map")
    return record


def exactly(stream, size):
    data = stream.read(size)
    if len(data) < size:
        raise EOFError("the program has ended")
    return data


def pack(value):
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return b"\xd3" + struct.pack(">q", value)
    if isinstance(value, str):
        return b"\xd9" + bytes([len(value.encode())]) + value.encode()
    if isinstance(value, bytes):
        return b"\xc6" + struct.pack(">I", len(value)) + value
    if isinstance(value, list):
        return b"\xdd" + struct.pack(">I", len(value)) + b"".join(map(pack, value))
    members = b"".join(pack(name) + pack(member) for name, member in value.items())
    return b"\xdf" + struct.pack(">I", len(value)) + members


NUMBERS = {0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"}
SIZES = {0xC4: ">B", 0xC5: ">H", 0xC6: ">I", 0xD9: ">B", 0xDA: ">H", 0xDB: ">I"}
SIZES |= {0xDC: ">H", 0xDD: ">I", 0xDE: ">H", 0xDF: ">I"}


def unpack(data, at):
    """The value at an offset, and the offset behind it."""
    tag, at = data[at], at + 1
    if tag < 0x80:
        return tag, at
    if tag >= 0xE0:
        return tag - 0x100, at
    if tag in (0xC2, 0xC3):
        return tag == 0xC3, at
    if tag in NUMBERS:
        return number(NUMBERS[tag], data, at)
    if tag in SIZES:
        size, at = number(SIZES[tag], data, at)
    else:
        size = tag & (0x1F if 0xA0 <= tag < 0xC0 else 0x0F)
    if tag in (0xC4, 0xC5, 0xC6):
        return data[at : at + size], at + size
    if 0xA0 <= tag < 0xC0 or tag in (0xD9, 0xDA, 0xDB):
        return data[at : at + size].decode(), at + size
    values = []
    is_map = tag in (0xDE, 0xDF) or 0x80 <= tag < 0x90
    for _ in range(2 * size if is_map else size):
        value, at = unpack(data, at)
        values.append(value)
    return (dict(zip(values[::2], values[1::2])) if is_map else values), at


def number(form, data, at):
    return struct.unpack_from(form, data, at)[0], at + struct.calcsize(form)

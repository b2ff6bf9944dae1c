"""A language client whose protocol is the core, driven as a program (docs/abi.md).

    python3 drive.py CORE [ARGUMENT ...] -- SERVER [ARGUMENT ...]
    python3 drive.py ./command -- gopls
    python3 drive.py node command-main.js command.wasm -- gopls

A host for large messages writes to its server from a thread of its own: the server may be writing as well.
"""

import json
import os
import select
import subprocess
import sys
import time

from records import AT, CALL, CONFIG_ERROR, DRAIN, EOF, IN, MORE, NEVER, NOTIFICATION, NOTIFY, OPEN
from records import OUT, OUTCOMES, READY, REFUSED, RESULT, encode, read

START = time.monotonic_ns()


def now():
    """Nanoseconds, which stay below 2**53."""
    return time.monotonic_ns() - START


class Client:
    def __init__(self, core, server):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.core = subprocess.Popen(core, **pipes)
        self.server = subprocess.Popen(server, **pipes)
        self.deadline = NEVER
        self.outcomes = {}  # by handle, until their caller has them
        seed = b"%d" % int.from_bytes(os.urandom(7), "big")
        self.give(OPEN, settings=[[b"profile", b"lsp"], [b"role", b"client"], [b"seed", seed]])

    def give(self, op, **members):
        """One input; the records of its answer."""
        self.core.stdin.write(encode({"op": op, **members}))
        self.core.stdin.flush()
        answer = []
        while (record := read(self.core.stdout))["op"] != READY:
            if record["op"] in (REFUSED, CONFIG_ERROR):
                raise RuntimeError(f"the core refuses: {record}")
            answer.append(record)
        self.deadline = record.get("time", 0)
        return answer

    def turn(self):
        """Time moves, what is queued is written, and what happened is looked at."""
        answer = self.give(AT, time=now())
        while answer:
            for record in answer:
                if record["op"] == OUT:
                    self.server.stdin.write(record["text"])
                    self.server.stdin.flush()
                elif record["op"] in OUTCOMES:
                    self.outcomes[record["call"]] = record
                elif record["op"] == NOTIFICATION:
                    print("notification", record["method"].decode(), record.get("body", b"").decode())
            answer = self.give(DRAIN) if any(record["op"] == MORE for record in answer) else []

    def wait(self):
        """Reads what the server says, or waits until the core wants its turn."""
        timeout = None if self.deadline == NEVER else max(0, self.deadline - now()) / 1e9
        if select.select([self.server.stdout], [], [], timeout)[0]:
            text = os.read(self.server.stdout.fileno(), 65536)
            self.give(IN, text=text) if text else self.give(EOF)
        self.turn()

    def call(self, method, params, seconds=10):
        body = json.dumps(params).encode()
        [accepted] = self.give(CALL, method=method.encode(), body=body, deadline=now() + seconds * 10**9)
        self.turn()
        while accepted["call"] not in self.outcomes:
            self.wait()
        outcome = self.outcomes.pop(accepted["call"])
        if outcome["op"] != RESULT:
            raise RuntimeError(f"{method}: {outcome}")
        return json.loads(outcome["body"])

    def notify(self, method, params):
        self.give(NOTIFY, method=method.encode(), body=json.dumps(params).encode())
        self.turn()

    def close(self):
        self.call("shutdown", [])
        self.notify("exit", [])
        for process in (self.server, self.core):
            process.stdin.close()
            process.wait()
            process.stdout.close()


def main():
    at = sys.argv.index("--")
    client = Client(sys.argv[1:at], sys.argv[at + 1 :])
    result = client.call("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    print("capabilities", json.dumps(result["capabilities"]))
    client.notify("initialized", {})
    uri = "file:///a.txt"
    document = {"uri": uri, "languageId": "plaintext", "version": 1, "text": "to be or not to be"}
    client.notify("textDocument/didOpen", {"textDocument": document})
    place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}
    print("hover", client.call("textDocument/hover", place))
    client.close()


if __name__ == "__main__":
    main()

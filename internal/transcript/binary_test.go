package transcript

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// spell spells records in binary, one behind the other.
func spell(t testing.TB, records ...Record) []byte {
	t.Helper()
	var to []byte
	for i := range records {
		var err error
		if to, err = records[i].AppendBinary(to); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

func storyRecords(t testing.TB) []Record {
	t.Helper()
	vectors, err := Parse([]byte(story))
	if err != nil {
		t.Fatal(err)
	}
	return vectors[0].Records
}

// Goal: every record says the same in both spellings. Method: the story, which leaves no verb out,
// through binary, in whole and byte by byte, and back into text.
func TestBinaryRoundTrip(t *testing.T) {
	records := storyRecords(t)
	spelled := spell(t, records...)
	for _, from := range []io.Reader{bytes.NewReader(spelled), iotest.OneByteReader(bytes.NewReader(spelled))} {
		d := NewReader(from, 0)
		var got Record // used again, so that a member left over would show
		for i := range records {
			if err := d.Next(&got); err != nil {
				t.Fatalf("%s: %v", records[i].Append(nil), err)
			}
			if want := records[i].Append(nil); !bytes.Equal(want, got.Append(nil)) {
				t.Errorf("%q became %q", want, got.Append(nil))
			}
		}
		if err := d.Next(&got); !errors.Is(err, io.EOF) {
			t.Errorf("at the end: %v", err)
		}
	}
}

// Goal: no member is forgotten by the generated code. Method: each is set alone, by reflection.
func TestBinaryHasEveryMember(t *testing.T) {
	for i, key := range memberKeys {
		var want, got Record
		member := reflect.ValueOf(&want).Elem().Field(i)
		switch member.Kind() {
		case reflect.Bool:
			member.SetBool(true)
		case reflect.Int32, reflect.Int64:
			member.SetInt(-3)
		case reflect.Uint8, reflect.Uint64:
			member.SetUint(3)
		default:
			if key == "settings" {
				want.Settings = []Setting{{Name: []byte("a"), Value: []byte("b")}}
			} else {
				member.SetBytes([]byte("x"))
			}
		}
		spelled := spell(t, want)
		if _, err := got.UnmarshalMsg(spelled[4:]); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", key, got, err)
		}
	}
}

// Goal: a file that ends in the middle says so, and where, and all before it is read. Method: two
// records, cut at every place.
func TestTornTailIsReported(t *testing.T) {
	first := spell(t, Record{Op: OpIn, Text: []byte("one")})
	whole := append(bytes.Clone(first), spell(t, Record{Op: OpIn, Text: []byte("two")})...)
	for size := range len(whole) {
		d := NewReader(bytes.NewReader(whole[:size]), 8)
		var r Record
		count := 0
		err := d.Next(&r)
		for ; err == nil; err = d.Next(&r) {
			count++
		}
		want := 0
		if size >= len(first) {
			want = 1
		}
		torn := new(TornError)
		isTorn := errors.As(err, &torn)
		if count != want || isTorn != (size > want*len(first)) {
			t.Errorf("%d bytes: %d records, %v", size, count, err)
		}
		if isTorn && (torn.Offset != uint64(8+want*len(first)) || torn.Have != uint64(size-want*len(first)) || torn.Need <= torn.Have) {
			t.Errorf("%d bytes: %+v", size, torn)
		}
	}
}

func TestDecodeBinaryRefuses(t *testing.T) {
	for _, c := range []struct{ spelled, want string }{
		{"", "too few bytes"},
		{"80", "op 0 is unknown"},
		{"c0", "nil"},
		{"81a26f70ccff", "op 255 is unknown"},
		{"81a26f7000", "op 0 is unknown"},
		{"81a26f7006c0", "1 bytes follow"},
		{"82a26f7006a26f7006", "duplicate"},
		{"82a26f7006a474657874c40178", "text does not belong"},                      // eof with a text
		{"82a26f7007a474696d65ff", "time -1 ns"},                                    // at -1
		{"82a26f7004a6726570656174" + "01", "repeat count"},                         // in*1
		{"82a26f7004a6726570656174" + "cf7fffffffffffffff", "repeat count"},         // in*9223372036854775807
		{"82a26f7004a474657874c6ffffffff", "too few bytes"},                         // a text of 4 GiB
		{"82a26f7001a873657474696e6773ddffffffff", "too few bytes"},                 // 4 Gi settings
		{"82a26f7001a873657474696e6773dc0200" + strings.Repeat("c0", 512), "limit"}, // 512 settings
		{"82a26f7001a873657474696e67739192c40141c400", "settings"},                  // a setting named A
		{"dfffffffff", "too few bytes"},
		{"81a26f70d9" + "ff", "too few bytes"},
		{"82a26f7006a7756e6b6e6f776e" + strings.Repeat("91", 200_000) + "c0", "recursion"},
	} {
		spelled, err := hex.DecodeString(c.spelled)
		if err != nil {
			t.Fatal(err)
		}
		var r Record
		if err := r.DecodeBinary(spelled); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60s: %v, want %s", c.spelled, err, c.want)
		}
	}
	var r Record
	unknown, _ := hex.DecodeString("82a26f7006a7756e6b6e6f776e93010203")
	if err := r.DecodeBinary(unknown); err != nil || r.Op != OpEOF {
		t.Errorf("a member with an unknown name: %v", err)
	}
}

// Goal: what a length claims is not allocated. Method: hostile beginnings, bytes counted.
func TestClaimsAllocateNothing(t *testing.T) {
	const allocBytesMax = 64 << 10
	claim := func(size uint32) []byte { return binary.BigEndian.AppendUint32(nil, size) }
	record := func(spelled string) []byte { return append(claim(uint32(len(spelled))), spelled...) }
	for name, spelled := range map[string][]byte{
		"largest record":  append(claim(RecordBytesMax), 0x82),
		"over the limit":  claim(RecordBytesMax + 1),
		"negative length": claim(1 << 31),
		"no length":       claim(0),
		"settings":        record("\x82\xa2op\x01\xa8settings\xdd\x00\x00\xff\xff\xc0"),
		"text":            record("\x82\xa2op\x04\xa4text\xc6\x03\xff\xff\xff"),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var r Record
		err := NewReader(bytes.NewReader(spelled), 0).Next(&r)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: read a record", name)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > allocBytesMax {
			t.Errorf("%s: %d bytes allocated, want at most %d", name, got, allocBytesMax)
		}
	}
}

// Whatever decodes can be spelled as text, and comes back from both spellings unchanged.
func FuzzBinary(f *testing.F) {
	f.Add(spell(f, storyRecords(f)...))
	for _, r := range storyRecords(f) {
		f.Add(spell(f, r))
	}
	f.Fuzz(func(t *testing.T, spelled []byte) {
		d := NewReader(bytes.NewReader(spelled), 0)
		var r Record
		for d.Next(&r) == nil {
			line := r.Append(nil)
			fromText, err := ParseRecord(line[:len(line)-1])
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			var again Record
			if err := again.DecodeBinary(spell(t, fromText)[4:]); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if !bytes.Equal(line, again.Append(nil)) {
				t.Fatalf("%q became %q", line, again.Append(nil))
			}
		}
	})
}

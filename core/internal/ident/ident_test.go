package ident

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core/internal/scan"
)

func key(token string) string { return string(Append(nil, []byte(token))) }

// TestEquality holds that ids of one line are equal and ids of different lines are not.
func TestEquality(t *testing.T) {
	zeros := func(count int) string { return strings.Repeat("0", count) }
	classes := [][]string{
		{"null"},
		{`""`},
		{`"0"`, `"\u0030"`},
		{`"null"`},
		{`"a"`, `"\u0061"`},
		{`"é"`, `"\u00e9"`, `"\u00E9"`},
		{"\"\U0001D11E\"", `"\ud834\uDD1E"`},
		{"0", "-0", "0.0", "-0.000", "0e5", "0E-99999999999999999999999", "0e+0"},
		{`"1"`},
		{"1", "1.0", "1e0", "10e-1", "0.1e1", "0.01E+2", "100" + zeros(30) + "e-32", "1e-" + zeros(40)},
		{"2", "2e0"},
		{"-1", "-1.0", "-10e-1"},
		{"1.5", "15e-1", "0.15e1", "1.50", "1500e-3"},
		{"-1.5", "-15e-1"},
		{"9007199254740992", "9007199254740992.0"},
		{"9007199254740993"},
		{"999999999999999999", "999999999999999999.0"},
		{"1000000000000000000", "1e18", "0.1e19"},
		{"9223372036854775807", "9.223372036854775807e18"},
		{"9223372036854775808", "9.223372036854775808e18", "9223372036854775808.0"},
		{"-9223372036854775808", "-9223372036854775808.00"},
		{"-9223372036854775809"},
		{"1e20", "100000000000000000000", "100000000000000000000.000", "10E19"},
		{"1e21"},
		{"1e-20", "0." + zeros(19) + "1", "10e-21"},
		{"1e999999999999999999", "10e999999999999999998", "0.1e1000000000000000000", "0.01e1000000000000000001"},
		{"1e1000000000000000000", "10e999999999999999999", "100e0999999999999999998"},
		{"1e-999999999999999999", "0.1e-999999999999999998", "10e-1000000000000000000"},
		{"1e-1000000000000000000", "0.1e-999999999999999999", "100e-1000000000000000002"},
		{"-1e-1000000000000000000"},
		{"1e9223372036854775808", "10e9223372036854775807", "0.001e9223372036854775811"},
		{"1e-9223372036854775808"},
		{"12e1" + zeros(500), "1.2e1" + zeros(499) + "1", "120e" + strings.Repeat("9", 500)},
	}
	for i, class := range classes {
		for _, token := range class {
			if !Valid([]byte(token)) {
				t.Errorf("%.60s is not valid", token)
			}
			if got, want := key(token), key(class[0]); got != want {
				t.Errorf("%.60s has key %.60q, but %.60s has %.60q", token, got, class[0], want)
			}
			if size := len(key(token)); size > len(token)+24 {
				t.Errorf("%.60s of %d bytes has a key of %d bytes", token, len(token), size)
			}
		}
		for _, other := range classes[:i] {
			if key(class[0]) == key(other[0]) {
				t.Errorf("%.60s and %.60s have the same key %.60q", class[0], other[0], key(other[0]))
			}
		}
	}
}

func TestInt(t *testing.T) {
	for _, n := range []int64{0, 1, -1, 7, 1 << 53, 1<<53 + 1, 1<<63 - 1, -1 << 63, 999999999999999999, 1e18} {
		key := AppendInt([]byte("x"), n)[1:]
		if got, ok := IsInt(key); !ok || got != n {
			t.Errorf("IsInt(AppendInt(%d)) = %d, %v", n, got, ok)
		}
		if got := Append(nil, strconv.AppendInt(nil, n, 10)); !bytes.Equal(got, key) {
			t.Errorf("key of token %d = %q, want %q", n, got, key)
		}
	}
	for _, token := range []string{"null", `"1"`, `"12345678"`, "1.5", "9223372036854775808"} {
		if n, ok := IsInt(Append(nil, []byte(token))); ok {
			t.Errorf("IsInt of the key of %s = %d", token, n)
		}
	}
}

func TestValid(t *testing.T) {
	for _, token := range []string{"", "true", "false", "{}", "[]"} {
		if Valid([]byte(token)) {
			t.Errorf("%q is valid", token)
		}
	}
}

// TestHashSpreads puts ids as peers choose them into a table half as large, by the low bits of their
// hashes and by the high ones. The seeds include those that cancel a constant.
func TestHashSpreads(t *testing.T) {
	const count, buckets = 4096, 2048
	for name, token := range map[string]func(int) string{
		"counted":  strconv.Itoa,
		"strided":  func(i int) string { return strconv.Itoa(i << 20) },
		"negative": func(i int) string { return strconv.Itoa(-i - 1) },
		"strings":  func(i int) string { return `"request-` + strconv.Itoa(i) + `"` },
		"zeros":    func(i int) string { return `"` + strings.Repeat(`\u0000`, i%512) + strconv.Itoa(i/512) + `"` },
		"decimals": func(i int) string { return strconv.Itoa(i) + ".5" },
	} {
		for _, seed := range []uint64{0, 1, 1 << 63, mixStart, mixBlock} {
			var low, high [buckets]int
			for i := range count {
				h := Hash(seed, []byte(key(token(i))))
				low[h%buckets]++
				high[h/(1<<64/buckets)]++
			}
			// A Poisson distribution of mean 2 exceeds 12 with a probability below 2e-7.
			for i := range buckets {
				if low[i] > 12 || high[i] > 12 {
					t.Errorf("%s, seed %#x: bucket %d holds %d and %d of %d", name, seed, i, low[i], high[i], count)
				}
			}
		}
	}
}

func TestHashDependsOnEveryBit(t *testing.T) {
	for size := range 40 {
		key := bytes.Repeat([]byte{'a'}, size)
		seen := map[uint64]bool{Hash(1, key): true, Hash(2, key): true, Hash(1, append(key, 0)): true}
		if len(seen) != 3 {
			t.Errorf("size %d: seed or size do not matter", size)
		}
		for bit := range size * 8 {
			key[bit/8] ^= 1 << (bit % 8)
			h := Hash(1, key)
			if seen[h] {
				t.Errorf("size %d, bit %d: a hash is seen again", size, bit)
			}
			seen[h] = true
			key[bit/8] ^= 1 << (bit % 8)
		}
	}
}

// FuzzEqual holds the equality of keys to exact rational numbers and to decoded strings.
func FuzzEqual(f *testing.F) {
	f.Add("1", "10e-1")
	f.Add("9007199254740993", "9007199254740993.0")
	f.Add("-0.5e3", "-500")
	f.Add(`"\u0061"`, `"a"`)
	f.Add("1e20", "100000000000000000000")
	f.Fuzz(func(t *testing.T, a, b string) {
		left, leftOK := value(a)
		right, rightOK := value(b)
		if !leftOK || !rightOK {
			return
		}
		if got, want := key(a) == key(b), left == right; got != want {
			t.Fatalf("%s and %s: equal keys %v, want %v", a, b, got, want)
		}
	})
}

// value returns a comparable value of an id token; false when it is none or too large to compute.
func value(token string) (string, bool) {
	s := scan.Scanner{DepthMax: 1}
	if fault, _ := s.Valid([]byte(token)); fault != scan.FaultNone || strings.TrimSpace(token) != token {
		return "", false
	}
	switch scan.Kind([]byte(token)) {
	case 's':
		var text string
		err := json.Unmarshal([]byte(token), &text)
		return "string " + text, err == nil
	case 'n':
		if _, exponent, _ := strings.Cut(strings.ToLower(token), "e"); len(exponent) > 4 {
			return "", false
		}
		number, ok := new(big.Rat).SetString(token)
		if !ok {
			return "", false
		}
		return "number " + number.String(), true
	case '0':
		return "null", true
	}
	return "", false
}

func TestNoAllocation(t *testing.T) {
	dst := make([]byte, 0, 2048)
	for _, token := range []string{
		"7", "-7.50e3", `"abc"`, `"\u0061"`, "null", "1e999999999", "12e1" + strings.Repeat("0", 500),
	} {
		raw := []byte(token)
		if got := testing.AllocsPerRun(100, func() { Hash(1, Append(dst, raw)) }); got != 0 {
			t.Errorf("%.40s: %v allocations", token, got)
		}
	}
}

func BenchmarkAppendHash(b *testing.B) {
	dst := make([]byte, 0, 64)
	for _, token := range []string{"1234567", "-1.50e3", `"request-1234567"`} {
		b.Run(token, func(b *testing.B) {
			raw := []byte(token)
			var h uint64
			for b.Loop() {
				h ^= Hash(1, Append(dst, raw))
			}
		})
	}
}

// Package ident compares JSON-RPC ids by type and exact value (CALL-2, REQ-3, MSG-4): each id token
// has one canonical key, and two tokens are equal ids if and only if the bytes of their keys are.
//
// 1, 1.0 and 10e-1 have the same key, 2^53+1 and 2^53 have not, "a" has the key of "\u0061" and 1
// not that of "1". Half a surrogate pair counts as U+FFFD.
package ident

import (
	"encoding/binary"
	"math/bits"
	"strconv"

	"github.com/parley-rpc/parley/core/internal/scan"
)

// The first byte of a key tells its type.
const (
	tagInt     = 'i' // an integer in the range of int64: two's complement, 8 bytes big-endian
	tagDecimal = 'd' // any other number: sign, digits without outer zeros, 'e', exponent
	tagString  = 's' // the unescaped text
	tagNull    = 'z'
)

// intKeySize is the size of an integer's key in bytes.
const intKeySize = 9

// Valid reports whether a value token can be an id: a string, a number or null (MSG-4).
func Valid(token []byte) bool {
	switch scan.Kind(token) {
	case 's', 'n', '0':
		return true
	}
	return false
}

// Append appends the key of a valid id token: at most len(token) + 24 bytes, however large the
// number is.
func Append(dst, token []byte) []byte {
	if n, ok := plainInt(token); ok {
		return AppendInt(dst, n)
	}
	switch scan.Kind(token) {
	case 's':
		return scan.AppendUnquoted(append(dst, tagString), token)
	case 'n':
		return appendNumber(dst, token)
	}
	return append(dst, tagNull)
}

// AppendInt appends the key of an integer.
func AppendInt(dst []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, tagInt), uint64(n))
}

// IsInt returns the value of a key that AppendInt can make.
func IsInt(key []byte) (int64, bool) {
	if len(key) != intKeySize || key[0] != tagInt {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(key[1:])), true
}

// plainInt reads the ids that peers really send: 1 to 18 digits and nothing else.
func plainInt(token []byte) (int64, bool) {
	if len(token) == 0 || len(token) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range token {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

func appendNumber(dst, token []byte) []byte {
	d := scan.ParseDecimal(token)
	if n, ok := d.Int64(); ok {
		return AppendInt(dst, n)
	}
	dst = append(dst, tagDecimal)
	if d.Negative {
		dst = append(dst, '-')
	}
	dst = append(dst, d.Lead...)
	dst = append(dst, d.Rest...)
	return appendExponent(append(dst, 'e'), &d)
}

// appendExponent appends the exact sum of the exponent as written, which has any number of digits,
// and the shift, which counts bytes of the token.
func appendExponent(dst []byte, d *scan.Decimal) []byte {
	shift := int64(d.Shift)
	if d.ExponentNegative {
		shift = -shift
	}
	if len(d.Exponent) > 18 { // so large that the shift cannot change its sign
		if d.ExponentNegative {
			dst = append(dst, '-')
		}
		return appendSum(dst, d.Exponent, shift)
	}
	magnitude := shift
	if len(d.Exponent) > 0 {
		n, _ := plainInt(d.Exponent)
		magnitude += n
	}
	if d.ExponentNegative {
		magnitude = -magnitude
	}
	return strconv.AppendInt(dst, magnitude, 10)
}

// appendSum appends digits + n without leading zeros. The number written in digits is larger than
// any |n|.
func appendSum(dst, digits []byte, n int64) []byte {
	start := len(dst)
	dst = append(append(dst, '0'), digits...)
	for i := len(dst) - 1; n != 0; i-- {
		n += int64(dst[i] - '0')
		digit := (n%10 + 10) % 10
		dst[i] = '0' + byte(digit)
		n = (n - digit) / 10
	}
	for dst[start] == '0' {
		dst = append(dst[:start], dst[start+1:]...)
	}
	return dst
}

// Constants without a pattern: the fractions of the square roots of 2, 3 and 5, made odd.
const (
	mixStart = 0x6A09E667F3BCC909
	mixBlock = 0xBB67AE8584CAA73B
	mixEnd   = 0x3C6EF372FE94F82B
)

// Hash returns a well mixed hash of a key. A peer that does not know the seed cannot choose keys
// that collide: every multiplication depends on it.
func Hash(seed uint64, key []byte) uint64 {
	h := seed ^ uint64(len(key))*mixStart
	for len(key) >= 8 {
		h = mix(h^binary.LittleEndian.Uint64(key), mixBlock)
		key = key[8:]
	}
	var last uint64
	for i, c := range key {
		last |= uint64(c) << (8 * i)
	}
	return mix(mix(h^last, mixBlock), mixEnd)
}

// mix folds the 128-bit product, in which every bit depends on all bits of both.
func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

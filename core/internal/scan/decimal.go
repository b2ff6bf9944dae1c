package scan

import "bytes"

// Decimal is the exact value of a number token, taken apart and normalised: two tokens are the
// same number if and only if their sign, their digits and their exponent are the same.
//
// The value is Lead‖Rest × 10^(Shift + Exponent). The digits neither begin nor end with a zero;
// zero has none, and no sign.
type Decimal struct {
	Negative         bool
	Lead, Rest       []byte // significant digits before and after the point, parts of the token
	Shift            int
	ExponentNegative bool
	Exponent         []byte // digits as written, without leading zeros: of any size
}

// ParseDecimal takes a number token apart.
func ParseDecimal(token []byte) Decimal {
	var d Decimal
	if peek(token, 0) == '-' {
		d.Negative = true
		token = token[1:]
	}
	if e := bytes.IndexAny(token, "eE"); e >= 0 {
		d.Exponent = token[e+1:]
		token = token[:e]
		if c := peek(d.Exponent, 0); c == '+' || c == '-' {
			d.ExponentNegative = c == '-'
			d.Exponent = d.Exponent[1:]
		}
		d.Exponent = trimLeft(d.Exponent)
	}
	d.Lead, d.Rest, _ = bytes.Cut(token, []byte{'.'})
	d.Rest = trimRight(d.Rest)
	d.Shift = -len(d.Rest)
	if len(d.Rest) == 0 {
		count := len(d.Lead)
		d.Lead = trimRight(d.Lead)
		d.Shift = count - len(d.Lead)
	}
	d.Lead = trimLeft(d.Lead)
	if len(d.Lead) == 0 {
		d.Rest = trimLeft(d.Rest)
	}
	if len(d.Lead)+len(d.Rest) == 0 {
		return Decimal{}
	}
	return d
}

// Int64 returns the value when it is an integer that fits.
func (d *Decimal) Int64() (int64, bool) {
	count := len(d.Lead) + len(d.Rest)
	if count == 0 {
		return 0, true
	}
	if count > maxDigits {
		return 0, false
	}
	scale := int64(d.Shift) + d.boundedExponent()
	if scale < 0 || scale > int64(maxDigits-count) {
		return 0, false
	}
	var n uint64 // maxDigits digits fit
	for _, c := range d.Lead {
		n = n*10 + uint64(c-'0')
	}
	for _, c := range d.Rest {
		n = n*10 + uint64(c-'0')
	}
	for range scale {
		n *= 10
	}
	if d.Negative {
		return -int64(n), n <= 1<<63
	}
	return int64(n), n < 1<<63
}

// maxDigits is how many digits an int64 has at most.
const maxDigits = 19

// boundedExponent returns the exponent as written, or one beyond the size of any text, which Shift
// cannot bring back into the range of an int64.
func (d *Decimal) boundedExponent() int64 {
	exponent := int64(1) << 60
	if len(d.Exponent) <= 18 {
		exponent = 0
		for _, c := range d.Exponent {
			exponent = exponent*10 + int64(c-'0')
		}
	}
	if d.ExponentNegative {
		return -exponent
	}
	return exponent
}

// Int32 returns the value of a number token when it is an integer that fits: 1e2 and 1.0 do.
func Int32(token []byte) (int32, bool) {
	if Kind(token) != 'n' {
		return 0, false
	}
	d := ParseDecimal(token)
	n, ok := d.Int64()
	return int32(n), ok && n == int64(int32(n))
}

func trimLeft(digits []byte) []byte {
	for len(digits) > 0 && digits[0] == '0' {
		digits = digits[1:]
	}
	return digits
}

func trimRight(digits []byte) []byte {
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	return digits
}

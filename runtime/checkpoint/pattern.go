package checkpoint

import (
	"encoding/binary"
	"math"
)

// greatest is the greatest pattern of bits, without the sign, in data.
func (f floatFormat) greatest(data []byte) uint64 {
	keep := ^f.sign
	switch f.size {
	case 1:
		var most byte
		for _, v := range data {
			most = max(most, v&byte(keep))
		}
		return uint64(most)
	case 2:
		var most uint16
		for ; len(data) >= 2; data = data[2:] {
			most = max(most, binary.LittleEndian.Uint16(data)&uint16(keep))
		}
		return uint64(most)
	case 4:
		var most uint32
		for ; len(data) >= 4; data = data[4:] {
			most = max(most, binary.LittleEndian.Uint32(data)&uint32(keep))
		}
		return uint64(most)
	}
	var most uint64
	for ; len(data) >= 8; data = data[8:] {
		most = max(most, binary.LittleEndian.Uint64(data)&keep)
	}
	return most
}

// notFinite counts the values of data that are no finite numbers, and says which is
// the first.
func (f floatFormat) notFinite(data []byte) (n, first int) {
	for i := range len(data) / f.size {
		if f.greatest(data[i*f.size:(i+1)*f.size]) < f.infinite {
			continue
		}
		if n == 0 {
			first = i
		}
		n++
	}
	return n, first
}

func float64Value(pattern uint64) float64 { return math.Float64frombits(pattern) }

func float32Value(pattern uint64) float64 { return float64(math.Float32frombits(uint32(pattern))) }

// float16Value is the positive IEEE half of a pattern: 5 exponent bits of bias 15,
// 10 fraction bits.
func float16Value(pattern uint64) float64 {
	exponent, fraction := int(pattern>>10), float64(pattern&0x3ff)
	if exponent == 0 {
		return math.Ldexp(fraction, -24)
	}
	return math.Ldexp(1024+fraction, exponent-25)
}

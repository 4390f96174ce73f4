package checkpoint

import (
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// made is a safetensors file of the tensors, in order.
func made(tensors ...[3]string) []byte {
	var header, data []string
	at := 0
	for _, t := range tensors {
		name, shaped, bytes := t[0], t[1], t[2]
		dtype, shape, _ := strings.Cut(shaped, " ")
		header = append(header, fmt.Sprintf(`%q:{"dtype":%q,"shape":%s,"data_offsets":[%d,%d]}`, name, dtype, shape, at, at+len(bytes)))
		data = append(data, bytes)
		at += len(bytes)
	}
	h := "{" + strings.Join(header, ",") + "}"
	return []byte(string(binary.LittleEndian.AppendUint64(nil, uint64(len(h)))) + h + strings.Join(data, ""))
}

func singles(values ...float64) string {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	}
	return string(b)
}

func TestInspectFindsWhatIsWrong(t *testing.T) {
	s, err := OpenBytes("made", made(
		[3]string{"a.good", "F32 [2,2]", singles(1, -2, 0, 0.5)},
		[3]string{"b.nan", "F32 [2,2]", singles(1, 2, math.NaN(), math.Inf(-1))},
		[3]string{"c.half", "F16 [3]", "\x00\x3c\x00\xfc\x00\x00"},
		[3]string{"d.bfloat", "BF16 [2]", "\x80\x3f\xc0\x7f"},
		[3]string{"e.large", "BF16 [2]", "\x80\x3f\x80\xd0"},
		[3]string{"f.zero", "F32 [2]", singles(0, 0)},
		[3]string{"g.bias", "F32 [2]", singles(0, 0)},
		[3]string{"h.weight", "F8_E4M3 [1,3]", "\x38\x7f\xff"},
		[3]string{"i.weight", "F8_E4M3 [1,2]", "\x38\xfe"},
		[3]string{"i.weight_scale_inv", "F32 [1,1]", singles(100)},
		[3]string{"j.weight_scale_inv", "F32 [1,2]", singles(1, 0)},
		[3]string{"k.double", "F64 [1]", "\x00\x00\x00\x00\x00\x00\xf0\x7f"},
		[3]string{"l.ids", "I64 [1]", "\xff\xff\xff\xff\xff\xff\xff\x7f"},
		[3]string{"m.scale", "F8_E8M0 [2]", "\x7f\xff"},
		[3]string{"n.small", "F16 [1]", "\x01\x00"},
		[3]string{"o.e5m2", "F8_E5M2 [2]", "\x3c\xfc"},
	))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"b.nan: 2 of 4 values are not finite, the first at [1 0] true",
		"c.half: 1 of 3 values are not finite, the first at [1] true",
		"d.bfloat: 1 of 2 values are not finite, the first at [1] true",
		"e.large: values up to 1.72e+10; those of trained weights stay far below 1e+04 false",
		"f.zero: no value above 0: was it ever written? false",
		"h.weight: 2 of 3 values are not finite, the first at [0 1] true",
		"i.weight: values up to 4.48e+04; those of trained weights stay far below 1e+04 false",
		"j.weight_scale_inv: the scale of block [0 1] is 0; scales are positive true",
		"k.double: 1 of 1 values are not finite, the first at [0] true",
		"m.scale: 1 of 2 values are not finite, the first at [1] true",
		"o.e5m2: 1 of 2 values are not finite, the first at [1] true",
	}
	var last, total int64
	var got []string
	for _, f := range Inspect(s, func(done, of int64) { last, total = done, of }) {
		got = append(got, fmt.Sprint(f, " ", f.Fault))
	}
	if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
		t.Errorf("found\n%s\nwant\n%s", a, b)
	}
	if last != total || total == 0 {
		t.Errorf("progress ended at %d of %d", last, total)
	}
}

func TestInspectPassesGoodCheckpoints(t *testing.T) {
	for _, dir := range []string{"v2-lite", "v3", "v3-fp8", "v32-bf16", "v32-fp8"} {
		for _, f := range Inspect(open(t, filepath.Join(reference, dir)), nil) {
			t.Errorf("%s: %s", dir, f)
		}
	}
}

func BenchmarkInspect(b *testing.B) {
	s := open(b, filepath.Join(reference, "v32-bf16"))
	var total int64
	for b.Loop() {
		Inspect(s, func(_, of int64) { total = of })
	}
	b.SetBytes(total)
}

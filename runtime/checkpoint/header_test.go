package checkpoint

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// file is a safetensors file with that header and so many zero bytes of data.
func file(header string, data int) []byte {
	return fileSaying(uint64(len(header)), header, data)
}

func fileSaying(n uint64, header string, data int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, n)
	return append(append(b, header...), make([]byte, data)...)
}

func one(dtype, shape, offsets string) string {
	return fmt.Sprintf(`{"a":{"dtype":"%s","shape":%s,"data_offsets":%s}}`, dtype, shape, offsets)
}

func two(a, b string) string {
	return fmt.Sprintf(`{"a":{"dtype":"F32",%s},"b":{"dtype":"F32",%s}}`, a, b)
}

const f32 = `{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`

// crafted are the good files and the ways of being bad that the Python library
// was asked about: want is "" where it loads them.
var crafted = []struct {
	name string
	data []byte
	want string
}{
	{"bfloat16 with metadata", file(`{"a":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]},"__metadata__":{"format":"pt"}}`, 12), ""},
	{"fp8 e4m3", file(`{"w":{"dtype":"F8_E4M3","shape":[128,128],"data_offsets":[0,16384]},"s":{"dtype":"F32","shape":[1,1],"data_offsets":[16384,16388]}}`, 16388), ""},
	{"fp8 e5m2", file(one("F8_E5M2", "[4]", "[0,4]"), 4), ""},
	{"e8m0 and 4 bits", file(`{"w":{"dtype":"F8_E8M0","shape":[4],"data_offsets":[0,4]},"x":{"dtype":"F4","shape":[4],"data_offsets":[4,6]}}`, 6), ""},
	{"no elements", file(one("F32", "[0,5]", "[0,0]"), 0), ""},
	{"no axes", file(one("F32", "[]", "[0,4]"), 4), ""},
	{"padded header", file(f32+"     ", 4), ""},
	{"unaligned", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}}`, 5), ""},
	{"null metadata", file(`{"__metadata__":null,`+f32[1:], 4), ""},
	{"AMD's fp8", file(one("F8_E4M3FNUZ", "[4]", "[0,4]"), 4), ""},
	{"nothing in it", file(`{}`, 0), ""},
	{"white space", file("{ \"a\" :\n{\t\"dtype\":\"F32\" , \"shape\":[ 1 , 1 ],\"data_offsets\": [0,4]}\r}\n", 4), ""},
	{"escaped name", file(`{"\u0061\n\"":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 4), ""},

	{"zero byte after", file(f32+"\x00", 4), "more text after"},
	{"bad escape", file(`{"\x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 4), "invalid character"},
	{"line break in a name", file("{\"a\nb\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4), "control character 0xa"},
	{"leading zero", file(one("F32", "[01]", "[0,4]"), 4), "shape: expected whole numbers, found 01"},
	{"exponent", file(one("F32", "[1e0]", "[0,4]"), 4), "shape: expected whole numbers, found 1e0"},
	{"number past 64 bits", file(one("F32", "[99999999999999999999]", "[0,4]"), 4), "is too large"},
	{"comma at the end", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],}}`, 4), "expected a string, found }"},
	{"name by its escape twice", file(`{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"\u0061":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}`, 0), "tensor a: named twice"},
	{"open end", file(`{"a":{"dtype":"F32"`, 4), "found the end of the header"},

	{"header of 2^63", fileSaying(1<<63, f32, 4), "expected at most 100000000"},
	{"header of 2^64-1", fileSaying(1<<64-1, f32, 4), "expected at most 100000000"},
	{"header of 200 MB", fileSaying(200_000_000, f32, 4), "expected at most 100000000"},
	{"header past the end", fileSaying(5000, f32, 4), "cut short inside the header: expected 5000 bytes of header, found"},
	{"two bytes", []byte{1, 2}, "expected at least 8 bytes, found 2"},
	{"empty", nil, "expected at least 8 bytes, found 0"},
	{"no header", file("", 0), "not a JSON object"},
	{"overlap", file(two(`"shape":[2],"data_offsets":[0,8]`, `"shape":[2],"data_offsets":[4,12]`), 12), "tensor b: overlaps the tensor before it: begins at byte 4, expected 8"},
	{"same place", file(two(`"shape":[2],"data_offsets":[0,8]`, `"shape":[2],"data_offsets":[0,8]`), 8), "overlaps"},
	{"hole", file(two(`"shape":[1],"data_offsets":[0,4]`, `"shape":[1],"data_offsets":[8,12]`), 12), "tensor b: begins at byte 8, expected 4: 4 bytes belong to no tensor"},
	{"trailing data", file(f32, 400), "396 bytes after the last tensor"},
	{"cut short", file(one("F32", "[100]", "[0,400]"), 40), "tensor a: cut short: expected data up to byte 400, found 40"},
	{"negative offset", file(one("F32", "[1]", "[-4,0]"), 4), "data_offsets: expected whole numbers, found -4"},
	{"reversed offsets", file(one("F32", "[1]", "[4,0]"), 4), "ends at byte 0 before it begins at 4"},
	{"shape and size differ", file(one("F32", "[3]", "[0,4]"), 4), "shape [3] of F32 takes 12 bytes, found 4"},
	{"shape overflows", file(one("F32", "[4294967296,4294967296]", "[0,0]"), 0), "more elements than can be counted"},
	{"shape overflows to 0", file(one("F32", "[4611686018427387904,4,1]", "[0,4]"), 4), "more elements than can be counted"},
	{"shape wraps to the size", file(one("F32", "[4611686018427387905]", "[0,4]"), 4), "more elements than can be counted"},
	{"negative shape", file(one("F32", "[-1,-1]", "[0,4]"), 4), "shape: expected whole numbers, found -1"},
	{"offsets with a point", file(one("F32", "[1]", "[0.0,4.0]"), 4), "data_offsets: expected whole numbers, found 0.0"},
	{"name twice", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8), "tensor a: named twice"},
	{"field twice", file(`{"a":{"dtype":"F32","dtype":"I32","shape":[1],"data_offsets":[0,4]}}`, 4), "tensor a: dtype given twice"},
	{"unknown dtype", file(one("F99", "[1]", "[0,4]"), 4), "tensor a: dtype F99 is not one"},
	{"unknown field", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1}}`, 4), `unknown field "x"`},
	{"no offsets", file(`{"a":{"dtype":"F32","shape":[1]}}`, 4), "has no data_offsets"},
	{"fields in another case", file(`{"a":{"DTYPE":"F32","shape":[1],"Data_Offsets":[0,4]}}`, 4), `unknown field "DTYPE"`},
	{"three offsets", file(one("F32", "[1]", "[0,4,9]"), 4), "data_offsets: expected 2 numbers, found 3"},
	{"not UTF-8", file("{\"a\xff\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4), "not UTF-8"},
	{"a list", file(`[1,2]`, 0), "not a JSON object"},
	{"a space first", file("  "+f32, 4), "not a JSON object"},
	{"two objects", file(f32+` {"b":1}`, 4), "more text after"},
	{"deep", file(`{"__metadata__":`+strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)+`}`, 0), "expected a JSON object"},
	{"metadata that is no string", file(`{"__metadata__":{"a":1},`+f32[1:], 4), "__metadata__: a: expected a string, found 1"},
	{"half a byte over", file(one("F4", "[3]", "[0,1]"), 1), "not a whole number of bytes"},
}

func TestHeader(t *testing.T) {
	for _, c := range crafted {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseHeader("model.safetensors", c.data)
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "model.safetensors: ") {
				t.Fatalf("got %v, want an error that names the file and says %q", err, c.want)
			}
		})
	}
}

func TestHeaderPlaces(t *testing.T) {
	head := `{"b":{"dtype":"I64","shape":[1,2],"data_offsets":[4,20]},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`
	got, err := parseHeader("x", file(head, 20))
	if err != nil {
		t.Fatal(err)
	}
	start := int64(8 + len(head))
	if len(got) != 2 || got[0].name != "a" || got[0].begin != start || got[1].begin != start+4 || got[1].end != start+20 || !slices.Equal(got[1].shape, []int{1, 2}) {
		t.Fatalf("%+v", got)
	}
}

func BenchmarkHeader(b *testing.B) {
	var head strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&head, `,"model.layers.%d.mlp.experts.%d.gate_proj.weight":{"dtype":"F8_E4M3","shape":[16,32],"data_offsets":[%d,%d]}`, i/256, i%256, 512*i, 512*i+512)
	}
	data := file("{"+head.String()[1:]+"}", 512*1000)
	b.SetBytes(int64(head.Len()))
	for b.Loop() {
		if _, err := parseHeader("x", data); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzHeader holds that whatever is accepted can be read: every tensor lies
// inside the file and no two share a byte.
func FuzzHeader(f *testing.F) {
	for _, c := range crafted {
		if len(c.data) < 1000 {
			f.Add(c.data)
		}
	}
	if b, err := os.ReadFile(filepath.Join(reference, "v3-variant", "inputs.safetensors")); err == nil {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tensors, err := parseHeader("x", data)
		if err != nil {
			if !bytes.HasPrefix([]byte(err.Error()), []byte("x: ")) {
				t.Fatalf("the error does not name the file: %v", err)
			}
			return
		}
		at := int64(-1)
		for _, p := range tensors {
			if at < 0 {
				at = p.begin
			}
			if p.begin != at || p.end < p.begin || p.end > int64(len(data)) {
				t.Fatalf("%s lies at %d to %d of %d, after %d", p.name, p.begin, p.end, len(data), at)
			}
			at = p.end
		}
	})
}

package checkpoint

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gonterp/gonterp/runtime/torch"
)

// A Finding is something wrong or odd about one stored tensor.
type Finding struct {
	Entry   Entry
	Problem string
	Fault   bool // no forward through this weight gives numbers; else it is only odd
}

func (f Finding) String() string { return f.Entry.Name + ": " + f.Problem }

// Trained weights lie well between these. What lies outside was read in the wrong
// format, written by a run that diverged, or never written.
const (
	absurdlyLarge = 1e4
	absurdlySmall = 1e-8
)

// Inspect reads every float tensor of a store that Open or OpenBytes made, and
// finds values that are no finite numbers, tensors whose largest value is absurdly
// large or small, and FP8 scales that are not positive. progress, which may be nil,
// is told how many of how many bytes are read, by one goroutine at a time.
func Inspect(s Store, progress func(done, total int64)) []Finding {
	files := s.(*files)
	var total, done int64
	for _, name := range files.names {
		total += int64(len(files.tensors[name].bytes()))
	}
	names := make(chan string)
	var mu sync.Mutex
	var findings []Finding
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for name := range names {
				problem, fault := files.inspect(name)
				e, _ := files.Entry(name)
				mu.Lock()
				if problem != "" {
					findings = append(findings, Finding{e, problem, fault})
				}
				done += e.Bytes
				if progress != nil {
					progress(done, total)
				}
				mu.Unlock()
			}
		})
	}
	for _, name := range files.names {
		names <- name
	}
	close(names)
	workers.Wait()
	slices.SortFunc(findings, func(a, b Finding) int { return cmp.Compare(a.Entry.Name, b.Entry.Name) })
	return findings
}

// inspect is what there is to say about one tensor, "" for nothing.
func (s *files) inspect(name string) (problem string, fault bool) {
	p := s.tensors[name]
	f, ok := floatFormats[p.dtype.dtype]
	if !ok || p.end == p.begin {
		return "", false
	}
	data := p.bytes()
	greatest := f.greatest(data)
	if greatest >= f.infinite {
		bad, first := f.notFinite(data)
		return fmt.Sprintf("%d of %d values are not finite, the first at %v", bad, len(data)/f.size, index(first, p.shape)), true
	}
	if strings.HasSuffix(name, scaleSuffix) {
		return p.inspectScales()
	}
	most := f.value(greatest)
	if scales, ok := s.tensors[name+scaleSuffix]; ok && isFP8(p.dtype.dtype) {
		of, err := scales.floats()
		if err != nil {
			return err.Error(), true
		}
		most *= float64(slices.Max(append(of, 0)))
	}
	switch {
	case most > absurdlyLarge:
		return fmt.Sprintf("values up to %.3g; those of trained weights stay far below %.0g", most, absurdlyLarge), false
	case most < absurdlySmall && !strings.HasSuffix(name, "bias"):
		return fmt.Sprintf("no value above %.3g: was it ever written?", most), false
	}
	return "", false
}

func (p place) inspectScales() (problem string, fault bool) {
	scales, err := p.floats()
	if err != nil {
		return err.Error(), true
	}
	for i, v := range scales {
		if v <= 0 {
			return fmt.Sprintf("the scale of block %v is %g; scales are positive", index(i, p.shape), v), true
		}
	}
	return "", false
}

// index is where element i of a tensor of that shape stands.
func index(i int, shape []int) []int {
	at := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		at[d], i = i%shape[d], i/shape[d]
	}
	return at
}

// A floatFormat is how a float dtype lies in memory. Without its sign, a greater
// float is a greater pattern of bits.
type floatFormat struct {
	size     int
	sign     uint64 // the bit of the sign, 0 where there is none
	infinite uint64 // the first pattern that is no finite number
	value    func(pattern uint64) float64
}

var floatFormats = map[torch.DType]floatFormat{
	torch.Float64:       {8, 1 << 63, 0x7ff << 52, float64Value},
	torch.Float32:       {4, 1 << 31, 0x7f8 << 20, float32Value},
	torch.BFloat16:      {2, 1 << 15, 0x7f80, func(p uint64) float64 { return float32Value(p << 16) }},
	torch.Float16:       {2, 1 << 15, 0x7c00, float16Value},
	torch.Float8E4M3FN:  {1, 1 << 7, 0x7f, func(p uint64) float64 { return float64(e4m3[p]) }},
	torch.Float8E5M2:    {1, 1 << 7, 0x7c, func(p uint64) float64 { return float16Value(p << 8) }},
	torch.Float8E8M0FNU: {1, 0, 0xff, func(p uint64) float64 { return float64(e8m0(byte(p))) }},
}

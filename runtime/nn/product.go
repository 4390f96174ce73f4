package nn

import (
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/gonterp/gonterp/runtime/nn/kern"
	"github.com/gonterp/gonterp/runtime/torch"
)

// Products of a pass that records nothing go by the fastest way that was measured
// for their shape: few rows by kern, which reads weights as they are stored, more
// by libtorch. Who looks has no say in it, so looking changes no number.

// fewRows is how many input rows kern is faster for, beside float32 products of
// MKL. Up to fewHalved it is as fast, and a weight stored in bfloat16 then needs no
// converted copy.
const (
	fewRows   = 256
	fewHalved = 1024
)

// slowBFloat16 is a processor without bfloat16 products: there kern, whose inner
// loop widens to float32, wins at any number of rows.
var slowBFloat16 = !cpu.X86.HasAVX512BF16 && !cpu.X86.HasAMXBF16

// direct says whether a product of x may go round libtorch's dispatcher, which is
// what records gradients.
func direct(x *torch.Tensor) bool {
	return x.Device() == torch.CPU && (x.DType() == torch.Float32 || x.DType() == torch.BFloat16) && !torch.IsRecording()
}

// few says whether kern takes that many rows of a dtype.
func (p *Param) few(rows int, dtype torch.DType) bool {
	return p.fits() && (rows <= fewRows || p.halved && rows <= fewHalved || dtype == torch.BFloat16 && slowBFloat16)
}

func (p *Param) fits() bool { return (&kern.Weight{Out: p.Shape[0], In: p.Shape[1]}).Fits() }

// A stored weight is what kern reads, with the tensor that keeps its memory.
type stored struct {
	kern.Weight
	owner *torch.Tensor
}

// stored is the weight for kern beside x: as it lies in the file where that loses
// nothing, else in the compute dtype.
func (p *Param) stored(x *torch.Tensor) *stored {
	if s := p.mapped.Load(); s != nil {
		return s
	}
	if p.store != nil && (p.pinned || p.dtype == torch.Float32 && p.halved) {
		s := Lasting(func() *stored { return p.weigh(must(p.store.Tensor(p.Name, p.as()))) })
		p.mapped.Store(s)
		return s
	}
	return p.weigh(p.On(x))
}

// as is the dtype in which kern reads the file.
func (p *Param) as() torch.DType {
	if p.halved {
		return torch.BFloat16
	}
	return p.dtype
}

func (p *Param) weigh(t *torch.Tensor) *stored {
	return &stored{kern.Weight{Data: t.Data(), Out: p.Shape[0], In: p.Shape[1], BFloat16: t.DType() == torch.BFloat16}, t}
}

func must(t *torch.Tensor, err error) *torch.Tensor {
	if err != nil {
		panic(err)
	}
	return t
}

// product is x·wᵀ for x [... in] where a direct way is best, else nil: so, too, where
// the shapes don't fit, which libtorch says.
func product(x *torch.Tensor, p *Param) *torch.Tensor {
	if !direct(x) || x.Size(-1) != p.Shape[1] {
		return nil
	}
	shape := x.Shape()
	rows := x.Numel() / p.Shape[1]
	if p.few(rows, x.DType()) {
		shape[len(shape)-1] = p.Shape[0]
		y := torch.Empty(torch.Float32, torch.CPU, shape...)
		tile(y, x.Float().Contiguous(), 0, rows, p.stored(x))
		return y.To(x.DType())
	}
	if x.DType() == torch.Float32 && preferOneDNN() && rows*p.Shape[0]*p.Shape[1] >= 1<<20 {
		return torch.OneDNNLinear(x.Contiguous(), p.On(x))
	}
	return nil
}

// tile multiplies the rows from to to of x into those of y; both are contiguous
// float32 of matrices, whatever axes they have.
func tile(y, x *torch.Tensor, from, to int, w *stored) {
	threads := 1
	if (to-from)*w.In*w.Out >= kern.WorthSharing {
		threads = torch.Threads()
	}
	kern.Multiply(unsafe.Add(y.Data(), from*w.Out*4), unsafe.Add(x.Data(), from*w.In*4), &w.Weight, to-from, threads)
	runtime.KeepAlive(w.owner)
	runtime.KeepAlive(x)
	runtime.KeepAlive(y)
}

// preferOneDNN: MKL keeps to AVX2 on other makers' processors, where oneDNN then
// takes half of its time.
var preferOneDNN = sync.OnceValue(func() bool { return torch.HasOneDNN() && maker() == "AuthenticAMD" })

// A Run is a stretch of rows that one of several weights multiplies.
type Run struct{ Which, From, To int }

// Grouped multiplies every run of the rows of x [rows in] by its own weight:
// [rows out].
func Grouped(x *torch.Tensor, runs []Run, weight func(which int) *Linear) *torch.Tensor {
	if direct(x) && (x.DType() == torch.Float32 || tiled(runs, weight)) {
		return groupedDirect(x, runs, weight)
	}
	parts := make([]*torch.Tensor, len(runs))
	for i, r := range runs {
		w := weight(r.Which)
		parts[i] = x.Narrow(0, r.From, r.To-r.From).Linear(w.Weight.On(x), nil)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return torch.Cat(0, parts...)
}

// tiled says whether kern takes all runs of a bfloat16 product.
func tiled(runs []Run, weight func(int) *Linear) bool {
	for _, r := range runs {
		if !weight(r.Which).Weight.few(r.To-r.From, torch.BFloat16) {
			return false
		}
	}
	return true
}

func groupedDirect(x *torch.Tensor, runs []Run, weight func(int) *Linear) *torch.Tensor {
	rows := x.Float().Contiguous()
	y := torch.Empty(torch.Float32, torch.CPU, rows.Size(0), weight(runs[0].Which).Weight.Shape[0])
	var rest []Run
	for _, r := range runs {
		p := weight(r.Which).Weight
		if p.few(r.To-r.From, x.DType()) {
			tile(y, rows, r.From, r.To, p.stored(x))
		} else {
			rest = append(rest, r)
		}
	}
	if len(rest) > 0 {
		multiplyRest(y, rows, rest, weight)
	}
	return y.To(x.DType())
}

// multiplyRest does the runs that kern doesn't take in one crossing.
func multiplyRest(y, x *torch.Tensor, runs []Run, weight func(int) *Linear) {
	var ys, xs, ws []*torch.Tensor
	for _, r := range runs {
		ys = append(ys, y.Narrow(0, r.From, r.To-r.From))
		xs = append(xs, x.Narrow(0, r.From, r.To-r.From))
		ws = append(ws, weight(r.Which).Weight.On(x).T())
	}
	torch.MMsInto(ys, xs, ws)
}

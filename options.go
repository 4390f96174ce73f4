package gonterp

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gonterp/gonterp/runtime/torch"
)

// An Option changes how a model is opened or how a pass runs. Each says in its
// doc where it may stand; in the other place it is an error.
type Option struct {
	name string
	open func(*openOptions) error
	pass func(*passOptions)

	generate func(*generateOptions) error
}

type openOptions struct {
	device  torch.Device
	dtype   torch.DType
	stored  bool
	threads int
	bos     bool
}

type passOptions struct {
	gradients bool
	bos       *bool
}

type generateOptions struct {
	temperature, topP float64
	topK, seed        int
	stop              []int
}

// Device places the model: "cpu", "cuda:0", or "auto" for the first GPU that
// libtorch can use and the CPU otherwise. For Open and Load.
func Device(name string) Option {
	return Option{name: fmt.Sprintf("Device(%q)", name), open: func(o *openOptions) (err error) {
		if o.device, err = torch.ParseDevice(name); err != nil {
			return optionErrorf("%v", err)
		}
		return nil
	}}
}

// DType is the type the model is computed in: "float32", "bfloat16" or "float16";
// as stored without it. Weights stay as they are stored and are converted when
// used. For Open and Load.
func DType(name string) Option {
	return Option{name: fmt.Sprintf("DType(%q)", name), open: func(o *openOptions) (err error) {
		if o.dtype, err = torch.ParseDType(name); err != nil {
			return optionErrorf("%v", err)
		}
		if o.stored = false; !o.dtype.IsFloat() {
			return optionErrorf("DType(%q): a model is computed in float32, bfloat16 or float16", name)
		}
		return nil
	}}
}

// Threads is how many CPU threads a matrix product may use. For Open and Load.
func Threads(n int) Option {
	return Option{name: fmt.Sprintf("Threads(%d)", n), open: func(o *openOptions) error {
		if n < 1 {
			return optionErrorf("Threads(%d): at least 1", n)
		}
		o.threads = n
		return nil
	}}
}

// BOS says whether text begins with the tokenizer's begin-of-sequence token; it
// does unless BOS(false) says otherwise. It is never added twice. For Open, Load
// and Trace.
func BOS(on bool) Option {
	return Option{name: fmt.Sprintf("BOS(%v)", on),
		open: func(o *openOptions) error { o.bos = on; return nil },
		pass: func(o *passOptions) { o.bos = &on }}
}

// Gradients makes a pass record, so that Grad can be asked for. It costs memory:
// every value of the pass stays until its end. For Trace.
func Gradients() Option {
	return Option{name: "Gradients()", pass: func(o *passOptions) { o.gradients = true }}
}

// Temperature divides the logits before sampling; 0, the default, is greedy.
// For Generate.
func Temperature(t float64) Option {
	return Option{name: fmt.Sprintf("Temperature(%g)", t), generate: func(o *generateOptions) error {
		if !(t >= 0) || math.IsInf(t, 1) {
			return optionErrorf("Temperature(%g): a number of at least 0", t)
		}
		o.temperature = t
		return nil
	}}
}

// TopK keeps the k likeliest tokens for sampling. For Generate.
func TopK(k int) Option {
	return Option{name: fmt.Sprintf("TopK(%d)", k), generate: func(o *generateOptions) error {
		if k < 1 {
			return optionErrorf("TopK(%d): at least 1", k)
		}
		o.topK = k
		return nil
	}}
}

// TopP keeps the likeliest tokens that together have probability p. For Generate.
func TopP(p float64) Option {
	return Option{name: fmt.Sprintf("TopP(%g)", p), generate: func(o *generateOptions) error {
		if !(p > 0 && p <= 1) {
			return optionErrorf("TopP(%g): more than 0, at most 1", p)
		}
		o.topP = p
		return nil
	}}
}

// Seed makes sampling repeatable; without it every generation draws anew. For Generate.
func Seed(seed int) Option {
	return Option{name: fmt.Sprintf("Seed(%d)", seed), generate: func(o *generateOptions) error {
		o.seed = seed
		return nil
	}}
}

// StopTokens end a row of a generation; the model's end-of-sequence token unless
// given, none for StopTokens(). For Generate.
func StopTokens(ids ...int) Option {
	return Option{name: "StopTokens(…)", generate: func(o *generateOptions) error {
		o.stop = append([]int{}, ids...)
		return nil
	}}
}

func opening(opts []Option) (openOptions, error) {
	o := openOptions{stored: true, bos: true, device: torch.CPU}
	for _, opt := range opts {
		if opt.open == nil {
			return o, optionErrorf("%s is an option of a pass: give it to model.Trace(prompt, …) or model.Generate(prompt, n, …)", opt.name)
		}
		if err := opt.open(&o); err != nil {
			return o, err
		}
	}
	return o, nil
}

func passing(opts []Option) (passOptions, error) {
	var o passOptions
	for _, opt := range opts {
		if opt.pass == nil {
			if opt.generate != nil {
				return o, optionErrorf("%s is an option of a generation: give it to model.Generate(prompt, n, %s)", opt.name, opt.name)
			}
			return o, optionErrorf("%s is decided when the model is opened: gonterp.Load(name, %s)", opt.name, opt.name)
		}
		opt.pass(&o)
	}
	return o, nil
}

// passOpts are the options that concern every pass of the generation.
func passOpts(opts []Option) (of []Option) {
	for _, o := range opts {
		if o.generate == nil {
			of = append(of, o)
		}
	}
	return of
}

func generating(opts []Option, eos []int) (generateOptions, error) {
	o := generateOptions{topP: 1, stop: eos, seed: rand.IntN(1 << 31)}
	for _, opt := range opts {
		if opt.generate == nil {
			continue
		}
		if err := opt.generate(&o); err != nil {
			return o, err
		}
	}
	return o, nil
}

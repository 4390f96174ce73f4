package trace

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

// toy is a forward of two blocks: x → 2x+1 per block, with three values taken
// together in the second. count counts how often a block was computed.
type toy struct {
	tree  *point.Module
	plan  *Plan
	count [2]int
}

func newToy(t *testing.T) *toy {
	torchtest.NeedThread(t)
	toy := &toy{tree: point.NewTree()}
	plan, err := Scan(toy.tree, toy.forward(torch.Zeros(torch.Float32, torch.Meta, 2, 3)))
	if err != nil {
		t.Fatal(err)
	}
	toy.plan, toy.count = plan, [2]int{}
	return toy
}

func (toy *toy) forward(in *torch.Tensor) Forward {
	return func(s point.Scope) *torch.Tensor {
		x := s.At(point.TokenEmbeddings, in.Mul(1))
		for i := range 2 {
			l := s.Layer(i)
			x = l.At(point.LayerInput, x)
			if y := l.Skip(x); y != nil {
				x = y
				continue
			}
			toy.count[i]++
			if i == 1 {
				q, k, v := x.Mul(1), x.Mul(0), x.Mul(0).Add(1)
				l.In("self_attn").Together(point.Argument{Name: point.AttentionQueries, Value: &q}, point.Argument{Name: point.AttentionKeys, Value: &k},
					point.Argument{Name: point.AttentionValues, Value: &v})
				x = q.Add(q).Add(k).Add(v)
			} else {
				x = x.Mul(2).Add(1)
			}
			x = l.At(point.LayerOutput, x)
		}
		return s.At(point.Logits, x)
	}
}

func (toy *toy) begin(t *testing.T, opt Options) *Pass {
	p := Begin(toy.plan, toy.forward(torch.FromFloats([]float32{1, 2, 3, 4, 5, 6}, 2, 3)), opt)
	t.Cleanup(p.End)
	return p
}

func (toy *toy) spot(t *testing.T, path string) Spot {
	s, ok := toy.plan.Find(path)
	if !ok {
		t.Fatalf("no %s in the plan %v", path, toy.plan.Stops)
	}
	return s
}

func want(t *testing.T, what string, got *torch.Tensor, values ...float32) {
	t.Helper()
	if fmt.Sprint(got.Floats()) != fmt.Sprint(values) {
		t.Errorf("%s is %v, want %v", what, got.Floats(), values)
	}
}

// caught is what f panics with, as an error.
func caught(t *testing.T, f func()) (err error) {
	t.Helper()
	defer func() {
		t.Helper()
		r := recover()
		if e, ok := r.(error); ok {
			err = e
			return
		}
		t.Fatalf("panicked with %v, want an error", r)
	}()
	f()
	return nil
}

func TestReadInOrder(t *testing.T) {
	toy := newToy(t)
	p := toy.begin(t, Options{})
	want(t, "embeddings", p.Read(toy.spot(t, "token_embeddings")), 1, 2, 3, 4, 5, 6)
	if toy.count != [2]int{} {
		t.Errorf("the forward ran ahead: blocks computed %v", toy.count)
	}
	want(t, "layer 0", p.Read(toy.spot(t, "layers.0.layer_output")), 3, 5, 7, 9, 11, 13)
	// The arguments of one call may be taken in any order.
	want(t, "values", p.Read(toy.spot(t, "layers.1.self_attn.attention_values")), 1, 1, 1, 1, 1, 1)
	want(t, "queries", p.Read(toy.spot(t, "layers.1.self_attn.attention_queries")), 3, 5, 7, 9, 11, 13)
	want(t, "logits", p.Finish(), 7, 11, 15, 19, 23, 27)
	if toy.count != [2]int{1, 1} {
		t.Errorf("blocks computed %v times", toy.count)
	}
}

func TestEarlyStop(t *testing.T) {
	toy := newToy(t)
	p := toy.begin(t, Options{})
	p.Read(toy.spot(t, "layers.0.layer_output"))
	p.End()
	if toy.count != [2]int{1, 0} {
		t.Errorf("blocks computed %v times, want the second never", toy.count)
	}
	var closed *ClosedError
	if err := caught(t, func() { p.Read(toy.spot(t, "logits")) }); !errors.As(err, &closed) {
		t.Errorf("a read after the end: %v", err)
	}
}

func TestWrite(t *testing.T) {
	toy := newToy(t)
	p := toy.begin(t, Options{})
	at := toy.spot(t, "layers.0.layer_output")
	p.Write(at, 10)
	want(t, "what was written", p.Read(at), 10, 10, 10, 10, 10, 10)
	p.Write(toy.spot(t, "layers.1.self_attn.attention_keys"), torch.FromFloats([]float32{1, 2, 3}, 3))
	want(t, "logits", p.Finish(), 22, 23, 24, 22, 23, 24)
}

func TestWriteBehind(t *testing.T) {
	toy := newToy(t)
	p := toy.begin(t, Options{})
	p.Read(toy.spot(t, "layers.1.layer_output"))
	err := caught(t, func() { p.Write(toy.spot(t, "layers.0.layer_output"), 0) })
	var order *OrderError
	if !errors.As(err, &order) || order.Wanted != "layers.0.layer_output" || order.Frontier != "layers.1.layer_output" {
		t.Errorf("error %v does not name both points", err)
	}
	want(t, "logits after the refused write", p.Finish(), 7, 11, 15, 19, 23, 27)
}

func TestReplay(t *testing.T) {
	toy := newToy(t)
	said := 0
	old := Notice
	Notice = func(string) { said++ }
	t.Cleanup(func() { Notice = old })
	p := toy.begin(t, Options{})
	p.Write(toy.spot(t, "token_embeddings"), 1)
	want(t, "layer 1", p.Read(toy.spot(t, "layers.1.layer_output")), 7, 7, 7, 7, 7, 7)
	want(t, "layer 0, replayed with the write", p.Read(toy.spot(t, "layers.0.layer_output")), 3, 3, 3, 3, 3, 3)
	p.Read(toy.spot(t, "layers.0.layer_input"))
	if said != 1 {
		t.Errorf("the cost of replaying was said %d times, want once", said)
	}
	if p.Frontier() != "layers.1.layer_output" {
		t.Errorf("the replay moved the frontier to %s", p.Frontier())
	}
	want(t, "logits", p.Finish(), 7, 7, 7, 7, 7, 7)
}

// TestNumbers: any Go number may be written.
func TestNumbers(t *testing.T) {
	toy := newToy(t)
	at := toy.spot(t, "layers.1.layer_output")
	for _, v := range []any{3, int8(3), int64(3), uint16(3), float32(3), 3.0} {
		p := toy.begin(t, Options{})
		p.Write(at, v)
		want(t, fmt.Sprintf("logits of a written %T", v), p.Finish(), 3, 3, 3, 3, 3, 3)
		p.End()
	}
}

func TestBadWrites(t *testing.T) {
	toy := newToy(t)
	p := toy.begin(t, Options{})
	at := toy.spot(t, "layers.0.layer_output")
	for _, v := range []any{torch.FromFloats([]float32{1, 2}, 2), "seven", (*torch.Tensor)(nil), nil} {
		if err := caught(t, func() { p.Write(at, v) }); !strings.Contains(err.Error(), "layers.0.layer_output") {
			t.Errorf("writing %v: %v", v, err)
		}
	}
	want(t, "logits after refused writes", p.Finish(), 7, 11, 15, 19, 23, 27)
}

func TestOtherGoroutine(t *testing.T) {
	toy := newToy(t)
	p := toy.begin(t, Options{})
	done := make(chan error)
	go func() { done <- caught(t, func() { p.Read(toy.spot(t, "logits")) }) }()
	var thread *ThreadError
	if err := <-done; !errors.As(err, &thread) {
		t.Errorf("a read from another goroutine: %v", err)
	}
	want(t, "logits", p.Finish(), 7, 11, 15, 19, 23, 27)
}

func TestSkip(t *testing.T) {
	toy := newToy(t)
	p := toy.begin(t, Options{})
	p.Skip(toy.tree.Layer(0), toy.spot(t, "layers.0.layer_output"), func(x *torch.Tensor) *torch.Tensor { return x })
	err := caught(t, func() { p.Read(toy.spot(t, "layers.0.layer_output")) })
	if err == nil || !strings.Contains(err.Error(), "layers.0 is skipped") {
		t.Errorf("a value of a skipped block: %v", err)
	}
	want(t, "logits", p.Finish(), 3, 5, 7, 9, 11, 13)
	if toy.count != [2]int{0, 1} {
		t.Errorf("blocks computed %v times", toy.count)
	}
}

func TestPanicInForward(t *testing.T) {
	toy := newToy(t)
	boom := errors.New("boom")
	p := Begin(toy.plan, func(s point.Scope) *torch.Tensor {
		s.At(point.TokenEmbeddings, torch.Ones(torch.Float32, torch.CPU, 1))
		panic(boom)
	}, Options{})
	defer p.End()
	p.Read(toy.spot(t, "token_embeddings"))
	if err := caught(t, func() { p.Finish() }); err != boom {
		t.Errorf("the forward's panic came out as %v", err)
	}
	var closed *ClosedError
	if err := caught(t, func() { p.Finish() }); !errors.As(err, &closed) {
		t.Errorf("after it: %v", err)
	}
	want(t, "a later pass", toy.begin(t, Options{}).Finish(), 7, 11, 15, 19, 23, 27)
}

func TestInterrupt(t *testing.T) {
	toy := newToy(t)
	p := toy.begin(t, Options{})
	p.Read(toy.spot(t, "layers.0.layer_input"))
	Interrupted.Store(true)
	defer Interrupted.Store(false)
	var interrupt *InterruptError
	if err := caught(t, func() { p.Finish() }); !errors.As(err, &interrupt) {
		t.Errorf("interrupted: %v", err)
	}
}

func TestGradients(t *testing.T) {
	toy := newToy(t)
	p := toy.begin(t, Options{Gradients: true})
	restore := torch.Recording(true)
	defer restore()
	logits := p.Read(toy.spot(t, "logits"))
	at := []*torch.Tensor{p.Node(toy.spot(t, "layers.0.layer_output")), p.Node(toy.spot(t, "token_embeddings"))}
	for range 2 { // twice over one graph
		g := torch.Gradients(logits.Sum(), at, true)
		want(t, "d/d layer 0", g[0], 2, 2, 2, 2, 2, 2)
		want(t, "d/d embeddings", g[1], 4, 4, 4, 4, 4, 4)
	}
}

// TestPassesLeaveNothing: what a pass and its replays make is freed.
func TestPassesLeaveNothing(t *testing.T) {
	toy := newToy(t)
	one := func() {
		p := Begin(toy.plan, toy.forward(torch.Ones(torch.Float32, torch.CPU, 2, 3)), Options{})
		p.Read(toy.spot(t, "layers.1.layer_output"))
		p.Read(toy.spot(t, "layers.0.layer_output"))
		p.End()
	}
	old := Notice
	Notice = func(string) {}
	t.Cleanup(func() { Notice = old })
	one()
	torch.Collect()
	before, _ := torch.LiveTensors()
	for range 300 {
		one()
	}
	torch.Collect()
	if after, _ := torch.LiveTensors(); after > before+5 {
		t.Errorf("300 passes left %d tensors alive", after-before)
	}
}

func BenchmarkRead(b *testing.B) {
	torchtest.NeedThread(b)
	tree := point.NewTree()
	x := torch.Ones(torch.Float32, torch.CPU, 4)
	const stops = 100
	forward := func(s point.Scope) *torch.Tensor {
		for i := range stops {
			x = s.Layer(i).At(point.LayerInput, x)
		}
		return x
	}
	plan, err := Scan(tree, forward)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p := Begin(plan, forward, Options{})
		for i := range stops {
			p.Read(Spot{i, 0})
		}
		p.End()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/stops, "ns/read")
}

// offering is a forward that shows 3x beside its way and can do without it: 2x, or
// half of what is written in 3x's place.
func offering(in *torch.Tensor, made *int) Forward {
	return func(s point.Scope) *torch.Tensor {
		x := s.At(point.TokenEmbeddings, in.Mul(1))
		l := s.Layer(0)
		y := x.Mul(2)
		if written := l.In("self_attn").Offer(point.AttentionProbabilities, func() *torch.Tensor { *made++; return x.Mul(3) }); written != nil {
			y = written.Mul(0.5)
		}
		return s.At(point.Logits, l.At(point.LayerOutput, y))
	}
}

func TestOfferedValues(t *testing.T) {
	torchtest.NeedThread(t)
	made := 0
	tree := point.NewTree()
	forward := offering(torch.FromFloats([]float32{1, 2}, 1, 2), &made)
	plan, err := Scan(tree, forward)
	if err != nil {
		t.Fatal(err)
	}
	at := func(path string) Spot {
		s, ok := plan.Find(path)
		if !ok {
			t.Fatalf("no %s", path)
		}
		return s
	}
	pattern, output := at("layers.0.self_attn.attention_probabilities"), at("layers.0.layer_output")
	var said []string
	old := Notice
	Notice = func(text string) { said = append(said, text) }
	defer func() { Notice = old }()
	for what, c := range map[string]struct {
		body func(p *Pass)
		opt  Options
		made int
		want string // layer_output
		says string
	}{
		"nobody looks":   {func(p *Pass) {}, Options{}, 0, "[2 4]", ""},
		"read":           {func(p *Pass) { p.Read(pattern) }, Options{}, 1, "[2 4]", ""},
		"written back":   {func(p *Pass) { p.Write(pattern, p.Read(pattern)) }, Options{}, 1, "[2 4]", ""},
		"written":        {func(p *Pass) { p.Write(pattern, 1) }, Options{}, 1, "[0.5 0.5]", "attention_probabilities is written"},
		"read too late":  {func(p *Pass) { p.Read(output); p.Read(pattern) }, Options{}, 1, "[2 4]", "lies before"},
		"edited":         {func(p *Pass) {}, Options{Edits: map[Spot][]func(*torch.Tensor) *torch.Tensor{pattern: {(*torch.Tensor).Neg}}}, 1, "[-1.5 -3]", ""},
		"write replayed": {func(p *Pass) { p.Write(pattern, 1); p.Read(at("logits")); p.Read(output) }, Options{}, 2, "[0.5 0.5]", "is written"},
	} {
		made, said = 0, nil
		p := Begin(plan, forward, c.opt)
		c.body(p)
		if got := fmt.Sprint(p.Read(output).Floats()); got != c.want {
			t.Errorf("%s: %s, want %s", what, got, c.want)
		}
		p.End()
		if text := strings.Join(said, "\n"); c.says == "" && text != "" || !strings.Contains(text, c.says) {
			t.Errorf("%s: said %q", what, text)
		}
		if made < c.made || c.made == 0 && made > 0 {
			t.Errorf("%s: made %d times, want %d", what, made, c.made)
		}
	}
}

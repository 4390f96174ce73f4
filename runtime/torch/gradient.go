package torch

// Recording switches recording for gradients on or off for the calling OS thread,
// and returns what switches it back. It is off at first.
func Recording(on bool) (restore func()) {
	mu.Lock()
	defer mu.Unlock()
	th := callingThread()
	before := th.mode
	th.mode = 0
	if on {
		th.mode = 1
	}
	return func() {
		mu.Lock()
		defer mu.Unlock()
		callingThread().mode = before
	}
}

// IsRecording says whether the calling thread records.
func IsRecording() bool {
	mu.Lock()
	defer mu.Unlock()
	return callingThread().mode != 0
}

// RequireGrad is the same values as a starting point of gradients: what is computed
// from it while recording can be differentiated by it.
func (t *Tensor) RequireGrad() *Tensor {
	if !t.dtype.IsFloat() && !t.dtype.IsComplex() {
		refuse("RequireGrad", []arg{tensor(t)}, "gradients need floating-point elements")
	}
	r := t.Detach()
	begin()
	r.alive("RequireGrad")
	add(fn.requireGrad, uint64(r.h), 1)
	if text, ok := run(); !ok {
		fail("RequireGrad", []arg{tensor(t)}, text)
	}
	mu.Unlock()
	return r
}

var opBackward = newOps(0, "Gradients", "_backward", "")

// Gradients differentiates loss, one number, by each tensor of wrt. An entry of
// the result is nil where loss doesn't depend on that tensor. Unless retain is
// set, the recording is used up.
func Gradients(loss *Tensor, wrt []*Tensor, retain bool) []*Tensor {
	if loss.Numel() != 1 {
		refuse("Gradients", []arg{tensor(loss)}, "it has %d elements, and one number is differentiated; Sum it, or Index one", loss.Numel())
	}
	grads := make([]*Tensor, len(wrt))
	if !loss.RequiresGrad() {
		return grads
	}
	var into []*Tensor
	for _, w := range wrt {
		if w.RequiresGrad() && !containsTensor(into, w) {
			into = append(into, w)
		}
	}
	if len(into) == 0 {
		return grads
	}
	clearGrads(into)
	opBackward.run([]arg{tensor(loss), tensors(into), none, arg{kind: argSome, word: word(retain)}, boolean(false)})
	for i, w := range wrt {
		grads[i] = w.takeGrad()
	}
	clearGrads(into)
	return grads
}

func word(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func containsTensor(ts []*Tensor, t *Tensor) bool {
	for _, x := range ts {
		if x == t {
			return true
		}
	}
	return false
}

// plainCall calls a C++ method of one argument that can't fail and whose return
// value is not a status: the trampoline would take it for one and stop, which
// is the end of the program anyway.
func plainCall(f uintptr, a uint64) uint64 {
	c := add(f, a)
	what := prog.what
	prog.what = 0
	run()
	prog.what = what
	return c.ret
}

// takeGrad is the gradient that backward left at t, or nil.
func (t *Tensor) takeGrad() *Tensor {
	th := begin()
	t.alive("Gradients")
	if plainCall(fn.requiresGrad, t.impl())&0xff == 0 {
		mu.Unlock()
		return nil
	}
	g := plainCall(fn.grad, t.impl())
	defined := slot()
	*defined = 0
	add(fn.isDefined, g, ptr(defined))
	run()
	if *defined&0xff == 0 {
		mu.Unlock()
		return nil
	}
	add(fn.newHandle, g, ptr(&stack[0]))
	return th.direct("Gradients", &stack[0], tensor(t)).sameAs(t)
}

// clearGrads forgets gradients left at tensors.
func clearGrads(ts []*Tensor) {
	begin()
	nothing := slot()
	add(fn.newUndefined, ptr(nothing))
	run()
	for _, t := range ts {
		t.alive("Gradients")
		g := plainCall(fn.mutableGrad, t.impl())
		add(fn.assign, *nothing, g)
		run()
	}
	add(fn.del, *nothing)
	run()
	mu.Unlock()
}

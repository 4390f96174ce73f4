package nn

import (
	"runtime"
	"sync"

	"github.com/gonterp/gonterp/runtime/torch"
)

// Between the products of latent attention, rows are cut up, rotated and laid side
// by side. Beside tensor operations, which record gradients, each step is written as
// a loop over rows that moves every number once.

// Queries are q [batch seq heads width] with the last dimensions of every head
// rotated: [batch heads seq width].
func (p Pairing) Queries(q *torch.Tensor, rotated int, a *Angles) *torch.Tensor {
	batch, seq, heads, width := q.Size(0), q.Size(1), q.Size(2), q.Size(3)
	still := width - rotated
	if !loops(q) {
		pieces := p.Turn(q.Narrow(3, still, rotated), a)
		return headsFirst(append([]*torch.Tensor{q.Narrow(3, 0, still)}, pieces...)...)
	}
	q = q.Contiguous()
	out := torch.Empty(torch.Float32, torch.CPU, batch, heads, seq, width)
	from, to := floats(q), floats(out)
	eachRow(batch*heads*seq, width, func(row int) {
		s, h, b := row%seq, row/seq%heads, row/seq/heads
		x := from[((b*seq+s)*heads+h)*width:][:width]
		y := to[row*width:][:width]
		copy(y, x[:still])
		p.rotate(y[still:], x[still:], a.row(b, s))
	})
	runtime.KeepAlive(q)
	runtime.KeepAlive(out)
	runtime.KeepAlive(a.turns)
	return out
}

// Latents are normed [batch seq latent] beside the rotated key, of which c
// [batch seq latent+rotated] has the unrotated one: [batch seq latent+rotated].
func (p Pairing) Latents(normed, c *torch.Tensor, a *Angles) *torch.Tensor {
	batch, seq, latent, width := c.Size(0), c.Size(1), normed.Size(2), c.Size(2)
	if !loops(c) {
		row := []*torch.Tensor{normed}
		for _, piece := range p.Turn(c.Narrow(2, latent, width-latent).Unsqueeze(2), a) {
			row = append(row, piece.Squeeze(2))
		}
		return torch.Cat(2, row...)
	}
	normed, c = normed.Contiguous(), c.Contiguous()
	out := torch.Empty(torch.Float32, torch.CPU, batch, seq, width)
	left, right, to := floats(normed), floats(c), floats(out)
	eachRow(batch*seq, width, func(row int) {
		y := to[row*width:][:width]
		copy(y, left[row*latent:][:latent])
		p.rotate(y[latent:], right[row*width:][latent:width], a.row(row/seq, row%seq))
	})
	runtime.KeepAlive(normed)
	runtime.KeepAlive(c)
	runtime.KeepAlive(out)
	runtime.KeepAlive(a.turns)
	return out
}

// Expand makes keys [batch heads keys nope+rotated] and values [batch heads keys ·]
// of kv [batch keys heads nope+·], what the latents were multiplied to, and of the
// rotated key at the end of each latent, which all heads share.
func Expand(kv, latents *torch.Tensor, nope, latent int) (k, v *torch.Tensor) {
	batch, keys, heads, width := kv.Size(0), kv.Size(1), kv.Size(2), kv.Size(3)
	rotated, value := latents.Size(2)-latent, width-nope
	if !loops(kv) {
		kR := latents.Narrow(2, latent, rotated).Unsqueeze(2).Expand(batch, keys, heads, rotated)
		k = headsFirst(kv.Narrow(3, 0, nope), kR)
		return k, kv.Narrow(3, nope, value).Transpose(1, 2).Contiguous()
	}
	kv, latents = kv.Contiguous(), latents.Contiguous()
	k = torch.Empty(torch.Float32, torch.CPU, batch, heads, keys, nope+rotated)
	v = torch.Empty(torch.Float32, torch.CPU, batch, heads, keys, value)
	from, shared, toK, toV := floats(kv), floats(latents), floats(k), floats(v)
	eachRow(batch*heads*keys, width+rotated, func(row int) {
		t, h := row/keys/heads*keys+row%keys, row/keys%heads
		x := from[(t*heads+h)*width:][:width]
		y := toK[row*(nope+rotated):][:nope+rotated]
		copy(y, x[:nope])
		copy(y[nope:], shared[t*(latent+rotated)+latent:])
		copy(toV[row*value:][:value], x[nope:])
	})
	runtime.KeepAlive(kv)
	runtime.KeepAlive(latents)
	runtime.KeepAlive(k)
	runtime.KeepAlive(v)
	return k, v
}

// headsFirst joins the pieces [batch seq heads ·] of every head: [batch heads seq ·].
func headsFirst(pieces ...*torch.Tensor) *torch.Tensor {
	for i, piece := range pieces {
		pieces[i] = piece.Transpose(1, 2)
	}
	return torch.Cat(3, pieces...)
}

// loops says whether x may be read as memory.
func loops(x *torch.Tensor) bool { return direct(x) && x.DType() == torch.Float32 }

// manyNumbers is from how many numbers on rows are shared among threads.
const manyNumbers = 1 << 18

// eachRow calls f for every row of so many numbers.
func eachRow(rows, numbers int, f func(row int)) {
	threads := 1
	if rows*numbers >= manyNumbers {
		threads = torch.Threads()
	}
	step := (rows + threads - 1) / threads
	stretch := func(from int) {
		for row := from; row < min(from+step, rows); row++ {
			f(row)
		}
	}
	var others sync.WaitGroup
	for from := step; from < rows; from += step {
		others.Go(func() { stretch(from) })
	}
	stretch(0)
	others.Wait()
}

// rotate turns the pairs of x by the angles and puts them into y. Products are
// rounded before they are added, as those of complex tensors are.
func (p Pairing) rotate(y, x, turns []float32) {
	half := len(x) / 2
	for i := range half {
		cos, sin := turns[2*i], turns[2*i+1]
		a, b, re, im := 2*i, 2*i+1, i, half+i
		switch p {
		case Adjacent:
			re, im = a, b
		case Halves:
			a, b = re, im
		}
		y[re] = float32(x[a]*cos) - float32(x[b]*sin)
		y[im] = float32(x[a]*sin) + float32(x[b]*cos)
	}
}

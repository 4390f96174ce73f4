package nn

import (
	"slices"

	"github.com/gonterp/gonterp/runtime/torch"
)

// A Cache is what earlier calls of a generation left behind: per layer one or more
// streams of rows, a row a token. The latent and the rotated shared key are one
// stream, the indexer's keys another.
type Cache struct {
	length  int
	batch   int
	real    []int64 // [batch length], nil: no padding so far
	pending []int64 // the same with the running call's tokens
	streams map[stream]*torch.Tensor
}

type stream struct{ layer, index int }

// NewCache is an empty cache.
func NewCache() *Cache { return &Cache{streams: map[stream]*torch.Tensor{}} }

// Len is how many tokens a row has, padding included.
func (c *Cache) Len() int { return c.length }

// Truncate forgets all but the first n tokens.
func (c *Cache) Truncate(n int) {
	if n >= c.length {
		return
	}
	if c.real != nil {
		kept := make([]int64, 0, c.batch*n)
		for row := range slices.Chunk(c.real, c.length) {
			kept = append(kept, row[:n]...)
		}
		c.real = kept
	}
	c.length = n
}

// see joins the mask of a call to the cached tokens' and returns [batch keys], or
// nil where nothing is padding.
func (c *Cache) see(real []int64, batch, seq int) []int64 {
	if !slices.Contains(real, 0) {
		real = nil
	}
	if c == nil {
		return real
	}
	c.batch = batch
	if real == nil && c.real == nil {
		c.pending = nil
		return nil
	}
	c.pending = make([]int64, 0, batch*(c.length+seq))
	for b := range batch {
		c.pending = appendRow(c.pending, c.real, b, c.length)
		c.pending = appendRow(c.pending, real, b, seq)
	}
	return c.pending
}

func appendRow(to, rows []int64, b, n int) []int64 {
	if rows != nil {
		return append(to, rows[b*n:(b+1)*n]...)
	}
	for range n {
		to = append(to, 1)
	}
	return to
}

// Extend puts the rows [batch seq width] of the running call after the cached ones
// of a layer's stream and returns all: [batch keys width].
func (c *Cache) Extend(layer, index int, rows *torch.Tensor) *torch.Tensor {
	batch, seq, width := rows.Size(0), rows.Size(1), rows.Size(2)
	at := stream{layer, index}
	buffer := c.streams[at]
	if keys := c.length + seq; buffer == nil || buffer.Size(1) < keys {
		buffer = Lasting(func() *torch.Tensor {
			larger := torch.Empty(rows.DType(), rows.Device(), batch, max(64, 2*keys), width)
			if buffer != nil && c.length > 0 {
				torch.CopyInto(larger.Narrow(1, 0, c.length), buffer.Narrow(1, 0, c.length))
			}
			return larger
		})
		c.streams[at] = buffer
	}
	torch.CopyInto(buffer.Narrow(1, c.length, seq), rows)
	if rows.RequiresGrad() && c.length > 0 {
		return torch.Cat(1, buffer.Narrow(1, 0, c.length), rows)
	}
	if rows.RequiresGrad() {
		return rows
	}
	return buffer.Narrow(1, 0, c.length+seq)
}

// Advance makes the running call's tokens cached ones.
func (c *Cache) Advance(seq int) {
	c.length += seq
	c.real, c.pending = c.pending, nil
}

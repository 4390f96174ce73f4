package machine

import "golang.org/x/tools/go/ssa"

// An edge leads from a block to one of its successors: it gives the phis there
// their values, and lets an interrupt take effect where it closes a loop.
type edge struct {
	to    *block
	moves []phiMove
	back  bool
}

type phiMove struct {
	slot     *slot
	dst, src uintptr
}

// edge is the way from a block to its successor; which counts the ways between the same two.
func (k *compiler) edge(from, to *ssa.BasicBlock, which int) *edge {
	e := &edge{to: k.blocks[to.Index], back: to.Dominates(from)}
	var after []phiMove
	for i, p := range to.Preds {
		if p != from {
			continue
		}
		if which--; which >= 0 {
			continue
		}
		for _, in := range to.Instrs {
			ph, ok := in.(*ssa.Phi)
			if !ok {
				break
			}
			d, s := k.slots[ph], k.slot(ph.Edges[i])
			if d == s {
				continue
			}
			if t := k.temps[ph]; t != nil {
				e.moves = append(e.moves, phiMove{d, t.off, s.off})
				after = append(after, phiMove{d, d.off, t.off})
				continue
			}
			e.moves = append(e.moves, phiMove{d, d.off, s.off})
		}
		break
	}
	// Values that no other phi reads may be set while those of others are still being read.
	e.moves = append(e.moves, after...)
	return e
}

func (e *edge) take(f *frame) *block {
	for i := range e.moves {
		m := &e.moves[i]
		if m.slot.class == classWord {
			*at[uint64](f, m.dst) = *at[uint64](f, m.src)
			continue
		}
		m.slot.copyValue(f.ptr(m.dst), f.ptr(m.src))
	}
	if e.back && f.th.run.stop.Load() {
		f.th.check()
	}
	return e.to
}

// term is the edge as the only end of a block.
func (e *edge) term() term {
	switch {
	case len(e.moves) == 0 && !e.back:
		return func(*frame) *block { return e.to }
	case len(e.moves) == 1 && e.moves[0].slot.class == classWord:
		to, back, d, s := e.to, e.back, e.moves[0].dst, e.moves[0].src
		return func(f *frame) *block {
			*at[uint64](f, d) = *at[uint64](f, s)
			if back && f.th.run.stop.Load() {
				f.th.check()
			}
			return to
		}
	case len(e.moves) == 2 && e.moves[0].slot.class == classWord && e.moves[1].slot.class == classWord:
		to, back, d, s, d2, s2 := e.to, e.back, e.moves[0].dst, e.moves[0].src, e.moves[1].dst, e.moves[1].src
		return func(f *frame) *block {
			*at[uint64](f, d) = *at[uint64](f, s)
			*at[uint64](f, d2) = *at[uint64](f, s2)
			if back && f.th.run.stop.Load() {
				f.th.check()
			}
			return to
		}
	}
	return e.take
}

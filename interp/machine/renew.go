package machine

import "go/types"

// renew makes the descriptors of a type, and of all types made from it, be
// forged again, because a cell has given it a method: the runtime remembers which
// interfaces a descriptor does not implement. It reports whether there were any.
func (f *forger) renew(t *types.Named) bool {
	if f.types.At(t) == nil {
		return false
	}
	var old []types.Type
	f.types.Iterate(func(u types.Type, _ any) {
		if madeFrom(u, t, map[types.Type]bool{}) {
			old = append(old, u)
		}
	})
	for _, u := range old {
		f.outdated[f.types.At(u).(*rtype)] = u
		f.types.Delete(u)
	}
	for d, u := range f.outdated {
		n := f.descriptor(u)
		f.mu.Lock()
		f.newest[d] = n
		f.mu.Unlock()
	}
	return true
}

// madeFrom reports whether t is n or has it as a part.
func madeFrom(t types.Type, n *types.Named, seen map[types.Type]bool) bool {
	of := func(u types.Type) bool { return madeFrom(u, n, seen) }
	switch u := types.Unalias(t).(type) {
	case *types.Named:
		if u == n {
			return true
		}
		if seen[u] || u.Obj().Pkg() == nil || u.Obj().Pkg().Path() != "main" {
			return false
		}
		seen[u] = true
		return of(u.Underlying())
	case *types.Pointer:
		return of(u.Elem())
	case *types.Slice:
		return of(u.Elem())
	case *types.Array:
		return of(u.Elem())
	case *types.Chan:
		return of(u.Elem())
	case *types.Map:
		return of(u.Key()) || of(u.Elem())
	case *types.Tuple:
		for v := range u.Variables() {
			if of(v.Type()) {
				return true
			}
		}
	case *types.Signature:
		return of(u.Params()) || of(u.Results())
	case *types.Struct:
		for v := range u.Fields() {
			if of(v.Type()) {
				return true
			}
		}
	case *types.Interface:
		for m := range u.Methods() {
			if of(m.Type()) {
				return true
			}
		}
	}
	return false
}

// current is the descriptor that has taken the place of d.
func (f *forger) current(d *rtype) *rtype {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := f.newest[d]; n != nil {
		return n
	}
	return d
}

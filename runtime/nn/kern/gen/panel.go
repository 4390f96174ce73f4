package main

import (
	"fmt"
	"strings"
)

// A panel is a tile whose lanes are input rows: v vectors of them, which pack has
// laid side by side for every k, against w weight rows, whose elements are spread
// over all lanes as they come. No sum crosses lanes.
type panel struct {
	*writer
	w, v int
}

// A writer writes instructions for one width of vectors.
type writer struct {
	wide           bool // AVX-512
	text, declared *strings.Builder
}

func (t *writer) op(format string, args ...any) { fmt.Fprintf(t.text, "\t"+format+"\n", args...) }

// reg is a vector register.
func (t *writer) reg(i int) string {
	if t.wide {
		return fmt.Sprintf("Z%d", i)
	}
	return fmt.Sprintf("Y%d", i)
}

func (t *writer) lanes() int { return []int{8, 16}[index(t.wide)] }

func (t *writer) set() string { return []string{"2", "512"}[index(t.wide)] }

func (t *writer) clear(i int) {
	if t.wide {
		t.op("VPXORD Z%d, Z%d, Z%d", i, i, i)
	} else {
		t.op("VXORPS Y%d, Y%d, Y%d", i, i, i)
	}
}

// pointers are the arguments that are no number.
var pointers = map[string]bool{"out": true, "x": true, "w": true, "rows": true, "weights": true, "by": true}

// begin starts the function of the arguments and puts each into its register: name,
// register, name, register.
func (t *writer) begin(name string, args ...string) {
	fmt.Fprintf(t.text, "\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", name, 4*len(args))
	var declared []string
	for i := 0; i < len(args); i += 2 {
		t.op("MOVQ %s+%d(FP), %s", args[i], 4*i, args[i+1])
		declared = append(declared, args[i]+" "+[]string{"int", "unsafe.Pointer"}[index(pointers[args[i]])])
	}
	fmt.Fprintf(t.declared, "\n//go:noescape\nfunc %s(%s)\n", name, strings.Join(declared, ", "))
}

func (t *writer) end() {
	t.op("VZEROUPPER")
	t.op("RET")
}

// turn transposes the squares of four that the 128-bit lanes of registers a to a+3
// make: element e of register a+q goes to element q of register a+e. s to s+3 are spare.
func (t *writer) turn(a, s int) {
	r := t.reg
	t.op("VUNPCKLPS %s, %s, %s", r(a+1), r(a), r(s))
	t.op("VUNPCKHPS %s, %s, %s", r(a+1), r(a), r(s+1))
	t.op("VUNPCKLPS %s, %s, %s", r(a+3), r(a+2), r(s+2))
	t.op("VUNPCKHPS %s, %s, %s", r(a+3), r(a+2), r(s+3))
	t.op("VUNPCKLPD %s, %s, %s", r(s+2), r(s), r(a))
	t.op("VUNPCKHPD %s, %s, %s", r(s+2), r(s), r(a+1))
	t.op("VUNPCKLPD %s, %s, %s", r(s+3), r(s+1), r(a+2))
	t.op("VUNPCKHPD %s, %s, %s", r(s+3), r(s+1), r(a+3))
}

// prefetch asks for the next size bytes of what the register points to: the rows of
// the next tile, which follow those of this one.
func (t *writer) prefetch(register string, size int) {
	for off := 0; off < size; off += 64 {
		t.op("PREFETCHT1 %d(%s)", off, register)
	}
	t.op("ADDQ $%d, %s", size, register)
}

// at is the address of weight row r, off bytes on: a base serves three rows.
func at(r, off int) string {
	base := []string{"R10", "R12", "R13", "BX"}[r/3]
	return fmt.Sprintf([]string{"%d(%s)", "%d(%s)(R11*1)", "%d(%s)(R11*2)"}[r%3], off, base)
}

func (t panel) name() string { return fmt.Sprintf("p%sx%d", t.set(), t.w) }

// write is the function (out, ldo, x, w, ldw, k): k is a multiple of four.
func (t panel) write() {
	t.begin(t.name(), "out", "DI", "ldo", "R8", "x", "SI", "w", "R10", "ldw", "R11", "k", "CX")
	bases := []string{"R10", "R12", "R13", "BX"}[:(t.w+2)/3]
	t.op("LEAQ (R11)(R11*2), AX")
	for i := 1; i < len(bases); i++ {
		t.op("LEAQ (%s)(AX*1), %s", bases[i-1], bases[i])
	}
	last := bases[len(bases)-1]
	t.op("LEAQ (%s)(%s*%d), DX", last, []string{"AX", "R11", "R11"}[t.w%3], []int{1, 1, 2}[t.w%3])
	sums := t.w * t.v
	for i := range sums {
		t.clear(i)
	}
	size := t.lanes() * 4
	t.text.WriteString("loop:\n")
	for k := range 4 {
		for v := range t.v {
			t.op("VMOVUPS %d(SI), %s", (k*t.v+v)*size, t.reg(sums+v))
		}
		for r := range t.w {
			t.step(r, k, sums)
		}
	}
	t.prefetch("DX", 4*4*t.w)
	t.op("ADDQ $%d, SI", 4*t.v*size)
	for _, b := range bases {
		t.op("ADDQ $16, %s", b)
	}
	t.op("SUBQ $4, CX")
	t.op("JNZ loop")
	for v := range t.v {
		t.store(v, sums)
	}
	t.end()
}

// sum is the register of weight row r and vector v: the four rows that are stored
// together are neighbours.
func (t panel) sum(r, v int) int { return v*t.w + r }

func (t panel) step(r, k, sums int) {
	spread := sums + t.v
	if t.wide {
		spread += r % (32 - spread)
	}
	t.op("VBROADCASTSS %s, %s", at(r, 4*k), t.reg(spread))
	for v := range t.v {
		t.op("VFMADD231PS %s, %s, %s", t.reg(spread), t.reg(sums+v), t.reg(t.sum(r, v)))
	}
}

// store puts the input rows of vector v into out, four columns at a time.
func (t panel) store(v, spare int) {
	if !t.wide {
		spare = 12 // the inputs and the spread weight are used up
	}
	for g := 0; g < t.w; g += 4 {
		t.turn(t.sum(g, v), spare)
	}
	for lane := range t.lanes() / 4 {
		for q := range 4 {
			for g := 0; g < t.w; g += 4 {
				from, to := t.sum(g, v)+q, fmt.Sprintf("%d(DI)", 4*g)
				switch {
				case lane == 0:
					t.op("VMOVUPS X%d, %s", from, to)
				case t.wide:
					t.op("VEXTRACTF32X4 $%d, Z%d, %s", lane, from, to)
				default:
					t.op("VEXTRACTF128 $%d, Y%d, %s", lane, from, to)
				}
			}
			t.op("ADDQ R8, DI")
		}
	}
}

// pack is the function (out, ldo, x, ldx, k): as many rows of x as there are lanes
// become the columns of out.
func (t *writer) pack() {
	t.begin("pack"+t.set(), "out", "DI", "ldo", "R8", "x", "SI", "ldx", "R11", "k", "CX")
	t.op("LEAQ (R11)(R11*2), AX")
	t.op("LEAQ (R8)(R8*2), DX")
	bases := []string{"SI", "R9", "R10", "R12"}[:t.lanes()/4]
	for i := 1; i < len(bases); i++ {
		t.op("LEAQ (%s)(R11*4), %s", bases[i-1], bases[i])
	}
	t.text.WriteString("loop:\n")
	for q := range 4 {
		for lane, b := range bases {
			from := []string{"(%s)", "(%s)(R11*1)", "(%s)(R11*2)", "(%s)(AX*1)"}[q]
			from = fmt.Sprintf(from, b)
			switch {
			case lane == 0:
				t.op("VMOVUPS %s, X%d", from, q)
			case t.wide:
				t.op("VINSERTF32X4 $%d, %s, Z%d, Z%d", lane, from, q, q)
			default:
				t.op("VINSERTF128 $%d, %s, Y%d, Y%d", lane, from, q, q)
			}
		}
	}
	t.turn(0, 4)
	for q := range 4 {
		t.op("VMOVUPS %s, %s", t.reg(q), []string{"(DI)", "(DI)(R8*1)", "(DI)(R8*2)", "(DI)(DX*1)"}[q])
	}
	t.op("LEAQ (DI)(R8*4), DI")
	for _, b := range bases {
		t.op("ADDQ $16, %s", b)
	}
	t.op("SUBQ $4, CX")
	t.op("JNZ loop")
	t.end()
}

// widen is the function (out, x, n): n bfloat16 numbers as float32, n a multiple of 32.
func (t *writer) widen() {
	t.begin("widen"+t.set(), "out", "DI", "x", "SI", "n", "CX")
	t.text.WriteString("loop:\n")
	for i := range 32 / t.lanes() {
		t.op("VPMOVZXWD %d(SI), %s", i*t.lanes()*2, t.reg(i))
		t.op("VPSLLD $16, %s, %s", t.reg(i), t.reg(i))
		t.op("VMOVUPS %s, %d(DI)", t.reg(i), i*t.lanes()*4)
	}
	t.op("ADDQ $64, SI")
	t.op("ADDQ $128, DI")
	t.op("SUBQ $32, CX")
	t.op("JNZ loop")
	t.end()
}

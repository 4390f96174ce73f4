package main

// combine is the function (out, rows, weights, count, size): the sum of count rows of
// size bytes, a multiple of 128, each times its weight.
func (t *writer) combine() {
	t.begin("combine"+t.set(), "out", "DI", "rows", "SI", "weights", "DX", "count", "CX", "size", "BX")
	step := 2 * t.lanes() * 4
	scaled := func(into int) {
		t.op("VBROADCASTSS (DX)(R9*4), %s", t.reg(4))
		for i := range 2 {
			t.op("VMULPS %d(R8)(AX*1), %s, %s", i*step/2, t.reg(4), t.reg(into+i))
		}
	}
	t.op("XORQ AX, AX")
	t.text.WriteString("columns:\n")
	t.op("XORQ R9, R9")
	t.op("MOVQ (SI), R8")
	scaled(0)
	t.text.WriteString("row:\n")
	t.op("INCQ R9")
	t.op("CMPQ R9, CX")
	t.op("JGE store")
	t.op("MOVQ (SI)(R9*8), R8")
	scaled(2)
	for i := range 2 {
		t.op("VADDPS %s, %s, %s", t.reg(2+i), t.reg(i), t.reg(i))
	}
	t.op("JMP row")
	t.text.WriteString("store:\n")
	for i := range 2 {
		t.op("VMOVUPS %s, %d(DI)(AX*1)", t.reg(i), i*step/2)
	}
	t.op("ADDQ $%d, AX", step)
	t.op("CMPQ AX, BX")
	t.op("JLT columns")
	t.end()
}

// squares is the function (out, x, size): the sum of the squares of size bytes, a
// multiple of 128.
func (t *writer) squares() {
	t.begin("squares"+t.set(), "out", "DI", "x", "SI", "size", "CX")
	lane := t.lanes() * 4
	sums := 128 / lane
	for i := range sums {
		t.clear(i)
	}
	t.text.WriteString("loop:\n")
	for i := range sums {
		t.op("VMOVUPS %d(SI), %s", i*lane, t.reg(sums+i))
		t.op("VFMADD231PS %s, %s, %s", t.reg(sums+i), t.reg(sums+i), t.reg(i))
	}
	t.op("ADDQ $128, SI")
	t.op("SUBQ $128, CX")
	t.op("JNZ loop")
	for n := sums / 2; n > 0; n /= 2 {
		for i := range n {
			t.op("VADDPS %s, %s, %s", t.reg(n+i), t.reg(i), t.reg(i))
		}
	}
	if t.wide {
		t.op("VEXTRACTF64X4 $1, Z0, Y1")
		t.op("VADDPS Y1, Y0, Y0")
	}
	t.op("VEXTRACTF128 $1, Y0, X1")
	t.op("VADDPS X1, X0, X0")
	t.op("VHADDPS X0, X0, X0")
	t.op("VHADDPS X0, X0, X0")
	t.op("VMOVSS X0, (DI)")
	t.end()
}

// scale is the function (out, x, w, by, size): w · (x · by) for size bytes, a multiple
// of 128.
func (t *writer) scale() {
	t.begin("scale"+t.set(), "out", "DI", "x", "SI", "w", "DX", "by", "BX", "size", "CX")
	t.op("VBROADCASTSS (BX), %s", t.reg(4))
	t.op("XORQ AX, AX")
	t.text.WriteString("loop:\n")
	lane := t.lanes() * 4
	for i := range 128 / lane {
		t.op("VMULPS %d(SI)(AX*1), %s, %s", i*lane, t.reg(4), t.reg(i))
		t.op("VMULPS %d(DX)(AX*1), %s, %s", i*lane, t.reg(i), t.reg(i))
		t.op("VMOVUPS %s, %d(DI)(AX*1)", t.reg(i), i*lane)
	}
	t.op("ADDQ $128, AX")
	t.op("CMPQ AX, CX")
	t.op("JLT loop")
	t.end()
}

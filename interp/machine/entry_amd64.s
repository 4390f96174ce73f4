#include "textflag.h"

// bridge is the code of every func value that the machine makes: the object
// behind it holds, as its second word, the Go closure that compiled code may
// call with the value's signature.
TEXT ·bridge(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ 8(DX), DX
	MOVQ (DX), R12
	JMP  R12

// func bridgePC() uintptr
TEXT ·bridgePC(SB), NOSPLIT, $0-8
	LEAQ ·bridge(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// func goroutine() uintptr
TEXT ·goroutine(SB), NOSPLIT, $0-8
	MOVQ R14, ret+0(FP)
	RET

// func stackUsed() uintptr
TEXT ·stackUsed(SB), NOSPLIT, $0-8
	MOVQ 8(R14), AX
	SUBQ SP, AX
	MOVQ AX, ret+0(FP)
	RET

// func stubPC() uintptr
TEXT ·stubPC(SB), NOSPLIT, $0-8
	LEAQ ·stubs(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// stubs are the entry points of cell types' methods, 16 bytes each: entry i goes
// on in the Go closure methods[i].
#define STUB(i) PCALIGN $16; MOVL $(i), R12; JMP common;
#define S8(i) STUB(i) STUB(i+1) STUB(i+2) STUB(i+3) STUB(i+4) STUB(i+5) STUB(i+6) STUB(i+7)
#define S64(i) S8(i) S8(i+8) S8(i+16) S8(i+24) S8(i+32) S8(i+40) S8(i+48) S8(i+56)
#define S512(i) S64(i) S64(i+64) S64(i+128) S64(i+192) S64(i+256) S64(i+320) S64(i+384) S64(i+448)
#define S4096(i) S512(i) S512(i+512) S512(i+1024) S512(i+1536) S512(i+2048) S512(i+2560) S512(i+3072) S512(i+3584)

TEXT ·stubs(SB), NOSPLIT|NOFRAME, $0-0
	S4096(0)
	S4096(4096)
	S4096(8192)
	S4096(12288)
	S4096(16384)
	S4096(20480)
	S4096(24576)
	S4096(28672)
common:
	LEAQ ·methods(SB), R13
	MOVQ (R13)(R12*8), DX
	MOVQ (DX), R12
	JMP  R12

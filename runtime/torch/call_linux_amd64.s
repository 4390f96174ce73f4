//go:build !notrampoline

#include "textflag.h"

// func threadPointer() uintptr
// The C library keeps a thread's own address at the start of its control block.
TEXT ·threadPointer(SB), NOSPLIT, $0-8
	MOVQ 0(FS), AX
	MOVQ AX, ret+0(FP)
	RET

// batch runs a program, a list of C calls, on the system stack: one crossing from
// Go for many calls. It follows the C calling convention; DI points to the
// program. It stops at the first call that returns a non-zero int32, fetches
// libtorch's text for it while still on the thread that has it, and returns that
// value.
GLOBL ·batchPC(SB), NOPTR|RODATA, $8
DATA ·batchPC(SB)/8, $batch(SB)

TEXT batch(SB), NOSPLIT|NOFRAME, $0
	PUSHQ BP
	PUSHQ BX
	PUSHQ R12
	PUSHQ R13
	SUBQ  $40, SP
	MOVQ  DI, R13

	// Grad mode and thread count belong to the thread: set them again when this
	// one is not the last program's, or when the program wants another mode.
	MOVQ 0(FS), AX
	CMPQ AX, 16(R13)
	JNE  settle
	MOVQ 32(R13), AX
	CMPQ AX, 24(R13)
	JEQ  settled

settle:
	MOVQ  0(FS), AX
	MOVQ  AX, 16(R13)
	MOVQ  32(R13), DI
	MOVQ  DI, 24(R13)
	MOVQ  40(R13), AX
	CALL  AX
	MOVQ  56(R13), DI
	TESTQ DI, DI
	JZ    settled
	MOVQ  48(R13), AX
	CALL  AX

settled:
	MOVQ 0(R13), BX
	MOVQ 8(R13), R12

next:
	TESTQ BX, BX
	JZ    done
	MOVQ  0(R12), R10
	CMPQ  R10, $1
	JLS   move
	MOVQ  56(R12), AX
	MOVQ  AX, 0(SP)
	MOVQ  64(R12), AX
	MOVQ  AX, 8(SP)
	MOVQ  72(R12), AX
	MOVQ  AX, 16(SP)
	MOVQ  80(R12), AX
	MOVQ  AX, 24(SP)
	MOVQ  8(R12), DI
	MOVQ  16(R12), SI
	MOVQ  24(R12), DX
	MOVQ  32(R12), CX
	MOVQ  40(R12), R8
	MOVQ  48(R12), R9
	MOVSD 88(R12), X0
	MOVSD 96(R12), X1
	XORL  AX, AX
	CALL  R10
	MOVQ  AX, 104(R12)
	TESTL AX, AX
	JNZ   failed

advance:
	ADDQ $112, R12
	DECQ BX
	JMP  next

	// Not a call: *a1 = *a0, or **a1 = *a0.
move:
	MOVQ  8(R12), AX
	MOVQ  0(AX), AX
	MOVQ  16(R12), DX
	TESTQ R10, R10
	JZ    store
	MOVQ  0(DX), DX

store:
	MOVQ AX, 0(DX)
	JMP  advance

failed:
	MOVL  AX, BX
	MOVQ  64(R13), AX
	TESTQ AX, AX
	JZ    out
	CALL  AX
	MOVQ  AX, 72(R13)

out:
	MOVL BX, AX
	JMP  leave

done:
	XORL AX, AX

leave:
	ADDQ $40, SP
	POPQ R13
	POPQ R12
	POPQ BX
	POPQ BP
	RET

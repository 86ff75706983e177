#include "go_asm.h"
#include "textflag.h"

// BYTES makes x twice the eight bytes of b.
#define BYTES(b, x) \
	MOVQ       $b, AX; \
	MOVQ       AX, x;  \
	PUNPCKLQDQ x, x

// SIXTEEN adds to R8, R9 and R10 the bits of the letters and digits, of the
// letters and of the backslashes among the sixteen bytes at an offset. A byte
// is in a range when it is not beyond the end, counted from the begin.
#define SIXTEEN(at) \
	MOVOU    at(SI), X6; \
	MOVO     X6, X7;     \
	POR      X0, X7;     \
	PSUBB    X1, X7;     \
	MOVO     X7, X8;     \
	PMINUB   X2, X8;     \
	PCMPEQB  X7, X8;     \
	MOVO     X6, X9;     \
	PSUBB    X3, X9;     \
	MOVO     X9, X10;    \
	PMINUB   X4, X10;    \
	PCMPEQB  X9, X10;    \
	POR      X8, X10;    \
	PCMPEQB  X5, X6;     \
	PMOVMSKB X10, R11;   \
	PMOVMSKB X8, R12;    \
	PMOVMSKB X6, R13;    \
	SHLQ     $at, R11;   \
	SHLQ     $at, R12;   \
	SHLQ     $at, R13;   \
	ORQ      R11, R8;    \
	ORQ      R12, R9;    \
	ORQ      R13, R10

// func scanLetters(p *padded, n int)
//
// DI p, CX n, BX the chunk, SI its text. Only what every amd64 has is used.
TEXT ·scanLetters(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), DI
	MOVQ n+8(FP), CX
	LEAQ padded_text(DI), SI
	XORL BX, BX
	BYTES(0x2020202020202020, X0)
	BYTES(0x6161616161616161, X1)
	BYTES(0x1919191919191919, X2)
	BYTES(0x3030303030303030, X3)
	BYTES(0x0909090909090909, X4)
	BYTES(0x5c5c5c5c5c5c5c5c, X5)
	JMP  next

chunk:
	XORL R8, R8
	XORL R9, R9
	XORL R10, R10
	SIXTEEN(0)
	SIXTEEN(16)
	SIXTEEN(32)
	SIXTEEN(48)
	MOVQ R8, padded_in(DI)(BX*8)
	MOVQ R9, padded_letters(DI)(BX*8)
	MOVQ R10, padded_slashes(DI)(BX*8)
	ADDQ $64, SI
	INCQ BX

next:
	CMPQ BX, CX
	JLT  chunk
	RET

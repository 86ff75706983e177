#include "go_asm.h"
#include "textflag.h"

// STORE stores the offset of the lowest bit of R10 and takes the bit out; R9
// counts it if it was there. NEGL sets the carry for that.
#define STORE(place) \
	BSFL R10, R12;               \
	ADDL AX, R12;                \
	MOVL R12, place(DI)(R8*4);   \
	MOVL R10, R13;               \
	NEGL R13;                    \
	ADCQ $0, R9;                 \
	ANDL R10, R13;               \
	XORL R13, R10

// func scanLine(text []byte, at *quotePlaces) (end, quotes int)
//
// SI text, CX its length, AX offset of 32 bytes, DI at, R8 quotes,
// X0 sixteen quotes, X1 sixteen line ends,
// R10 and R11 one bit for each of the 32 bytes that is a quote or a line end.
TEXT ·scanLine(SB), NOSPLIT, $0-48
	MOVQ text_base+0(FP), SI
	MOVQ text_len+8(FP), CX
	MOVQ at+24(FP), DI
	XORQ AX, AX
	XORQ R8, R8
	MOVQ $0x2222222222222222, R9
	MOVQ R9, X0
	PUNPCKLQDQ X0, X0
	MOVQ $0x0a0a0a0a0a0a0a0a, R9
	MOVQ R9, X1
	PUNPCKLQDQ X1, X1

block:
	CMPQ AX, CX
	JGE  none
	MOVOU (SI)(AX*1), X2
	MOVOU 16(SI)(AX*1), X4
	MOVO X2, X3
	MOVO X4, X5
	PCMPEQB X0, X2
	PCMPEQB X0, X4
	PCMPEQB X1, X3
	PCMPEQB X1, X5
	PMOVMSKB X2, R10
	PMOVMSKB X4, R12
	SHLL $16, R12
	ORL  R12, R10
	PMOVMSKB X3, R11
	PMOVMSKB X5, R12
	SHLL $16, R12
	ORL  R12, R11

	// Bits behind the text do not count.
	LEAQ 32(AX), R13
	CMPQ R13, CX
	JLE  inside
	MOVQ CX, R14
	SUBQ AX, CX
	MOVL $1, R13
	SHLL CX, R13
	DECL R13
	ANDL R13, R10
	ANDL R13, R11
	MOVQ R14, CX

inside:
	TESTL R11, R11
	JZ    quotes

	// The line ends here: quotes behind its end do not count.
	BSFL R11, R12
	LEAQ (AX)(R12*1), CX
	MOVL R11, R13
	NEGL R13
	ANDL R11, R13
	DECL R13
	ANDL R13, R10

	// Four offsets are stored whether so many quotes are there or not, which
	// costs less than a branch for each.
quotes:
	CMPQ R8, $const_maxQuotes
	JGE  next
	MOVQ R8, R9

	STORE(0)
	STORE(4)
	STORE(8)
	STORE(12)
	MOVQ  R9, R8
	TESTL R10, R10
	JNZ   quotes

next:
	ADDQ $32, AX
	JMP  block

none:
	MOVQ $const_maxQuotes, R9
	CMPQ R8, R9
	CMOVQGT R9, R8
	MOVQ CX, end+32(FP)
	MOVQ R8, quotes+40(FP)
	RET

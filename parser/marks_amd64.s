#include "go_asm.h"
#include "textflag.h"

// MASK sets a bit of to for each byte of Y3 and Y4 that is the one in want.
#define MASK(want, to) \
	VPCMPEQB  Y3, want, Y5; \
	VPCMPEQB  Y4, want, Y6; \
	VPMOVMSKB Y5, to;       \
	VPMOVMSKB Y6, R11;      \
	SHLQ      $32, R11;     \
	ORQ       R11, to

// PLACE stores the place of the lowest bit of R10 and takes the bit out.
#define PLACE(k) \
	TZCNTQ R10, R11;         \
	ADDL   AX, R11;          \
	MOVW   R11, (2*k)(R8);   \
	BLSRQ  R10, R10

// func scanMarksAVX2(text []byte, m *marks)
//
// SI text, CX its length, AX offset of 64 bytes, DI m,
// R8 place of the next quote, R9 of the next line end,
// Y0 quotes, Y1 line ends; R10 and R12 the same as one bit a byte.
TEXT ·scanMarksAVX2(SB), NOSPLIT, $0-32
	MOVQ text_base+0(FP), SI
	MOVQ text_len+8(FP), CX
	MOVQ m+24(FP), DI
	LEAQ marks_quotes(DI), R8
	LEAQ marks_ends(DI), R9
	XORL AX, AX
	MOVL $0x22, R10
	VMOVD R10, X0
	VPBROADCASTB X0, Y0
	MOVL $0x0a, R10
	VMOVD R10, X1
	VPBROADCASTB X1, Y1
	TESTQ CX, CX
	JE   done

block:
	VMOVDQU (SI)(AX*1), Y3
	VMOVDQU 32(SI)(AX*1), Y4
	MASK(Y0, R10)
	MASK(Y1, R12)
	LEAQ 64(AX), R11
	CMPQ R11, CX
	JGT  last

inside:
	POPCNTQ R10, R13
	TESTQ R12, R12
	JNE  ends

	// Four places are stored whether so many quotes are there or not, which
	// costs less than a branch for each.
quotes:
	LEAQ (R8)(R13*2), R13
	PLACE(0)
	PLACE(1)
	PLACE(2)
	PLACE(3)
	TESTQ R10, R10
	JNE  more

next:
	MOVQ R13, R8
	ADDQ $64, AX
	CMPQ AX, CX
	JLT  block

done:
	VZEROUPPER
	LEAQ marks_quotes(DI), R10
	SUBQ R10, R8
	SHRQ $1, R8
	MOVQ R8, marks_total(DI)
	LEAQ marks_ends(DI), R10
	SUBQ R10, R9
	SHRQ $2, R9
	MOVQ R9, marks_lines(DI)
	RET

more:
	ADDQ $8, R8
	PLACE(0)
	PLACE(1)
	PLACE(2)
	PLACE(3)
	TESTQ R10, R10
	JNE  more
	JMP  next

	// Each line end notes how many quotes stand in front of it.
ends:
	BLSMSKQ R12, R11
	ANDQ    R10, R11
	POPCNTQ R11, R11
	LEAQ    (R8)(R11*2), R11
	LEAQ    marks_quotes(DI), DX
	SUBQ    DX, R11
	SHRQ    $1, R11
	TZCNTQ  R12, DX
	ADDL    AX, DX
	MOVW    DX, (R9)
	MOVW    R11, 2(R9)
	ADDQ    $4, R9
	BLSRQ   R12, R12
	JNE     ends
	JMP     quotes

	// Bits behind the text do not count.
last:
	MOVQ  CX, R11
	SUBQ  AX, R11
	BZHIQ R11, R10, R10
	BZHIQ R11, R12, R12
	JMP   inside

// func hasAVX2() bool
//
// Source of the bits: Intel 64 and IA-32 Architectures Software Developer's
// Manual, CPUID and XGETBV.
TEXT ·hasAVX2(SB), NOSPLIT, $0-1
	MOVB $0, ret+0(FP)
	XORL AX, AX
	XORL CX, CX
	CPUID
	CMPL AX, $7
	JLT  no
	MOVL $1, AX
	XORL CX, CX
	CPUID
	ANDL $(1<<23 | 1<<27 | 1<<28), CX // POPCNT, OSXSAVE, AVX
	CMPL CX, $(1<<23 | 1<<27 | 1<<28)
	JNE  no
	XORL CX, CX
	XGETBV
	ANDL $6, AX // XMM and YMM state
	CMPL AX, $6
	JNE  no
	MOVL $7, AX
	XORL CX, CX
	CPUID
	ANDL $(1<<3 | 1<<5 | 1<<8), BX // BMI1, AVX2, BMI2
	CMPL BX, $(1<<3 | 1<<5 | 1<<8)
	JNE  no
	MOVB $1, ret+0(FP)

no:
	RET

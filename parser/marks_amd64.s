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
	MOVW   R11, (marks_quotes+2*k)(DI)(R8*2); \
	BLSRQ  R10, R10

// LINEEND notes the lowest line end of R12, and how many quotes stand in front of
// it, whether there is one or not: where lines end can not be guessed. The line
// end is taken out.
#define LINEEND \
	BLSMSKQ R12, R11;                 \
	ANDQ    R10, R11;                 \
	POPCNTQ R11, R11;                 \
	ADDQ    R8, R11;                  \
	TZCNTQ  R12, DX;                  \
	ADDL    AX, DX;                   \
	MOVW    DX, marks_ends(DI)(R9*4); \
	MOVW    R11, (marks_ends+2)(DI)(R9*4); \
	CMPQ    R12, $1;                  \
	SBBQ    $-1, R9;                  \
	BLSRQ   R12, R12

// func scanMarksAVX2(text []byte, m *marks, other byte)
//
// SI text, CX its length, AX offset of 64 bytes, DI m, BX a bit's byte,
// R8 quotes so far, R9 line ends, R15 other bytes,
// Y0 quotes, Y1 line ends, Y2 other; R10, R12 and DX the same as one bit a byte.
TEXT ·scanMarksAVX2(SB), NOSPLIT, $0-33
	MOVQ text_base+0(FP), SI
	MOVQ text_len+8(FP), CX
	MOVQ m+24(FP), DI
	XORL R8, R8
	XORL R9, R9
	XORL AX, AX
	XORL R15, R15
	MOVL $0x22, R10
	VMOVD R10, X0
	VPBROADCASTB X0, Y0
	MOVL $0x0a, R10
	VMOVD R10, X1
	VPBROADCASTB X1, Y1
	MOVBLZX other+32(FP), R10
	VMOVD R10, X2
	VPBROADCASTB X2, Y2
	TESTQ CX, CX
	JE   done

block:
	VMOVDQU (SI)(AX*1), Y3
	VMOVDQU 32(SI)(AX*1), Y4
	MOVQ AX, BX
	SHRQ $3, BX
	MASK(Y2, DX)
	MASK(Y0, R10)
	MASK(Y1, R12)
	MOVQ DX, (marks_words+word_bits)(DI)(BX*2)
	MOVQ R15, (marks_words+word_before)(DI)(BX*2)
	POPCNTQ DX, DX
	ADDQ DX, R15
	LEAQ 64(AX), R11
	CMPQ R11, CX
	JGT  last

inside:
	POPCNTQ R10, R13

lines:
	LINEEND
	JNE lines

	// Four places are stored whether so many quotes are there or not, which
	// costs less than a branch for each.
	ADDQ R8, R13
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
	MOVQ AX, BX
	SHRQ $3, BX
	MOVQ R15, (marks_words+word_before)(DI)(BX*2)
	MOVQ R8, marks_total(DI)
	MOVQ R9, marks_lines(DI)
	RET

	// A block of an object has about eight.
more:
	PLACE(4)
	PLACE(5)
	PLACE(6)
	PLACE(7)
	PLACE(8)
	PLACE(9)
	PLACE(10)
	PLACE(11)
	TESTQ R10, R10
	JE    next
	ADDQ  $8, R8
	JMP   more

	// Bits behind the text do not count.
last:
	MOVQ  CX, R11
	SUBQ  AX, R11
	BZHIQ R11, R10, R10
	BZHIQ R11, R12, R12
	JMP   inside

DATA ·byteNumbers+0(SB)/8, $0x0706050403020100
DATA ·byteNumbers+8(SB)/8, $0x0f0e0d0c0b0a0908
DATA ·byteNumbers+16(SB)/8, $0x1716151413121110
DATA ·byteNumbers+24(SB)/8, $0x1f1e1d1c1b1a1918
DATA ·byteNumbers+32(SB)/8, $0x2726252423222120
DATA ·byteNumbers+40(SB)/8, $0x2f2e2d2c2b2a2928
DATA ·byteNumbers+48(SB)/8, $0x3736353433323130
DATA ·byteNumbers+56(SB)/8, $0x3f3e3d3c3b3a3938
GLOBL ·byteNumbers(SB), RODATA|NOPTR, $64

// func scanMarksAVX512(text []byte, m *marks, other byte)
//
// Registers as in scanMarksAVX2; Z6 the numbers from 0 on as bytes, Z7 AX as
// words, Z8 64 as words, K1 R10, K2 R12. The bits of a block are compressed to
// places at once, sixteen of which are stored whether so many are there or not.
TEXT ·scanMarksAVX512(SB), NOSPLIT, $0-33
	MOVQ text_base+0(FP), SI
	MOVQ text_len+8(FP), CX
	MOVQ m+24(FP), DI
	XORL R8, R8
	XORL R9, R9
	XORL AX, AX
	XORL R15, R15
	MOVL $0x22, R10
	VPBROADCASTB R10, Z0
	MOVL $0x0a, R10
	VPBROADCASTB R10, Z1
	MOVBLZX other+32(FP), R10
	VPBROADCASTB R10, Z2
	VMOVDQU64 ·byteNumbers(SB), Z6
	VPXORQ Z7, Z7, Z7
	MOVL $64, R10
	VPBROADCASTW R10, Z8
	TESTQ CX, CX
	JE   done

block:
	VMOVDQU64 (SI)(AX*1), Z3
	MOVQ AX, BX
	SHRQ $3, BX
	VPCMPEQB Z3, Z2, K3
	VPCMPEQB Z3, Z0, K1
	VPCMPEQB Z3, Z1, K2
	KMOVQ K3, DX
	MOVQ DX, (marks_words+word_bits)(DI)(BX*2)
	MOVQ R15, (marks_words+word_before)(DI)(BX*2)
	POPCNTQ DX, DX
	ADDQ DX, R15
	KMOVQ K1, R10
	KMOVQ K2, R12
	LEAQ 64(AX), R11
	CMPQ R11, CX
	JGT  last

inside:
	POPCNTQ R10, R13
	VPCOMPRESSB.Z Z6, K1, Z4
	VPMOVZXBW X4, Y5
	VPADDW  Y7, Y5, Y5
	VMOVDQU Y5, marks_quotes(DI)(R8*2)
	CMPQ R13, $16
	JGT  more

lines:
	LINEEND
	JNE     lines

next:
	ADDQ R13, R8
	VPADDW Z8, Z7, Z7
	ADDQ $64, AX
	CMPQ AX, CX
	JLT  block

done:
	VZEROUPPER
	MOVQ AX, BX
	SHRQ $3, BX
	MOVQ R15, (marks_words+word_before)(DI)(BX*2)
	MOVQ R8, marks_total(DI)
	MOVQ R9, marks_lines(DI)
	RET

more:
	VPMOVZXBW Y4, Z5
	VPADDW  Z7, Z5, Z5
	VMOVDQU64 Z5, marks_quotes(DI)(R8*2)
	VEXTRACTI64X4 $1, Z4, Y4
	VPMOVZXBW Y4, Z5
	VPADDW  Z7, Z5, Z5
	VMOVDQU64 Z5, (marks_quotes+64)(DI)(R8*2)
	JMP lines

	// Bits behind the text do not count.
last:
	MOVQ  CX, R11
	SUBQ  AX, R11
	BZHIQ R11, R10, R10
	BZHIQ R11, R12, R12
	KMOVQ R10, K1
	JMP   inside

#include "go_asm.h"
#include "textflag.h"

// MASK sets a bit of to for each byte of two vectors that is the one in want.
#define MASK(low, high, want, to, spare) \
	VPCMPEQB  low, want, Y6;  \
	VPCMPEQB  high, want, Y7; \
	VPMOVMSKB Y6, to;         \
	VPMOVMSKB Y7, spare;      \
	SHLQ      $32, spare;     \
	ORQ       spare, to

// PLACE stores the place two bytes behind the lowest bit of R12, with the mark
// if R13 has the bit, and takes it out.
#define PLACE(k) \
	TZCNTQ R12, R11;        \
	BTQ    R11, R13;        \
	SBBL   DX, DX;          \
	ANDL   $0x8000, DX;     \
	LEAL   2(AX)(R11*1), R11; \
	ORL    DX, R11;         \
	MOVW   R11, (2*k)(R8);  \
	BLSRQ  R12, R12

// ENDS notes the lowest line end in R15, and takes it out: how many quotes and
// backslashes, of those in all, and how many values, of those whose keys end at
// the bits of R12, stand in front of it.
#define ENDS(all, sums) \
	BLSMSKQ R15, R11;           \
	ANDQ    all, R11;           \
	POPCNTQ R11, R11;           \
	ADDQ    BX, R11;            \
	MOVW    R11, (sums);        \
	ADDQ    $2, sums;           \
	BLSMSKQ R15, R11;           \
	ANDQ    R12, R11;           \
	POPCNTQ R11, R11;           \
	LEAQ    (R8)(R11*2), R11;   \
	SUBQ    DI, R11;            \
	SUBQ    $marks_quotes, R11; \
	SHRQ    $1, R11;            \
	MOVW    R11, 2(R9);         \
	TZCNTQ  R15, R11;           \
	ADDL    AX, R11;            \
	MOVW    R11, (R9);          \
	ADDQ    $4, R9;             \
	BLSRQ   R15, R15

// DONE stores the counts.
#define DONE \
	VZEROUPPER;               \
	SUBQ DI, R8;              \
	SUBQ $marks_quotes, R8;   \
	SHRQ $1, R8;              \
	MOVQ R8, marks_total(DI); \
	SUBQ DI, R9;              \
	SUBQ $marks_ends, R9;     \
	SHRQ $2, R9;              \
	MOVQ R9, marks_lines(DI); \
	MOVQ BX, marks_sum(DI)

// func scanValuesAVX2(text []byte, m *marks)
//
// SI text, AX offset of 64 bytes, DI m, R8 place of the next value, R9 of the
// next line end, CX of the next sum, BX the sum; Y0 quotes, Y1 line ends, Y2
// backslashes, Y3 colons; R12 ends of keys, R13 those in front of strings.
TEXT ·scanValuesAVX2(SB), NOSPLIT, $0-32
	MOVQ text_base+0(FP), SI
	MOVQ m+24(FP), DI
	LEAQ marks_quotes(DI), R8
	LEAQ marks_ends(DI), R9
	LEAQ (marks_sums+2)(DI), CX
	XORL AX, AX
	XORL BX, BX
	MOVL $0x22, R10
	VMOVD R10, X0
	VPBROADCASTB X0, Y0
	MOVL $0x0a, R10
	VMOVD R10, X1
	VPBROADCASTB X1, Y1
	MOVL $0x5c, R10
	VMOVD R10, X2
	VPBROADCASTB X2, Y2
	MOVL $0x3a, R10
	VMOVD R10, X3
	VPBROADCASTB X3, Y3
	CMPQ AX, text_len+8(FP)
	JGE  done

block:
	VMOVDQU (SI)(AX*1), Y4
	VMOVDQU 32(SI)(AX*1), Y5
	MASK(Y4, Y5, Y0, R10, R11)
	MASK(Y4, Y5, Y1, R15, R11)
	MASK(Y4, Y5, Y2, DX, R11)
	LEAQ 64(AX), R11
	CMPQ R11, text_len+8(FP)
	JGT  last
	MASK(1(SI)(AX*1), 33(SI)(AX*1), Y3, R12, R11)
	MASK(2(SI)(AX*1), 34(SI)(AX*1), Y0, R13, R11)

inside:
	ANDQ R10, R12
	ORQ  R10, DX
	TESTQ R15, R15
	JNE  ends

counted:
	POPCNTQ DX, DX
	ADDQ DX, BX
	POPCNTQ R12, R15
	LEAQ (R8)(R15*2), R15

	// Four places are stored whether so many values are there or not.
more:
	PLACE(0)
	PLACE(1)
	PLACE(2)
	PLACE(3)
	ADDQ  $8, R8
	TESTQ R12, R12
	JNE   more
	MOVQ R15, R8
	ADDQ $64, AX
	CMPQ AX, text_len+8(FP)
	JLT  block

done:
	DONE
	RET

ends:
	ENDS(DX, CX)
	JNE ends
	JMP counted

	// Bits behind the text do not count.
last:
	MASK(Y4, Y5, Y3, R12, R11)
	SHRQ  $1, R12
	MOVQ  R10, R13
	SHRQ  $2, R13
	MOVQ  text_len+8(FP), R11
	SUBQ  AX, R11
	BZHIQ R11, R10, R10
	BZHIQ R11, DX, DX
	BZHIQ R11, R15, R15
	JMP   inside

// func scanValuesAVX512(text []byte, m *marks)
//
// Registers as in scanValuesAVX2, but CX the length, DX the next sum, R13 the
// last offset at which 64 bytes begin; Z6 the numbers from 0 on as bytes, Z9 the
// same with the high bit, Z7 the place behind AX as words, Z8 64 as words, Z10
// what is left of a byte that was extended to a word; K1 quotes, K2 ends of
// keys, K3 backslashes, K4 line ends, K5 ends of keys in front of strings.
TEXT ·scanValuesAVX512(SB), NOSPLIT, $0-32
	MOVQ text_base+0(FP), SI
	MOVQ text_len+8(FP), CX
	MOVQ m+24(FP), DI
	LEAQ marks_quotes(DI), R8
	LEAQ marks_ends(DI), R9
	LEAQ (marks_sums+2)(DI), DX
	XORL AX, AX
	XORL BX, BX
	MOVL $0x22, R10
	VPBROADCASTB R10, Z0
	MOVL $0x0a, R10
	VPBROADCASTB R10, Z1
	MOVL $0x5c, R10
	VPBROADCASTB R10, Z2
	MOVL $0x3a, R10
	VPBROADCASTB R10, Z3
	VMOVDQU64 ·byteNumbers(SB), Z6
	MOVL $0x80, R10
	VPBROADCASTB R10, Z9
	VPORQ Z6, Z9, Z9
	MOVL $2, R10
	VPBROADCASTW R10, Z7
	MOVL $64, R10
	VPBROADCASTW R10, Z8
	MOVL $0x803f, R10
	VPBROADCASTW R10, Z10
	LEAQ -64(CX), R13
	CMPQ AX, R13
	JGT  last

block:
	VMOVDQU64 (SI)(AX*1), Z4

	// What stands behind the text is read only behind a quote in it.
compare:
	VPCMPEQB Z4, Z0, K1
	VPCMPEQB Z4, Z2, K3
	VPCMPEQB Z4, Z1, K4
	VPCMPEQB 1(SI)(AX*1), Z3, K1, K2
	VPCMPEQB 2(SI)(AX*1), Z0, K2, K5
	KMOVQ K1, R10
	KMOVQ K2, R12
	KORTESTQ K3, K4
	JNE  rare

next:
	VPBLENDMB Z9, Z6, K5, Z5
	VPCOMPRESSB.Z Z5, K2, Z5
	VPMOVSXBW X5, Y11
	VPANDQ  Y10, Y11, Y11
	VPADDW  Y7, Y11, Y11
	VMOVDQU Y11, (R8)
	POPCNTQ R12, R11
	CMPQ R11, $16
	JGT  more

stored:
	LEAQ (R8)(R11*2), R8
	POPCNTQ R10, R10
	ADDQ R10, BX
	VPADDW Z8, Z7, Z7
	ADDQ $64, AX
	CMPQ AX, R13
	JLE  block

last:
	MOVQ CX, R11
	SUBQ AX, R11
	JLE  done
	MOVQ $-1, R12
	BZHIQ R11, R12, R12
	KMOVQ R12, K7
	VMOVDQU8.Z (SI)(AX*1), K7, Z4
	JMP  compare

done:
	DONE
	RET

	// There are no more than 32.
more:
	VPMOVSXBW Y5, Z11
	VPANDQ  Z10, Z11, Z11
	VPADDW  Z7, Z11, Z11
	VMOVDQU64 Z11, (R8)
	JMP stored

rare:
	KMOVQ K3, R11
	ORQ   R11, R10
	KMOVQ K4, R15
	TESTQ R15, R15
	JE    next

ends:
	ENDS(R10, DX)
	JNE ends
	JMP next

// WINDOW compares the window of which the last entries are at an offset, and
// adds what differs to R8 and AX.
#define WINDOW(last, text, care) \
	MOVWLZX   (outline_lasts+last)(SI)(CX*2), R14;     \
	VMOVDQU   (DX)(R14*1), Y0;                         \
	VPCMPEQB  text(R9), Y0, Y0;                        \
	VPMOVMSKB Y0, R14;                                 \
	ANDNL     (windows_cares+care)(DI)(CX*4), R14, R14; \
	ORL       R14, R8;                                 \
	LEAQ      (R14)(AX*2), AX

// func matchWindowsAVX2(w *windows, o *outline)
//
// DI w, SI o, DX text, BX places, CX counts down, R9 the window, R10 the last
// byte of the value before the next window.
TEXT ·matchWindowsAVX2(SB), NOSPLIT, $0-16
	MOVQ w+0(FP), DI
	MOVQ o+8(FP), SI
	MOVQ outline_text(SI), DX
	MOVQ outline_places(SI), BX
	MOVQ windows_count(DI), CX
	MOVQ outline_last(SI), R10
	MOVW R10, outline_lasts(SI)(CX*2)
	XORL R11, R11
	XORL R12, R12

place:
	MOVWLZX -2(BX)(CX*2), R14
	BTL  $15, R14
	ADCQ R11, R11
	ANDL $0x7fff, R14
	CMPQ R14, R10
	CMC
	ADCQ R12, R12
	MOVWLZX (windows_heads-2)(DI)(CX*2), R10
	SUBQ R10, R14
	CMPQ R14, outline_base(SI)
	CMOVQLT outline_base(SI), R14
	MOVQ R14, R10
	MOVW R14, (outline_lasts-2)(SI)(CX*2)
	DECQ CX
	JNE  place
	JMP  matchPlaces<>(SB)

// PLACES works out 32 windows from an offset on: where they begin, which values
// are strings, and which are no longer than a byte.
#define PLACES(at, strings, shorts) \
	VMOVDQU64 (at)(BX), Z0;                     \
	VMOVDQU64 (at+2)(BX), Z3;                   \
	VPMOVW2M  Z0, K1;                           \
	VPANDQ    Z9, Z0, Z1;                       \
	VPANDQ    Z9, Z3, Z3;                       \
	VPSUBW    (windows_heads+at)(DI), Z1, Z2;   \
	VPSUBW    (windows_heads+at+2)(DI), Z3, Z3; \
	VPMAXSW   Z8, Z2, Z2;                       \
	VPMAXSW   Z8, Z3, Z3;                       \
	VMOVDQU64 Z2, (outline_lasts+at)(SI);       \
	VPCMPW    $2, Z1, Z3, K2;                   \
	KMOVD     K1, strings;                      \
	KMOVD     K2, shorts

// func matchWindowsAVX512(w *windows, o *outline)
//
// Registers as in matchWindowsAVX2. Of the last value it is not said whether it
// is short.
TEXT ·matchWindowsAVX512(SB), NOSPLIT, $0-16
	MOVQ w+0(FP), DI
	MOVQ o+8(FP), SI
	MOVQ outline_text(SI), DX
	MOVQ outline_places(SI), BX
	MOVQ windows_count(DI), CX
	MOVQ outline_base(SI), R8
	VPBROADCASTW R8, Z8
	MOVL $0x7fff, R9
	VPBROADCASTW R9, Z9
	PLACES(0, R11, R12)
	CMPQ CX, $32
	JGT  rest

placed:
	MOVQ outline_last(SI), R10
	MOVW R10, outline_lasts(SI)(CX*2)
	JMP  matchPlaces<>(SB)

rest:
	PLACES(64, R10, R13)
	SHLQ $32, R10
	ORQ  R10, R11
	SHLQ $32, R13
	ORQ  R13, R12
	JMP  placed

// matchPlaces is the second half of both, in their frame: R11 has the strings,
// R12 the short values.
TEXT matchPlaces<>(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ windows_count(DI), CX
	MOVQ outline_last(SI), R10
	XORL AX, AX
	CMPB (DX)(R10*1), $0x22
	SETNE AX
	MOVQ $-1, R13
	BZHIQ CX, R13, R13
	ANDQ R13, R11
	ANDNQ R13, R11, R13 // values that are no strings
	MOVQ R11, outline_strings(SI)
	MOVQ R12, outline_shorts(SI)
	XORL R8, R8
	MOVQ CX, R9
	SHLQ $5, R9
	ADDQ windows_texts(DI), R9
	TESTQ $1, CX
	JE   even
	WINDOW(-2, -32, -4)
	SUBQ $32, R9
	DECQ CX
	JE   compared

even:
	WINDOW(-2, -32, -4)
	WINDOW(-4, -64, -8)
	SUBQ $64, R9
	SUBQ $2, CX
	JNE  even

compared:
	VZEROUPPER
	MOVQ AX, outline_opens(SI)
	MOVQ R8, outline_differ(SI)
	XORL AX, AX
	MOVQ windows_numbers(DI), R8
	ANDNQ R13, R8, R9 // values that must be null
	MOVQ R9, outline_nulls(SI)
	ANDQ R13, R8
	JE   nulls
	MOVQ $0x3030303030303030, R10
	MOVQ $0x7f7f7f7f7f7f7f7f, R11
	MOVQ $0x7676767676767676, R12

	// The high bit of each of the first eight bytes that is no digit.
numbers:
	TZCNTQ R8, CX
	MOVWLZX (BX)(CX*2), R14
	MOVWLZX (outline_lasts+2)(SI)(CX*2), CX
	SUBQ R14, CX
	MOVQ (DX)(R14*1), R14
	XORQ R10, R14
	MOVQ R14, R13
	ANDQ R11, R13
	ADDQ R12, R13
	ORQ  R14, R13
	ANDNQ R13, R11, R13
	LEAQ 8(CX*8), R14
	BZHIQ R14, R13, R13
	ORQ  R13, AX
	CMPQ CX, $7
	JHI  other
	BLSRQ R8, R8
	JNE  numbers

nulls:
	TESTQ R9, R9
	JE   done

null:
	TZCNTQ R9, CX
	MOVWLZX (BX)(CX*2), R14
	MOVWLZX (outline_lasts+2)(SI)(CX*2), CX
	SUBQ R14, CX
	XORQ $3, CX
	ORQ  CX, AX
	MOVL (DX)(R14*1), R14
	XORL $0x6c6c756e, R14
	ORQ  R14, AX
	BLSRQ R9, R9
	JNE  null

done:
	MOVQ AX, outline_odd(SI)
	RET

	// None, or more than eight bytes.
other:
	MOVQ $1, AX
	JMP  done

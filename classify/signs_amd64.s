#include "go_asm.h"
#include "textflag.h"

// The bit of lower case; a letter and a digit, and how far the last is from the
// first; a backslash.
DATA ·ranges+0(SB)/8, $0x2020202020202020
DATA ·ranges+8(SB)/8, $0x6161616161616161
DATA ·ranges+16(SB)/8, $0x1919191919191919
DATA ·ranges+24(SB)/8, $0x3030303030303030
DATA ·ranges+32(SB)/8, $0x0909090909090909
DATA ·ranges+40(SB)/8, $0x5c5c5c5c5c5c5c5c
GLOBL ·ranges(SB), RODATA|NOPTR, $48

// HALF says in in, found and slashes which of the 32 bytes of Y6 are letters or
// digits, letters, and backslashes. A byte is in a range when it is not beyond
// the end, counted from the begin.
#define HALF(in, found, slashes) \
	VPOR      Y0, Y6, Y7;   \
	VPSUBB    Y1, Y7, Y7;   \
	VPMINUB   Y2, Y7, Y8;   \
	VPCMPEQB  Y7, Y8, Y8;   \
	VPSUBB    Y3, Y6, Y9;   \
	VPMINUB   Y4, Y9, Y10;  \
	VPCMPEQB  Y9, Y10, Y10; \
	VPOR      Y8, Y10, Y10; \
	VPCMPEQB  Y5, Y6, Y6;   \
	VPMOVMSKB Y10, in;      \
	VPMOVMSKB Y8, found;    \
	VPMOVMSKB Y6, slashes

// func scanSigns(text []byte, s *signSet) bool
//
// A window of 64 bytes is looked at for the words that begin in its first 48,
// then the next one. The last one is loaded beyond the end of the text, or
// copied when it might reach into another page.
//
// SI the window, CX bytes from there on, DI s, R8 whether the byte in front is
// in a word, R9 bits of the first bytes that are two behind a backslash, R10
// lower case, R11 wordMix; AX the window's letters and digits, BX its letters,
// DX its backslashes, R12 where words begin.
TEXT ·scanSigns(SB), NOSPLIT, $128-33
	MOVQ text_base+0(FP), SI
	MOVQ text_len+8(FP), CX
	MOVQ s+24(FP), DI
	MOVB $0, ret+32(FP)
	TESTQ CX, CX
	JE   none
	VPBROADCASTQ ·ranges+0(SB), Y0
	VPBROADCASTQ ·ranges+8(SB), Y1
	VPBROADCASTQ ·ranges+16(SB), Y2
	VPBROADCASTQ ·ranges+24(SB), Y3
	VPBROADCASTQ ·ranges+32(SB), Y4
	VPBROADCASTQ ·ranges+40(SB), Y5
	MOVQ ·ranges+0(SB), R10
	MOVQ $const_wordMix, R11
	XORL R8, R8
	XORL R9, R9

window:
	CMPQ CX, $64
	JGE  load
	MOVQ SI, AX
	ANDL $4095, AX
	CMPL AX, $(4096-64)
	JGT  copy

load:
	VMOVDQU (SI), Y6
	HALF(AX, BX, DX)
	VMOVDQU 32(SI), Y6
	HALF(R12, R13, R15)
	SHLQ $32, R12
	SHLQ $32, R13
	SHLQ $32, R15
	ORQ  R12, AX
	ORQ  R13, BX
	ORQ  R15, DX
	CMPQ CX, $64
	JGE  whole
	BZHIQ CX, AX, AX
	BZHIQ CX, BX, BX
	BZHIQ CX, DX, DX

	// A word begins behind a byte that is in none, or two behind a backslash.
	// It is a letter with two more letters or digits, or one of all.
whole:
	LEAQ (AX)(AX*1), R12
	ORQ  R8, R12
	NOTQ R12
	LEAQ (R9)(DX*4), R13
	ORQ  R13, R12
	MOVQ AX, R13
	SHRQ $1, R13
	ANDQ R13, BX
	SHRQ $1, R13
	ANDQ R13, BX
	MOVQ signSet_all(DI), R13
	ANDQ AX, R13
	ORQ  R13, BX
	ANDQ BX, R12
	SHLQ $const_longSign, R12
	SHRQ $const_longSign, R12
	MOVQ AX, R8
	SHRQ $(63-const_longSign), R8
	ANDL $1, R8
	SHRQ $(62-const_longSign), DX
	ANDL $3, DX
	MOVL DX, R9
	NOTQ AX
	TESTQ R12, R12
	JE   next

	// signAt: BZHIQ leaves a word alone that has eight letters or more.
word:
	TZCNTQ R12, BX
	BLSRQ  R12, R12
	SHRXQ  BX, AX, DX
	ORQ    $(1<<const_longSign), DX
	TZCNTQ DX, DX
	MOVQ   (SI)(BX*1), R13
	ORQ    R10, R13
	LEAQ   (DX*8), BX
	BZHIQ  BX, R13, R13
	ADDQ   DX, R13
	IMULQ  R11, R13
	SHRQ   $(64-const_signBits), R13
	MOVQ   R13, DX
	SHRQ   $6, R13
	MOVQ   signSet_sieve(DI)(R13*8), R13
	BTQ    DX, R13
	JCS    found
	TESTQ  R12, R12
	JNE    word

next:
	ADDQ $(64-const_longSign), SI
	SUBQ $(64-const_longSign), CX
	JGT  window
	VZEROUPPER

none:
	RET

found:
	VZEROUPPER
	MOVB $1, ret+32(FP)
	RET

copy:
	LEAQ room-128(SP), DX
	XORL AX, AX

byte:
	MOVBLZX (SI)(AX*1), BX
	MOVB BX, (DX)(AX*1)
	INCQ AX
	CMPQ AX, CX
	JLT  byte
	MOVQ DX, SI
	JMP  load

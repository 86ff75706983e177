package parser

import (
	"testing"
	"unsafe"
)

// valueScanners are those that this machine can run.
func valueScanners() map[string]func([]byte, *marks) {
	all := map[string]func([]byte, *marks){"plain": scanValuesGo}
	if width > 0 {
		all["AVX2"] = scanValuesAVX2
	}
	if width > 1 {
		all["AVX-512"] = scanValuesAVX512
	}
	return all
}

// matchers are those that this machine can run.
func matchers() map[string]func(*windows, *outline) {
	all := map[string]func(*windows, *outline){}
	if width > 0 {
		all["AVX2"] = matchWindowsAVX2
	}
	if width > 1 {
		all["AVX-512"] = matchWindowsAVX512
	}
	return all
}

// What assembly writes of an outline in one go, and reads soon, lies in one line
// of the cache: a parser is large, so it begins a page.
func TestOutlineAlignment(t *testing.T) {
	var p Parser
	if at := unsafe.Offsetof(p.outline) + unsafe.Offsetof(p.outline.lasts); at%64 != 0 {
		t.Errorf("the lasts are at %d of a parser", at)
	}
}

package parser

// A look is at values whose type tells whether a line is a record of the
// format.
type look struct {
	lo, hi peg
	of     *column
	kind   lookKind
	check  check
	dash   bool  // a dash says that there is no value
	column uint8 // the first one
	count  uint8 // of numbers
}

type lookKind uint8

const (
	lookValue lookKind = iota
	lookTime           // as Envoy writes it
	lookClock          // in a layout that was given
	lookCode
	lookFlags
	lookDetails // for Record.Plain
	lookNumbers
)

// The values that columns usually have; 0 stands for a digit.
const (
	usualTime = "0000-00-00T00:00:00.000Z"
	usualCode = "000"
	noValue   = "-"
	usualWhy  = "via_upstream"
)

// look looks at s[lo:hi], and says whether it is a value, or numbers.
func (p *Parser) look(o *look, s []byte, lo, hi int, found *outcome) bool {
	switch o.kind {
	case lookTime:
		found.start = span{uint32(lo), uint32(hi)}
		return hi == lo+24 && isEnvoyTime(s, lo) || o.of.passes(o.check, s, lo, hi)
	case lookClock:
		found.start = span{uint32(lo), uint32(hi)}
		return p.ticker.fits(o.of, s, lo, hi)
	case lookCode:
		w := load32(s, lo)
		if d := w ^ 0x303030; hi == lo+3 && (d|(d+0x060606))&0xf0f0f0 == 0 {
			found.code = threeDigits(w)
			return true
		}
		found.code = 0
		return hi == lo+1 && byte(w) == '0'
	case lookFlags:
		found.list = span{uint32(lo), uint32(hi)}
		if hi == lo+1 && s[lo] == '-' {
			return true
		}
		found.flags = decodeFlags(s[lo:hi])
		return fits(TypeFlags, s[lo:hi])
	case lookDetails:
		const tream = 'r' | 'e'<<8 | 'a'<<16 | 'm'<<24
		found.plain = hi == lo+len(usualWhy) && load64(s, lo) == via && load32(s, lo+8) == tream
		return true
	case lookNumbers:
		return numbersIn(s, lo, hi, int(o.count)) || p.numbers(o, s)
	}
	return o.dash && hi == lo+1 && s[lo] == '-' || o.of.passes(o.check, s, lo, hi)
}

// threeDigits is the number that the first three bytes of w are the digits of.
func threeDigits(w uint32) int32 { return int32(w&15*100 + w>>8&15*10 + w>>16&15) }

// numbers looks at numbers one by one.
func (p *Parser) numbers(o *look, s []byte) bool {
	for i := range int(o.count) {
		at := p.rec.cell(int(o.column) + i)
		if !p.rec.planned.columns[int(o.column)+i].passes(checkNumber, s, int(at.lo), int(at.hi)) {
			return false
		}
	}
	return true
}

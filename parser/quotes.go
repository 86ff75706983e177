package parser

import "bytes"

// maxQuotes is one more than the quotes of any text layout: more need not be
// told apart.
const maxQuotes = 17

// A quotePlaces holds the offsets of a line's first quotes; behind them stands
// anything.
type quotePlaces [maxQuotes + 3]uint32

// scanLineGo is scanLine without assembly: its twin, and what it is where
// there is none.
func scanLineGo(text []byte, at *quotePlaces) (end, quotes int) {
	end = len(text)
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		end = i
	}
	for i := 0; quotes < maxQuotes; quotes++ {
		j := bytes.IndexByte(text[i:end], '"')
		if j < 0 {
			break
		}
		at[quotes] = uint32(i + j)
		i += j + 1
	}
	return end, quotes
}

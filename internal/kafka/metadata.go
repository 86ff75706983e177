package kafka

import (
	"strconv"
	"strings"
)

// maxHandovers is how many owners back a commit can be found; a broker takes
// 4096 bytes of metadata by default.
const maxHandovers = 16

// A metadata is what stands beside an offset that flagwatch committed: the
// token of the commit, and those that former owners made last. A process that
// died between its commit and the answer finds out from it what became of the
// commit, although others went on since.
type metadata struct {
	token   string
	handed  []handover // oldest first
	foreign bool       // written by something else
}

// A handover is the commit that an owner found when it took a partition over.
type handover struct {
	offset int64
	token  string
}

const metadataMark = "flagwatch1 "

// String is `flagwatch1 TOKEN OFFSET:TOKEN OFFSET:TOKEN...`.
func (m metadata) String() string {
	b := append([]byte(metadataMark), m.token...)
	for _, h := range m.handed {
		b = append(strconv.AppendInt(append(b, ' '), h.offset, 10), ':')
		b = append(b, h.token...)
	}
	return string(b)
}

func parseMetadata(s string) metadata {
	rest, ok := strings.CutPrefix(s, metadataMark)
	if !ok {
		return metadata{foreign: s != ""}
	}
	words := strings.Fields(rest)
	if len(words) == 0 {
		return metadata{foreign: true}
	}
	m := metadata{token: words[0]}
	for _, w := range words[1:] {
		text, token, _ := strings.Cut(w, ":")
		if offset, err := strconv.ParseInt(text, 10, 64); err == nil {
			m.handed = append(m.handed, handover{offset, token})
		}
	}
	return m
}

// takenOver returns the handovers that a new owner writes. A token of its own
// process needs none: that process knows what became of it.
func (c committed) takenOver(own string) []handover {
	list := append([]handover(nil), c.meta.handed...)
	if c.meta.token != "" && !strings.HasPrefix(c.meta.token, own) {
		list = append(list, handover{c.offset, c.meta.token})
	}
	return list[max(0, len(list)-maxHandovers):]
}

// has says whether the commit of an offset with a token was applied.
func (c committed) has(offset int64, token string) bool {
	if c.offset == offset && c.meta.token == token {
		return true
	}
	for _, h := range c.meta.handed {
		if h.offset == offset && h.token == token {
			return true
		}
	}
	return false
}

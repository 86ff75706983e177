package sinks

// A chain is a list that grows without being copied, so that it never takes
// twice its room.
type chain[T any] struct {
	parts []*[chainPart]T
	n     int
}

const chainPart = 64

// at is the value at a place; it stays where it is until reset.
func (c *chain[T]) at(i int) *T { return &c.parts[uint(i)/chainPart][uint(i)%chainPart] }

// add appends a value.
func (c *chain[T]) add(v T) {
	if c.n == len(c.parts)*chainPart {
		c.parts = append(c.parts, new([chainPart]T))
	}
	c.n++
	*c.at(c.n - 1) = v
}

// all walks the values.
func (c *chain[T]) all(yield func(*T) bool) {
	for i := range c.n {
		if !yield(c.at(i)) {
			return
		}
	}
}

// cut leaves the first n values, and keeps the room of the others.
func (c *chain[T]) cut(n int) { c.n = n }

package sinks

// partBy parts a list by ids, which are below n, and keeps its order.
func partBy[T any](list []T, n int, id func(*T) uint16) [][]T {
	sizes := make([]int, n)
	for i := range list {
		sizes[id(&list[i])]++
	}
	room, parts := make([]T, len(list)), make([][]T, n)
	for i, size := range sizes {
		parts[i], room = room[:0:size], room[size:]
	}
	for i := range list {
		p := &parts[id(&list[i])]
		*p = append(*p, list[i])
	}
	return parts
}

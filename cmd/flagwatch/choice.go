package main

import (
	"errors"
	"slices"
	"strings"
)

// A choice is a flag whose value is one of a list, which begins with the
// default.
type choice struct {
	value string
	list  []string
}

func newChoice(list ...string) *choice { return &choice{list[0], list} }

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.list, "|") }

func (c *choice) Set(value string) error {
	if !slices.Contains(c.list, value) {
		return errors.New("want one of " + strings.Join(c.list, ", "))
	}
	c.value = value
	return nil
}

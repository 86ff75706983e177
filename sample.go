// Package flagwatch holds what the program brings along.
package flagwatch

import _ "embed"

// Sample is the log of a made-up incident: a quarter of an hour in a shop.
//
//go:embed testdata/logs/sample.log
var Sample string

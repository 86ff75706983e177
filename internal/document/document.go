// Package document reads files of YAML that hold one document.
package document

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Read returns what stands in a file: nil where that is nothing. A second
// document is returned as well, so that whoever asked can name its line; one
// with nothing in it, such as behind a last ---, is none. An error begins with
// the name of the file.
func Read(name string, data []byte) (root, second *yaml.Node, err error) {
	in := yaml.NewDecoder(bytes.NewReader(data))
	if root, err = next(in); err == nil && root.Tag == "!!null" && root.Value == "" {
		root = nil // what stands behind a first ---, or only comments
	}
	for err == nil && (second == nil || second.Tag == "!!null") {
		second, err = next(in)
	}
	if err == io.EOF {
		return root, nil, nil
	}
	if err != nil {
		return root, nil, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return root, second, nil
}

// next reads one document, and returns what is in it.
func next(in *yaml.Decoder) (*yaml.Node, error) {
	var doc yaml.Node
	if err := in.Decode(&doc); err != nil {
		return nil, err
	}
	return doc.Content[0], nil
}

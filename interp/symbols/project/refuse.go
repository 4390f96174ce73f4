package project

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gonterp/gonterp"
	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/spelling"
)

// inLayer is a path of something in a layer: the module it is in, and its last word.
var inLayer = regexp.MustCompile(`^((?:model\.)?layers\.-?\d+\.(?:.*\.)?)([^.]*)$`)

// Refuse says what is wrong with a path that no model of any family has a value at:
// one in a layer whose last word is neither in the vocabulary nor a module's input or
// output. It is for interp.Options.
func Refuse(function, path string) (why string) {
	if !strings.HasSuffix(function, "gonterp.Model).At") && !strings.HasSuffix(function, "gonterp.ActivationCache).At") {
		return ""
	}
	parts := inLayer.FindStringSubmatch(path)
	if parts == nil {
		return ""
	}
	words := []string{"input", "output"}
	for _, n := range point.All() {
		name := n.String()
		words = append(words, name[strings.LastIndexByte(name, '.')+1:])
	}
	module, word := parts[1], parts[2]
	if slices.Contains(words, word) {
		return ""
	}
	near := spelling.Nearest(word, slices.Values(words))
	if near != "" {
		near = module + near
	}
	return (&gonterp.UnknownValueError{Path: path, Nearest: near}).Error()
}

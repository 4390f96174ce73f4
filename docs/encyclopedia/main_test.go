package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

// TestPageIsFresh: the page says what the vocabulary and the families say.
func TestPageIsFresh(t *testing.T) {
	torchtest.Need(t)
	want, err := encyclopedia("../../tests/reference")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../encyclopedia.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/encyclopedia.md is stale: run go generate ./docs")
	}
}

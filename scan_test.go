package gonterp

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

func TestConfigAloneIsScanned(t *testing.T) {
	torchtest.Need(t)
	dir := t.TempDir()
	copyFile(t, "families/mini/config.json", filepath.Join(dir, "config.json"))
	m, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(m.Support().String(), "attention_scores") {
		t.Error("Support lists no attention_scores")
	}
	for m := range m.Scan([]int{1, 2, 3}) {
		if got := m.Layers[2].SelfAttn.AttentionScores.Value().Shape(); !slices.Equal(got, []int{1, 4, 3, 3}) {
			t.Errorf("scores have shape %v", got)
		}
		if err := caught(t, func() { m.Logits.Value().Sum().Item() }); !strings.Contains(err.Error(), "meta") {
			t.Errorf("a number asked of a scan: %v", err)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPullRunsTheClient(t *testing.T) {
	bin, cache := t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin+":/bin:/usr/bin")
	t.Setenv("HF_HUB_CACHE", cache)
	const commit = "0123456789abcdef0123456789abcdef01234567"
	client := `#!/bin/sh
[ "$*" = "download some-org/model" ] || exit 9
repo=$HF_HUB_CACHE/models--some-org--model
mkdir -p $repo/refs $repo/snapshots/` + commit + `
printf ` + commit + ` > $repo/refs/main
`
	if err := os.WriteFile(filepath.Join(bin, "hf"), []byte(client), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := pull([]string{"some-org/model"}); err != nil {
		t.Error(err)
	}
	if err := pull([]string{"some-org/other"}); err == nil || !strings.Contains(err.Error(), "hf download some-org/other: exit status 9") {
		t.Errorf("a client that fails: %v", err)
	}
}

func TestPullSaysWhatIsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if err := pull([]string{"some-org/model"}); err == nil || !strings.Contains(err.Error(), "pip install huggingface_hub") {
		t.Errorf("without the client: %v", err)
	}
	for _, args := range [][]string{nil, {"model"}, {"--help"}, {"a/b", "c/d"}} {
		if err := pull(args); err == nil || !strings.Contains(err.Error(), "gonterp pull deepseek-ai/DeepSeek-V2-Lite") {
			t.Errorf("pull %v: %v", args, err)
		}
	}
}

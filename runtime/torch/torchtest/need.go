// Package torchtest is what tests that need libtorch begin with.
package torchtest

import (
	"os"
	"testing"

	"github.com/gonterp/gonterp/runtime/torch"
)

// Need skips the test where libtorch cannot be opened, saying why. In CI that is a
// failure: a skipped test proves nothing.
func Need(t testing.TB) {
	t.Helper()
	if err := torch.Open(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

// Package torchtest is what tests that need libtorch begin with.
package torchtest

import (
	"os"
	"runtime"
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

// NeedThread is Need for a test that records or swaps arenas, which belong to an OS
// thread: the test keeps the one it is on.
func NeedThread(t testing.TB) {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	Need(t)
}

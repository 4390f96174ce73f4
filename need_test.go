package gonterp

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/gonterp/gonterp/runtime/torch"
)

// TestMain leaves the examples out where there is no libtorch: an example cannot skip
// itself as a test does. In CI they fail.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := torch.Open(); err != nil && os.Getenv("CI") != "true" && flag.Lookup("test.run").Value.String() == "" {
		fmt.Println("examples are left out:", err)
		flag.Set("test.run", "^Test|^Fuzz")
	}
	os.Exit(m.Run())
}

package yaegi

import (
	"bytes"
	"fmt"
	"go/token"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/gonterp/gonterp/interp/engine"
)

// traces collects the lines that yaegi writes while a panic unwinds.
type traces struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (t *traces) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.Write(p)
}

func (t *traces) take() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.buf.String()
	t.buf.Reset()
	return s
}

// stack makes frames of lines of the form "c3:4:5: panic: main.name__1(...)".
func (t *traces) stack() []engine.Frame {
	var out []engine.Frame
	for _, l := range strings.Split(t.take(), "\n") {
		at, fn, ok := strings.Cut(l, ": panic: ")
		p := position(at)
		if !ok || p.Line == 0 || !strings.HasPrefix(p.Filename, "c") {
			continue
		}
		fn = strings.TrimSuffix(path.Base(strings.TrimPrefix(fn, "main.")), "(...)")
		fn, _, _ = strings.Cut(fn, ".")
		fn, _, _ = strings.Cut(fn, "__")
		if fn == "cell" || fn == "main" {
			fn = ""
		}
		if i := slices.IndexFunc(out, func(f engine.Frame) bool { return f.Pos == p }); i < 0 {
			out = append(out, engine.Frame{Func: fn, Pos: p})
		}
	}
	return out
}

func position(s string) (p token.Position) {
	parts := strings.Split(s, ":")
	if len(parts) == 3 {
		p.Filename = parts[0]
		fmt.Sscan(parts[1], &p.Line)
		fmt.Sscan(parts[2], &p.Column)
	}
	return p
}

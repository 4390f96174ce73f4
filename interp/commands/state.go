package commands

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/gonterp/gonterp/interp"
)

// variables are the session's variables, which completion knows with their types.
func (s *Session) variables() []interp.CompletionItem {
	var out []interp.CompletionItem
	for _, it := range s.Sessions.Complete("", 0).Items {
		if it.Kind == "var" && strings.HasPrefix(it.Signature, "var ") {
			it.Signature = strings.TrimSpace(strings.TrimPrefix(it.Signature, "var "+it.Text))
			out = append(out, it)
		}
	}
	return out
}

func vars(c *call) error {
	var b strings.Builder
	for _, v := range c.session.variables() {
		fmt.Fprintf(&b, "%-16s %s\n", v.Text, v.Signature)
	}
	if b.Len() == 0 {
		b.WriteString("no variables yet\n")
	}
	c.print(b.String())
	return nil
}

func models(c *call) error {
	var b strings.Builder
	for _, v := range c.session.variables() {
		if v.Signature != "*gonterp.Model" {
			continue
		}
		card, _, _ := strings.Cut(c.ask("if "+v.Text+" != nil { fmt.Print("+v.Text+".String()) }"), "\n")
		if card == "" {
			card = "nil"
		}
		fmt.Fprintf(&b, "%-16s %s\n", v.Text, card)
	}
	if b.Len() == 0 {
		b.WriteString("no variable holds a model; model := gonterp.Load(\"mini\") loads one\n")
	}
	var tensors, bytes int64
	if n, _ := fmt.Sscan(c.ask("fmt.Print(torch.LiveTensors())"), &tensors, &bytes); n == 2 {
		fmt.Fprintf(&b, "%-16s %d, %s\n", "tensors", tensors, size(bytes))
	}
	if resident, mapped, ok := residentMemory(); ok {
		fmt.Fprintf(&b, "%-16s %s, of which %s are mapped files\n", "memory", size(resident), size(mapped))
	}
	c.print(b.String())
	return nil
}

// ask runs code beside the session's cells and returns what it prints; nothing
// where it fails.
func (c *call) ask(code string) string {
	var answer recorder
	if c.session.Sessions.Execute(interp.Cell{Code: code, Silent: true, Shell: c.cell.Shell}, &answer).Err != nil {
		return ""
	}
	return answer.text.String()
}

// recorder keeps what a cell prints.
type recorder struct{ text strings.Builder }

func (r *recorder) Stream(_ int, name, text string) {
	if name == "stdout" {
		r.text.WriteString(text)
	}
}
func (*recorder) Display(int, interp.Bundle, string, bool) {}
func (*recorder) Clear(int, bool)                          {}
func (*recorder) Input(string, bool) (string, error)       { return "", os.ErrClosed }

func size(bytes int64) string {
	for _, u := range []struct {
		name string
		of   int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if bytes >= u.of {
			return fmt.Sprintf("%.1f %s", float64(bytes)/float64(u.of), u.name)
		}
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// residentMemory is what the process holds in memory, and how much of it are files
// that the system can let go. ok is false where the system does not tell.
func residentMemory() (resident, mapped int64, ok bool) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, 0, false
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var kib int64
		if n, _ := fmt.Sscanf(s.Text(), "VmRSS: %d kB", &kib); n == 1 {
			resident, ok = kib<<10, true
		}
		if n, _ := fmt.Sscanf(s.Text(), "RssFile: %d kB", &kib); n == 1 {
			mapped = kib << 10
		}
	}
	return resident, mapped, ok
}

package repl_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestCellsOfSeveralLines(t *testing.T) {
	p := open(t)
	p.run("x := 41", "[2]>")
	for _, line := range []string{"func f(n int) int {", "if n > 0 {", "return n + 1", "}", "return 0"} {
		p.typed(line)
		p.keys("Enter")
	}
	p.run("}", "[3]>")
	p.run("f(x)", "[4]>")
	// A line in the middle is mended, and Enter at the end runs the cell.
	p.keys("Up", "Up")
	p.wait("[4]> func")
	p.keys("Up", "Up", "Up", "End")
	p.typed(" * 2")
	p.keys("Down", "Down", "Down")
	p.run("", "[5]>")
	p.run("f(x) // é 模型 👩‍👩‍👧", "[6]>")
	p.golden("several_lines", p.wait("[6]>"))
}

func TestCompletionMenu(t *testing.T) {
	p := open(t)
	p.typed("strings.To")
	p.keys("Tab")
	p.wait("ToValidUTF8")
	p.keys("Tab", "Tab")
	p.golden("menu", p.wait("func ToLowerSpecial"))
	p.keys("Down")
	p.wait("strings.ToValidUTF8\n")
	p.keys("Escape")
	p.wait("[1]> strings.To\n")
	p.typed("Up")
	p.keys("Tab")
	p.run(`("é")`, "[2]>")
	p.wait(`"É"`)
}

func TestInspection(t *testing.T) {
	p := open(t)
	p.run("// twice doubles.\nfunc twice(n int) int { return 2 * n }", "[2]>")
	p.run("?twice", "[3]>")
	p.run("strings.ToUpper?", "[4]>")
	p.golden("inspection", p.screen())
}

func TestColours(t *testing.T) {
	p := open(t)
	p.typed("if x := `s`; x != \"\" { /* c */ return 0x7 }")
	p.wait("0x7 }")
	p.golden("colours", p.screen("-e"))
}

// block is Go of so many lines, with what pastes lose.
func block(lines int) (code, want string) {
	var b strings.Builder
	b.WriteString("s := []string{\n")
	for i := range lines - 4 {
		fmt.Fprintf(&b, "\t\"%03d\té 模型 👩‍👩‍👧 e\u0301\",\n", i)
	}
	b.WriteString("\n}\n\n")
	return b.String(), fmt.Sprint(lines - 4)
}

func TestPasteOf400Lines(t *testing.T) {
	p := open(t)
	code, want := block(400)
	p.paste(code + "sum := 0")
	p.keys("Enter")
	p.wait("[2]>")
	p.run(`for i, l := range s { if l != fmt.Sprintf("%03d\té 模型 👩\u200d👩\u200d👧 e\u0301", i) { fmt.Println("lost", i, l) } }`, "[3]>")
	p.run("len(s)", "[4]>")
	screen := p.screen()
	if !strings.Contains(screen, "[3]> len(s)\n"+want+"\n[4]>") || strings.Contains(screen, "lost 0") {
		t.Error(screen)
	}
}

// A pasted block waits for Enter, and runs once.
func TestPastedBlockRunsOnce(t *testing.T) {
	p := open(t)
	p.paste("fmt.Println(\"first\")\n\n\tfmt.Println(\"second\")\n")
	p.wait("second\")")
	time.Sleep(300 * time.Millisecond)
	if s := p.screen(); strings.Contains(s, "\nfirst") {
		t.Errorf("it ran before Enter:\n%s", s)
	}
	p.keys("Enter")
	p.golden("paste", p.wait("[2]>"))
}

// The cursor goes over what a person sees as a character.
func TestGraphemes(t *testing.T) {
	p := open(t)
	p.typed(`"a👩‍👩‍👧模b"`)
	p.keys("Left", "Left", "BSpace", "BSpace")
	p.run("", "[2]>")
	p.wait("[1]> \"ab\"\n\"ab\"")
}

func TestHistory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deep", "history.jsonl")
	p := open(t, "-history", file)
	p.run("1 + 1", "[2]>")
	p.paste("for i := range 2 {\n\tfmt.Println(\"round\", i)\n}")
	p.run("", "[3]>")
	p.keys("C-d")
	p.wait("ended 0")

	p = reopen(t, p, "-history", file)
	p.keys("Up")
	p.wait("[1]> for i := range 2 {\n         fmt.Println(\"round\", i)\n     }")
	p.keys("C-c")
	p.keys("C-r")
	p.typed("+")
	p.golden("search", p.wait("history: +"))
	p.keys("Enter")
	p.wait("[1]> 1 + 1\n2\n[2]>")
	// What is typed is what earlier cells are looked for by.
	p.typed("fo")
	p.keys("Up")
	p.wait("[2]> for i")
	p.keys("Down", "Down", "Down")
	p.wait("[2]> fo\n")
}

// reopen starts the REPL anew in a terminal of its own.
func reopen(t *testing.T, old *pane, args ...string) *pane {
	return reopenAt(t, old, "[1]>", args...)
}

func reopenAt(t *testing.T, old *pane, prompt string, args ...string) *pane {
	exec.Command("tmux", "-L", old.server, "kill-server").Run()
	time.Sleep(200 * time.Millisecond)
	return openAt(t, prompt, args...)
}

func TestResize(t *testing.T) {
	p := open(t)
	p.typed(`s := "` + strings.Repeat("0123456789", 12) + `"`)
	p.wait("789\"")
	p.resize(50)
	p.typed(" // é")
	p.golden("resize_narrow", p.wait("// é"))
	p.resize(100)
	p.typed("!")
	p.golden("resize_wide", p.wait("// é!"))
	p.run("", "[2]>")
}

// resize changes the terminal's width; tmux tells the program after a while.
func (p *pane) resize(columns int) {
	p.t.Helper()
	p.tmux("resize-window", "-x", fmt.Sprint(columns), "-y", "24")
	time.Sleep(time.Second)
}

func TestControlC(t *testing.T) {
	p := open(t)
	p.run("x := 7", "[2]>")
	p.typed("half a li")
	p.keys("C-c")
	p.wait("[2]> half a li^C\n[2]>")
	p.keys("C-c", "C-c")
	p.typed("for {}")
	p.keys("Enter")
	time.Sleep(300 * time.Millisecond)
	start := time.Now()
	p.keys("C-c")
	p.wait("interrupted")
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("the interrupt took %v", d)
	}
	p.typed("time.Sleep(time.Hour)")
	p.keys("Enter")
	time.Sleep(300 * time.Millisecond)
	p.keys("C-c")
	p.wait("[3]> time.Sleep(time.Hour)\n", "[4]>")
	p.run("x", "[5]>")
	p.golden("control_c", p.screen())
}

func TestControlD(t *testing.T) {
	p := open(t)
	p.typed("ab")
	p.keys("Left", "C-d") // of a text it deletes
	p.wait("[1]> a\n")
	p.keys("C-c")
	p.keys("C-d")
	p.wait("ended 0")
}

// What goroutines print comes above the line being typed.
func TestBackgroundOutput(t *testing.T) {
	p := open(t)
	p.run(`go func() { for i := range 3 { time.Sleep(300 * time.Millisecond); fmt.Println("tick", i) }; fmt.Print("no end") }()`, "[2]>")
	p.typed("typed be")
	p.wait("tick 2")
	p.typed("fore")
	p.golden("background", p.wait("no end", "[2]> typed before"))
}

// What is typed while a cell runs is for the next prompt.
func TestTypedAhead(t *testing.T) {
	p := open(t)
	p.typed("time.Sleep(time.Second)")
	p.keys("Enter")
	p.typed("6 * 7")
	p.keys("Enter")
	p.wait("[2]> 6 * 7\n42\n[3]>")
}

func TestInput(t *testing.T) {
	p := open(t)
	p.typed("var name string; fmt.Print(\"name? \"); fmt.Scanln(&name)")
	p.keys("Enter")
	p.wait("name?")
	p.typed("Mary")
	p.keys("Enter")
	p.wait("[2]>")
	p.run("name", "[3]>")
	p.golden("input", p.screen())
}

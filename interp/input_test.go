package interp

import (
	"errors"
	"strings"
	"testing"
)

// TestInput: whatever reads os.Stdin asks the person.
func TestInput(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, code := range []string{
		`var a string; fmt.Scan(&a); fmt.Print(a)`,
		`var b string; fmt.Fscanln(os.Stdin, &b); fmt.Print(b)`,
		`sc := bufio.NewScanner(os.Stdin); sc.Scan(); fmt.Print(sc.Text())`,
		`r := bufio.NewReader(os.Stdin); line, _ := r.ReadString('\n'); fmt.Print(strings.TrimSpace(line))`,
	} {
		var out recorder
		if o := s.Execute(Cell{Code: "import (\"bufio\"; \"fmt\"; \"os\"; \"strings\")\n" + code}, &out); o.Err != nil {
			t.Fatalf("%s: %v", code, o.Err)
		}
		if got := out.String(); !strings.HasPrefix(got, "typed") {
			t.Errorf("%s printed %q", code, got)
		}
	}
}

// mute is a front end that takes no input.
type mute struct{ recorder }

func (*mute) Input(string, bool) (string, error) { return "", errors.New("nobody is there") }

// A Scan whose error the cell drops doesn't go on in silence.
func TestInputRefused(t *testing.T) {
	s := newTestSession(t, Options{})
	out := &mute{}
	if o := s.Execute(Cell{Code: "var s string\nfmt.Scanln(&s)\ns"}, out); o.Err != nil {
		t.Fatal(o.Err)
	}
	if got := out.String(); !strings.Contains(got, "nobody is there") {
		t.Errorf("the cell printed %q", got)
	}
}

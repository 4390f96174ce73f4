package interp

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// at cuts the cursor, a bar, out of a text.
func at(text string) (code string, cursor int) {
	before, after, _ := strings.Cut(text, "|")
	return before + after, len([]rune(before))
}

func TestComplete(t *testing.T) {
	s := newTestSession(t, Options{Words: func(f, text string) []string { return []string{"layers." + f, text + "x"} }})
	show(s, "type P struct{ Name string; age int }\n// Greet says hello.\nfunc (p *P) Greet(loud bool) string { return \"\" }\nvar pat = P{}\npats := []*P{&pat}\nimport \"math/rand\"")
	for _, c := range []struct {
		text string
		want []string // all among the items
		not  []string
	}{
		{"pat.|", []string{"Name", "age", "Greet"}, []string{"pat"}},
		{"pat.N|", []string{"Name"}, []string{"age"}},
		{"pats[0].G|", []string{"Greet"}, nil},
		{"fmt.Pri|", []string{"Print", "Printf", "Println"}, []string{"Sprint"}},
		{"fmt.pri|", []string{"Println"}, nil},
		{"rand.In|", []string{"Intn"}, nil},
		{"strings.NewReader(\"a\").Re|", []string{"Read", "ReadByte"}, nil},
		{"for i := range 3 {\n\tif pat.|", []string{"Name"}, nil},
		{"for i := range pats {\n\tx := i\n\tx|\n}", []string{"x"}, nil},
		{"func f(a int) {\n\tb := a\n\t|", []string{"a", "b", "pat", "fmt", "return", "len", "with"}, nil},
		{"with pat.|", []string{"Greet"}, nil},
		{"with q := pat {\n\tpat.Na|\n", []string{"Name"}, nil},
		{"fmt.Println(pat.|", []string{"Name"}, nil},
		{"fmt.Println(1, pat.|)\nx := (", []string{"Name"}, nil},
		{"P{Na|", []string{"Name"}, nil},
		{"x := []P{{|", []string{"Name"}, nil},
		{"y := pats; y[0].|", []string{"Name"}, nil},
		{"nope( }\n", nil, nil},
		{"𝐚𝐚é := 1; pa|", []string{"pat"}, nil},
		{"if pat.Name == \"\" { pa| }", []string{"pat"}, nil},
		{"pat.At(\"la|", []string{"layers.At", "lax"}[:1], []string{"pat"}},
		{"x := \"fm|", nil, []string{"fmt"}},
		{"// fm|", nil, []string{"fmt"}},
		{"swi|", []string{"switch"}, nil},
		{"import \"encoding/j|", []string{"encoding/json"}, []string{"fmt"}},
		{"import (\n\t\"fmt\"\n\t\"sli|", []string{"slices"}, nil},
	} {
		code, cursor := at(c.text)
		got := s.Complete(code, cursor)
		var names []string
		for _, it := range got.Items {
			names = append(names, it.Text)
		}
		for _, w := range c.want {
			if !slices.Contains(names, w) {
				t.Errorf("%q: no %s in %.20q", c.text, w, names)
			}
		}
		for _, w := range c.not {
			if slices.Contains(names, w) {
				t.Errorf("%q: %s should not be there", c.text, w)
			}
		}
		if got.End != cursor {
			t.Errorf("%q: end %d, want %d", c.text, got.End, cursor)
		}
	}
	code, cursor := at("fmt.Println|")
	it := s.Complete(code, cursor).Items[0]
	if it.Kind != "func" || it.Signature != "func Println(a ...any) (n int, err error)" || !strings.HasPrefix(it.Doc, "Println formats using") {
		t.Errorf("item %+v", it)
	}
}

func BenchmarkComplete(b *testing.B) {
	s, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for b.Loop() {
		s.Complete("strings.", 8)
	}
}

func TestInspect(t *testing.T) {
	s := newTestSession(t, Options{})
	show(s, "// Twice doubles.\n// Really.\nfunc Twice(n int) int {\n\treturn 2 * n\n}\nx := 3")
	for _, c := range []struct {
		text   string
		detail int
		want   []string
	}{
		{"fmt.Prin|tln(1)", 0, []string{"func Println(a ...any) (n int, err error)", "Println formats"}},
		{"Twi|ce(1)", 0, []string{"func Twice(n int) int", "Twice doubles.\nReally."}},
		{"Twice|(1)", 1, []string{"return 2 * n"}},
		{"Twice(|", 0, []string{"func Twice(n int) int"}},
		{"x|", 0, []string{"var x int"}},
		{"str|ings.Fields", 0, []string{"package strings", "implements"}},
		{"var b bytes.Buffer; b.WriteStr|ing(\"\")", 0, []string{"func (b *Buffer) WriteString(s string) (n int, err error)"}},
		{"mat.NewDen|se", 0, []string{"func NewDense(r, c int, data []float64) *Dense"}},
		{"time.Sec|ond", 0, []string{"Second"}},
		{"le|n(x)", 0, []string{"len"}},
	} {
		code, cursor := at(c.text)
		b, ok := s.Inspect(code, cursor, c.detail)
		text, _ := b.Data["text/plain"].(string)
		for _, w := range c.want {
			if !ok || !strings.Contains(text, w) {
				t.Errorf("%q: %q, want %q", c.text, text, w)
			}
		}
	}
	if _, ok := s.Inspect("nosuchname", 3, 0); ok {
		t.Error("found nosuchname")
	}
}

func TestIsCompleteWhileACellRuns(t *testing.T) {
	s := newTestSession(t, Options{})
	done := make(chan bool)
	go func() {
		s.Execute(Cell{Code: "time.Sleep(time.Hour)"}, &recorder{})
		close(done)
	}()
	time.Sleep(50 * time.Millisecond)
	if c := s.IsComplete(`x := []{"a"}`); c.Status != "invalid" {
		t.Errorf("status %s", c.Status)
	}
	if c := s.Complete("fmt.Pri", 7); len(c.Items) == 0 {
		t.Error("nothing to complete")
	}
	select {
	case <-done:
		t.Error("the cell is over already")
	default:
	}
	s.Interrupt()
	<-done
}

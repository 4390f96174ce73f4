package display_test

import (
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/kernel/display"
	"github.com/gonterp/gonterp/kernel/display/tables"
)

// shown keeps what a session shows.
type shown struct{ lines []string }

func (s *shown) Stream(_ int, name, text string) { s.lines = append(s.lines, name+" "+text) }
func (s *shown) Display(_ int, b interp.Bundle, id string, update bool) {
	kind := "display"
	if update {
		kind = "update"
	}
	for _, t := range []string{"text/html", "text/markdown", "text/latex", "image/png", "image/svg+xml", "text/plain"} {
		if v, ok := b.Data[t]; ok {
			if raw, ok := v.([]byte); ok {
				v = fmt.Sprintf("%d bytes", len(raw))
			}
			s.lines = append(s.lines, fmt.Sprintf("%s %s %s %v", kind, id, t, v))
			return
		}
	}
}
func (s *shown) Clear(_ int, wait bool)             { s.lines = append(s.lines, fmt.Sprint("clear ", wait)) }
func (s *shown) Input(string, bool) (string, error) { return "", nil }

func session(t *testing.T) *interp.Session {
	t.Helper()
	s, err := interp.New(interp.Options{Packages: tables.Packages()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if o := s.Execute(interp.Cell{Code: display.Prelude, Silent: true}, &shown{}); o.Err != nil {
		t.Fatal(o.Err)
	}
	return s
}

func TestCells(t *testing.T) {
	s := session(t)
	for code, want := range map[string]string{
		`Display(display.HTML("<b>hi</b>"))`:             "display  text/html <b>hi</b>",
		`Display(display.Markdown("*m*"))`:               "display  text/markdown *m*",
		`Display(display.Math("x^2"))`:                   "display  text/latex $$x^2$$",
		`Display(display.SVG("<svg/>"))`:                 "display  image/svg+xml <svg/>",
		`Display(display.PNG([]byte{1, 2}))`:             "display  image/png 2 bytes",
		`Display(7)`:                                     "display  text/plain 7",
		`display.ShowAs("a", 1); display.Update("a", 2)`: "display a text/plain 1|update a text/plain 2",
		`display.Clear(true)`:                            "clear true",
	} {
		out := &shown{}
		if o := s.Execute(interp.Cell{Code: code}, out); o.Err != nil {
			t.Errorf("%s: %v", code, o.Err)
		}
		if got := strings.Join(out.lines, "|"); got != want {
			t.Errorf("%s: got %q, want %q", code, got, want)
		}
	}
	o := s.Execute(interp.Cell{Code: `display.HTML("<i>r</i>")`}, &shown{})
	if o.Value == nil || o.Value.Data["text/html"] != any("<i>r</i>") {
		t.Errorf("as a cell's value: %+v, %v", o.Value, o.Err)
	}
}

func TestAuto(t *testing.T) {
	png := display.Image(image.NewGray(image.Rect(0, 0, 2, 2))).Data["image/png"].([]byte)
	file := filepath.Join(t.TempDir(), "picture.bin")
	if err := os.WriteFile(file, png, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]struct {
		data display.Data
		want string
	}{
		"bytes of a picture": {display.Auto(png), "image/png"},
		"a file":             {display.File("", file), "image/png"},
		"a picture":          {display.Auto(image.NewGray(image.Rect(0, 0, 1, 1))), "image/png"},
		"its own forms":      {display.Auto(display.HTML("x")), "text/html"},
		"anything else":      {display.Any("", 5), "text/plain"},
		"a web page":         {display.Auto([]byte("<html></html>")), "text/html"},
	} {
		if _, ok := f.data.Data[f.want]; !ok || len(f.data.Data) != 1 {
			t.Errorf("%s: got %v, want %s", name, f.data.Data, f.want)
		}
		if f.data.MIMEBundle()["text/plain"] == nil {
			t.Errorf("%s has no text", name)
		}
	}
	defer func() {
		if err, ok := recover().(error); !ok || !os.IsNotExist(err) && !strings.Contains(err.Error(), "no such file") {
			t.Errorf("a file that is not there: %v", err)
		}
	}()
	display.File("", file+".not")
}

func TestProgress(t *testing.T) {
	s := session(t)
	out := &shown{}
	o := s.Execute(interp.Cell{Code: `for i := 0; i <= 10; i++ {
		display.Progress("quick", i, 10)
	}
	for i := 0; i <= 60; i++ {
		display.Progress("slow & steady", i, 60)
		time.Sleep(12 * time.Millisecond)
	}`}, out)
	if o.Err != nil {
		t.Fatal(o.Err)
	}
	all := strings.Join(out.lines, "\n")
	if strings.Contains(all, "quick") {
		t.Error("quick work got a bar")
	}
	if n := strings.Count(all, "display progress-"); n != 1 {
		t.Errorf("%d bars", n)
	}
	if n := strings.Count(all, "update progress-"); n < 1 || n > 12 {
		t.Errorf("%d updates", n)
	}
	last := out.lines[len(out.lines)-1]
	if !strings.Contains(last, "slow &amp; steady") || !strings.Contains(last, "60 of 60") {
		t.Errorf("it ended as %s", last)
	}
}

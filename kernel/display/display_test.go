package display_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/kernel/display"
	"github.com/gonterp/gonterp/kernel/tables"
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
		if o := s.Execute(interp.Cell{Code: code}, out); o.Err != nil || o.Value != nil {
			t.Errorf("%s: %v, value %v", code, o.Err, o.Value)
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

// A name is explained under the name that cells have for the package.
func TestDocs(t *testing.T) {
	s := session(t)
	const code = "display.HTML"
	b, ok := s.Inspect(code, len(code), 0)
	if text, _ := b.Data["text/plain"].(string); !ok || !strings.HasPrefix(text, "func HTML(html string) Data\n\nHTML shows") {
		t.Errorf("%s: %q", code, text)
	}
}

func TestAuto(t *testing.T) {
	dot := image.NewGray(image.Rect(0, 0, 2, 2))
	png := display.Image(dot).Data["image/png"].([]byte)
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const drawing = `<?xml version="1.0"?><svg/>`
	for name, f := range map[string]struct {
		data display.Data
		mime string
		want any
	}{
		"bytes of a picture":   {display.Auto(png), "image/png", png},
		"a file by content":    {display.File("", file("picture.bin", string(png))), "image/png", png},
		"a file by name":       {display.File("", file("notes.md", "*a*")), "text/markdown", "*a*"},
		"a tree in a file":     {display.File("", file("tree.json", "[1]")), "application/json", json.RawMessage("[1]")},
		"a file of a type":     {display.File("text/plain", file("page.html", "<p>")), "text/plain", "<p>"},
		"a picture":            {display.Auto(dot), "image/png", png},
		"its own forms":        {display.Auto(display.HTML("x")), "text/html", "x"},
		"anything else":        {display.Any("", 5), "text/plain", "5"},
		"a web page":           {display.Auto([]byte("<html></html>")), "text/html", "<html></html>"},
		"a text":               {display.Auto("plain & simple"), "text/plain", "plain & simple"},
		"a drawing":            {display.Auto(drawing), "image/svg+xml", drawing},
		"a reader":             {display.Auto(strings.NewReader("<html>")), "text/html", "<html>"},
		"a reader and no more": {display.Any("image/png", struct{ io.Reader }{bytes.NewReader(png)}), "image/png", png},
		"a value for a tree":   {display.Any("application/json", []int{1}), "application/json", []int{1}},
		"a form as it is":      {display.MakeData("text/html", "h"), "text/html", "h"},
	} {
		if got, ok := f.data.Data[f.mime]; !ok || len(f.data.Data) != 1 || !reflect.DeepEqual(got, f.want) {
			t.Errorf("%s: got %.80q, want %s %.80q", name, f.data.Data, f.mime, f.want)
		}
		if f.data.MIMEBundle()["text/plain"] == nil {
			t.Errorf("%s has no text", name)
		}
	}
	if b, _ := display.Any("image/jpeg", dot).Data["image/jpeg"].([]byte); !bytes.HasPrefix(b, []byte{0xff, 0xd8}) {
		t.Errorf("a picture as JPEG begins with %x", b[:min(2, len(b))])
	}
	if d := display.MakeData3("text/html", "text", "h"); d.String() != "text" || d.Data["text/html"] != "h" {
		t.Errorf("a form with a text: %v", d.Data)
	}
}

// What cannot be shown panics, with what it was.
func TestFailures(t *testing.T) {
	broken := errors.New("the disk is gone")
	missing := filepath.Join(t.TempDir(), "missing.png")
	for want, make := range map[string]func(){
		"display.File: open " + missing:                     func() { display.File("", missing) },
		"display: encoding a picture as image/png":          func() { display.Image(image.NewGray(image.Rectangle{})) },
		"display: reading a *iotest.errReader: the disk is": func() { display.Auto(iotest.ErrReader(broken)) },
	} {
		func() {
			defer func() {
				if err, ok := recover().(error); !ok || !strings.HasPrefix(err.Error(), want) {
					t.Errorf("got %v, want %s…", err, want)
				}
			}()
			make()
		}()
	}
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

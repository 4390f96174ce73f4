package repl

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-sixel"
	"golang.org/x/image/draw"

	"github.com/gonterp/gonterp/interp"
)

// The ways to show a figure.
const (
	kitty  = "kitty"
	iterm  = "iterm"
	sixels = "sixel"
	blocks = "blocks"
	words  = "text"
)

var ways = []string{"auto", kitty, iterm, sixels, blocks, words}

func checkGraphics(name string) error {
	if name == "" || slices.Contains(ways, name) {
		return nil
	}
	return fmt.Errorf("graphics %q is unknown; it can be %s", name, strings.Join(ways, ", "))
}

// TerminalForm is the name in a bundle under which a figure of this process can
// draw itself for a terminal of so many columns. Its value does not leave the process.
const TerminalForm = "text/x-terminal"

// cellSize is the size of a character in pixels.
type cellSize struct{ width, height int }

// picture draws the figure of a bundle, if it has one.
func (o *output) picture(b interp.Bundle) (string, bool) {
	form, drawn := b.Data["image/png"]
	if !drawn {
		return "", false
	}
	size := o.term.Size()
	way, cell := o.way()
	own, _ := b.Data[TerminalForm].(func(columns int, colour bool) string)
	if way == blocks && own != nil || way == words && own != nil && !o.colour {
		return own(size.Columns, way == blocks && o.colour), true
	}
	if way == words {
		return "", false
	}
	data, err := bytesOf(form)
	if err != nil {
		return "", false
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return "", false
	}
	box := img.Bounds().Size()
	if way == blocks {
		says, _ := textOf(b.Data["text/plain"]) // letters are lost in so few pixels
		return halfBlocks(img, size.Columns, 2*(size.Rows-3)) + strings.TrimRight(says, "\n") + "\n", true
	}
	w, h := fitBox(box, size.Columns*cell.width, max(1, size.Rows-3)*cell.height)
	columns, rows := (w+cell.width-1)/cell.width, (h+cell.height-1)/cell.height
	switch way {
	case kitty:
		return kittyImage(data, columns, rows) + "\n", true
	case iterm:
		return itermImage(data, columns) + "\n", true
	}
	var s bytes.Buffer
	if err := sixel.NewEncoder(&s).Encode(resized(img, w, h)); err != nil {
		return "", false
	}
	return s.String() + "\n", true
}

// fitBox is the largest size of the same shape that fits, at most the picture's own.
func fitBox(box image.Point, width, height int) (w, h int) {
	w, h = box.X, box.Y
	if w > width {
		w, h = width, h*width/w
	}
	if h > height {
		w, h = w*height/h, height
	}
	return max(w, 1), max(h, 1)
}

func resized(img image.Image, w, h int) *image.RGBA {
	to := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.CatmullRom.Scale(to, to.Bounds(), img, img.Bounds(), draw.Src, nil)
	return to
}

// halfBlocks draws two pixels to a character.
func halfBlocks(img image.Image, width, height int) string {
	w, h := fitBox(img.Bounds().Size(), width, height)
	h += h % 2
	small := resized(img, w, h)
	var b strings.Builder
	for y := 0; y < h; y += 2 {
		for x := range w {
			up, down := small.RGBAAt(x, y), small.RGBAAt(x, y+1)
			fmt.Fprintf(&b, "\x1b[38;2;%d;%d;%d;48;2;%d;%d;%dm▀", up.R, up.G, up.B, down.R, down.G, down.B)
		}
		b.WriteString(plainStyle + "\n")
	}
	return b.String()
}

// kittyImage sends a PNG by kitty's graphics protocol, in pieces of 4096 bytes:
// https://sw.kovidgoyal.net/kitty/graphics-protocol/.
func kittyImage(data []byte, columns, rows int) string {
	text := base64.StdEncoding.EncodeToString(data)
	var b strings.Builder
	for first := true; first || text != ""; first = false {
		n := min(4096, len(text))
		more := 0
		if n < len(text) {
			more = 1
		}
		b.WriteString("\x1b_G")
		if first {
			fmt.Fprintf(&b, "a=T,f=100,q=2,c=%d,r=%d,", columns, rows)
		}
		fmt.Fprintf(&b, "m=%d;%s\x1b\\", more, text[:n])
		text = text[n:]
	}
	return b.String()
}

// itermImage sends a PNG by iTerm2's protocol: https://iterm2.com/documentation-images.html.
func itermImage(data []byte, columns int) string {
	return fmt.Sprintf("\x1b]1337;File=inline=1;size=%d;width=%d;preserveAspectRatio=1:%s\a",
		len(data), columns, base64.StdEncoding.EncodeToString(data))
}

// way is how figures are shown here; the terminal is asked once.
func (o *output) way() (string, cellSize) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.cell == (cellSize{}) {
		var replies []string
		multiplexed := os.Getenv("TMUX") != "" || strings.HasPrefix(os.Getenv("TERM"), "screen") || strings.HasPrefix(os.Getenv("TERM"), "tmux")
		asked := o.graphics == "" || o.graphics == "auto"
		if asked && !multiplexed && os.Getenv("TERM") != "dumb" || o.graphics == kitty || o.graphics == iterm || o.graphics == sixels {
			replies = o.term.Ask(questions, patience, func(reply string) bool { return strings.HasPrefix(reply, "\x1b[?") && strings.HasSuffix(reply, "c") })
		}
		o.cell = characterSize(replies)
		if s := o.term.Size(); s.Width > 0 && s.Height > 0 {
			o.cell = cellSize{max(1, s.Width/s.Columns), max(1, s.Height/s.Rows)}
		}
		if asked {
			o.graphics = answered(replies)
			if os.Getenv("TERM") == "dumb" {
				o.graphics = words
			}
		}
	}
	return o.graphics, o.cell
}

// questions ask for kitty's graphics, the terminal's name, the size of a character,
// and last for what every terminal answers: its kind, which tells of sixels.
const questions = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\" + "\x1b[>q" + "\x1b[16t" + "\x1b[c"

// patience is how long a terminal may take to answer; one far away takes a while.
const patience = 700 * time.Millisecond

// answered is the way that a terminal's answers allow.
func answered(replies []string) string {
	way := blocks
	for _, r := range replies {
		switch {
		case strings.HasPrefix(r, "\x1b_Gi=31;OK"):
			return kitty
		case strings.Contains(r, "iTerm2") || strings.Contains(r, "WezTerm"):
			way = iterm
		case strings.HasPrefix(r, "\x1b[?") && strings.HasSuffix(r, "c") && way == blocks:
			if slices.Contains(strings.Split(strings.TrimSuffix(r, "c"), ";")[1:], "4") {
				way = sixels
			}
		}
	}
	return way
}

func characterSize(replies []string) cellSize {
	for _, r := range replies {
		var c cellSize
		if n, _ := fmt.Sscanf(r, "\x1b[6;%d;%dt", &c.height, &c.width); n == 2 && c.width > 0 && c.height > 0 {
			return c
		}
	}
	return cellSize{9, 18}
}

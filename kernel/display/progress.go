package display

import (
	"crypto/rand"
	"fmt"
	"html"
	"strings"
	"sync"
	"time"
)

// A bar is drawn again at most this often.
const redraw = 100 * time.Millisecond

// patience is how long work may take before it gets a bar at all.
const patience = 300 * time.Millisecond

// Bars shows how far long work has come, one bar for each label at work.
type bars struct {
	mu  sync.Mutex
	all map[string]*bar
}

type bar struct {
	id           string
	begun, drawn time.Time
}

var running = bars{all: map[string]*bar{}}

// Progress says that done of total steps of some work are over. In a cell a bar
// shows it, which is updated in its place and stays when the work is done; work
// that is over quickly gets none. label tells one work from another.
func Progress(label string, done, total int) {
	running.mu.Lock()
	defer running.mu.Unlock()
	now := time.Now()
	b := running.all[label]
	if b == nil || done == 0 {
		b = &bar{begun: now}
		running.all[label] = b
	}
	over := done >= total
	if over {
		delete(running.all, label)
	}
	switch {
	case b.id == "" && (over || now.Sub(b.begun) < patience), !over && now.Sub(b.drawn) < redraw:
		return
	case b.id == "":
		b.id = "progress-" + rand.Text()
		ShowAs(b.id, state{label, done, total, now.Sub(b.begun)})
	default:
		Update(b.id, state{label, done, total, now.Sub(b.begun)})
	}
	b.drawn = now
}

// A state is one picture of a bar.
type state struct {
	label       string
	done, total int
	took        time.Duration
}

func (s state) String() string {
	const width = 30
	filled := 0
	if s.total > 0 {
		filled = min(max(width*s.done/s.total, 0), width)
	}
	return fmt.Sprintf("%s  %s%s  %d of %d, %s", s.label, strings.Repeat("█", filled), strings.Repeat("░", width-filled), s.done, s.total, s.times())
}

// times is how long the work has taken, and how long it will at this pace.
func (s state) times() string {
	text := s.took.Round(100 * time.Millisecond).String()
	if s.done > 0 && s.done < s.total {
		left := time.Duration(float64(s.took) / float64(s.done) * float64(s.total-s.done))
		text += fmt.Sprintf(", about %s left", left.Round(time.Second))
	}
	return text
}

// MIMEBundle is the bar of a notebook.
func (s state) MIMEBundle() map[string]any {
	return map[string]any{
		"text/plain": s.String(),
		"text/html": fmt.Sprintf(`<div>%s <progress value="%d" max="%d"></progress> %d of %d, %s</div>`,
			html.EscapeString(s.label), s.done, max(s.total, 1), s.done, s.total, s.times()),
	}
}

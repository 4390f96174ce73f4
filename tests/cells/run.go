package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/interp/engine"
	"github.com/gonterp/gonterp/tests/cells/host/tables"
)

// childFlag makes this program run the cells it finds on its standard input.
const childFlag = "-child"

// A job is what a child gets; it answers with a result for each cell.
type job struct {
	Cells   []string
	Timeout time.Duration
}

type result struct {
	Has     bool // there is a value
	Value   string
	Out     string
	Err     string
	Refused string // the construct that the engine refuses
}

// child runs a case and writes its results to standard output.
func child() error {
	b, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	var j job
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	s, err := interp.New(interp.Options{
		Packages: tables.Packages(),
		Text:     func(v engine.Value) string { return fmt.Sprintf("%v", v.V) },
	})
	if err != nil {
		return err
	}
	answer := json.NewEncoder(os.Stdout)
	for _, c := range j.Cells {
		if err := answer.Encode(runCell(s, c, j.Timeout)); err != nil {
			return err
		}
	}
	return nil
}

func runCell(s *interp.Session, code string, timeout time.Duration) result {
	var out recorder
	late := make(chan bool, 1)
	timer := time.AfterFunc(timeout, func() {
		late <- true
		s.Interrupt()
	})
	o := s.Execute(interp.Cell{Code: code}, &out)
	timer.Stop()
	r := result{Out: out.String()}
	if o.Value != nil {
		r.Has = true
		r.Value = fmt.Sprint(o.Value.Data["text/plain"])
	}
	if e := o.Err; e != nil {
		if e.Name == "not supported" {
			r.Refused = e.Value
		}
		r.Err = e.Error() + "\n" + strings.Join(e.Traceback, "\n")
		select {
		case <-late:
			r.Err += "\ncontext deadline exceeded"
		default:
		}
	}
	return r
}

// recorder is an interp.Output that keeps what cells write.
type recorder struct {
	mu   sync.Mutex
	text strings.Builder
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

func (r *recorder) Stream(_ int, _, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text.WriteString(text)
}

func (r *recorder) Display(_ int, b interp.Bundle, _ string, _ bool) {
	r.Stream(0, "", fmt.Sprint(b.Data["text/plain"])+"\n")
}

func (r *recorder) Clear(int, bool) {}

func (r *recorder) Input(string, bool) (string, error) {
	return "", fmt.Errorf("nobody can be asked")
}

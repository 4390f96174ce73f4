package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"
)

// A request asks a side to do something Times times over.
type request struct {
	Do     string // forward, layers, decode, logits
	Tokens int    // of the prompt
	New    int    // tokens to decode
	Times  int
}

// A reply has the milliseconds of each time; of a decoded token, for decode.
type reply struct {
	Wall, CPU []float64
	Logits    []float64 // at the last position
	Peak      float64   // memory, MB
	Load      float64   // ms, in a side's first reply
	LoadCPU   float64
}

// took is one figure of the table, in milliseconds.
type took struct{ wall, cpu float64 }

// A side is a process that answers requests.
type side struct {
	reply // the first: that the model is loaded
	name  string
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *json.Decoder
	ready float64 // ms from its start
	peak  float64
}

func start(threads int, name string, args ...string) (*side, error) {
	s := &side{name: name, cmd: exec.Command(name, args...)}
	// A team that spins while it waits takes the processors from everything else.
	s.cmd.Env = append(os.Environ(), fmt.Sprintf("OMP_NUM_THREADS=%d", threads), "GOMP_SPINCOUNT=0", "HF_HUB_OFFLINE=1", "TRANSFORMERS_VERBOSITY=error")
	s.cmd.Stderr = os.Stderr
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	s.out = json.NewDecoder(out)
	if err := s.out.Decode(&s.reply); err != nil {
		s.close()
		return nil, fmt.Errorf("%s ended before it had loaded the model: %w", name, err)
	}
	s.ready = milliseconds(time.Since(began))
	return s, nil
}

func (s *side) load() took { return took{s.Load, s.LoadCPU} }

func (s *side) ask(r request) (reply, error) {
	var a reply
	if err := json.NewEncoder(s.in).Encode(r); err != nil {
		return a, fmt.Errorf("%s: %w", s.name, err)
	}
	if err := s.out.Decode(&a); err != nil {
		return a, fmt.Errorf("%s, asked for %s: %w", s.name, r.Do, err)
	}
	s.peak = a.Peak
	return a, nil
}

func (s *side) close() {
	s.in.Close()
	s.cmd.Wait() // its exit status says nothing that its replies did not
}

// A task is what a side is asked to do.
type task struct {
	*side
	request
}

// alternate asks for both in turn and gives the medians. The first turn of each
// warms up and does not count.
func alternate(first, second task, rounds int) (a, b took, err error) {
	var all [2]reply
	for round := range rounds + 1 {
		for i, t := range []task{first, second} {
			got, err := t.ask(t.request)
			if err != nil {
				return a, b, err
			}
			if round > 0 {
				all[i].Wall = append(all[i].Wall, got.Wall...)
				all[i].CPU = append(all[i].CPU, got.CPU...)
			}
		}
	}
	return took{median(all[0].Wall), median(all[0].CPU)}, took{median(all[1].Wall), median(all[1].CPU)}, nil
}

func median(x []float64) float64 {
	slices.Sort(x)
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

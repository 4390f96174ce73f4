package kernel

import (
	"errors"
	"sync"
	"time"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/kernel/message"
	"github.com/gonterp/gonterp/kernel/zmtp"
)

// Why a cell gets no input.
var (
	errNoInput = errors.New("this front end takes no input: it ran the cell with allow_stdin false")
	errNoStdin = errors.New("this front end takes no input: its stdin channel is not connected")
	errLeft    = errors.New("the front end that was asked is gone")
)

// absence is how long a front end that was asked may be away.
const absence = 20 * time.Second

// Input are the questions to people. One is asked at a time, since answers do not
// say which question they are to; those of other shells wait for it.
type input struct {
	turn chan struct{} // has a token while a question is asked

	mu     sync.Mutex
	open   map[*question]bool
	asked  *question
	closed bool
}

type question struct {
	shell, peer string
	answer      chan string
	stop        chan struct{}
}

// ask puts a question to the front end that sent a request.
func (k *kernel) ask(r *request, allowed bool, prompt string, password bool) (string, error) {
	if !allowed {
		return "", errNoInput
	}
	in := &k.input
	q := &question{shell: r.Header.Subshell, peer: r.peer, answer: make(chan string, 1), stop: make(chan struct{})}
	if !in.add(q) {
		return "", interp.ErrInterrupted
	}
	defer in.remove(q)
	select {
	case in.turn <- struct{}{}:
		defer func() { <-in.turn }()
	case <-q.stop:
		return "", interp.ErrInterrupted
	}
	in.mu.Lock()
	in.asked = q
	in.mu.Unlock()
	frames := append(append([][]byte{}, r.Route...),
		k.codec.Encode("input_request", r.Raw, message.InputRequest{Prompt: prompt, Password: password})...)
	if !k.stdin.Send(zmtp.Message{Peer: r.peer, Frames: frames}) {
		return "", errNoStdin
	}
	seen := time.Now()
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for {
		select {
		case line := <-q.answer:
			return line, nil
		case <-q.stop:
			return "", interp.ErrInterrupted
		case <-look.C:
			if k.stdin.Connected(r.peer) {
				seen = time.Now()
			} else if time.Since(seen) > absence {
				return "", errLeft
			}
		}
	}
}

func (in *input) add(q *question) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.closed {
		return false
	}
	if in.open == nil {
		in.open = map[*question]bool{}
	}
	in.open[q] = true
	return true
}

func (in *input) remove(q *question) {
	in.mu.Lock()
	defer in.mu.Unlock()
	delete(in.open, q)
	if in.asked == q {
		in.asked = nil
	}
}

// fromStdin takes the answer. One that nobody waits for, or from another front
// end, is dropped.
func (k *kernel) fromStdin(r *request) {
	var reply message.InputReply
	if r.Header.Type != "input_reply" || r.Read(&reply) != nil {
		return
	}
	in := &k.input
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.asked != nil && in.asked.peer == r.peer {
		select {
		case in.asked.answer <- reply.Value:
		default:
		}
	}
}

// cancel ends the questions of a shell's cells.
func (in *input) cancel(shell string) { in.end(func(q *question) bool { return q.shell == shell }) }

// close ends all questions, for good.
func (in *input) close() {
	in.mu.Lock()
	in.closed = true
	in.mu.Unlock()
	in.end(func(*question) bool { return true })
}

func (in *input) end(which func(*question) bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for q := range in.open {
		if which(q) {
			delete(in.open, q)
			close(q.stop)
		}
	}
}

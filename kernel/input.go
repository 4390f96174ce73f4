package kernel

import (
	"errors"
	"sync"

	"github.com/gonterp/gonterp/kernel/message"
	"github.com/gonterp/gonterp/kernel/zmtp"
)

// Why a cell gets no input.
var (
	errNoInput     = errors.New("this front end takes no input: it ran the cell with allow_stdin false")
	errNoStdin     = errors.New("this front end takes no input: its stdin channel is not connected")
	errInterrupted = errors.New("interrupted while waiting for input")
)

// input is the one question that may be open.
type input struct {
	asking sync.Mutex // one question at a time

	mu     sync.Mutex
	peer   string
	answer chan string // nil while nothing is asked
	stop   chan struct{}
}

// ask puts a question to the front end that sent a request.
func (k *kernel) ask(r *request, allowed bool, prompt string, password bool) (string, error) {
	if !allowed {
		return "", errNoInput
	}
	in := &k.input
	in.asking.Lock()
	defer in.asking.Unlock()
	answer, stop := make(chan string, 1), make(chan struct{})
	in.mu.Lock()
	in.peer, in.answer, in.stop = r.peer, answer, stop
	in.mu.Unlock()
	defer in.cancel()
	frames := append(append([][]byte{}, r.Route...),
		k.codec.Encode("input_request", r.Raw, message.InputRequest{Prompt: prompt, Password: password})...)
	if !k.stdin.Send(zmtp.Message{Peer: r.peer, Frames: frames}) {
		return "", errNoStdin
	}
	select {
	case line := <-answer:
		return line, nil
	case <-stop:
		return "", errInterrupted
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
	if in.answer != nil && in.peer == r.peer {
		select {
		case in.answer <- reply.Value:
		default:
		}
	}
}

// cancel ends the open question.
func (in *input) cancel() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.answer != nil {
		close(in.stop)
		in.answer = nil
	}
}

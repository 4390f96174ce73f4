package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"github.com/gonterp/gonterp/interp"
	"io"
	"strings"
	"sync"
)

// maxFrame bounds a frame: more than any figure, less than what a stray length
// could make a process allocate.
const maxFrame = 1 << 30

// The kinds of frames. The first group asks, the second answers or tells.
const (
	kindExecute    = "execute"
	kindComplete   = "complete"
	kindInspect    = "inspect"
	kindIsComplete = "is_complete"
	kindInterrupt  = "interrupt"
	kindCloseShell = "close_shell"
	kindLine       = "line" // the answer to kindInput
	kindReply      = "reply"
	kindReady      = "ready" // the session is there, or why it is not
	kindStream     = "stream"
	kindDisplay    = "display"
	kindClear      = "clear"
	kindInput      = "input"
	kindComm       = "comm" // of either direction
)

// A frame is one message of either direction. ID is the request's number; for
// an event, that of the execute request whose cell it belongs to.
type frame struct {
	Kind string `json:"kind"`
	ID   uint64 `json:"id,omitempty"`

	// Requests.
	Code   string `json:"code,omitempty"`
	Silent bool   `json:"silent,omitempty"`
	Number int    `json:"number,omitempty"` // of the cell; for text, of the piece
	Shell  string `json:"shell,omitempty"`
	Cursor int    `json:"cursor,omitempty"`
	Detail int    `json:"detail,omitempty"`

	// Replies.
	Outcome      *outcome             `json:"outcome,omitempty"`
	Completion   *interp.Completion   `json:"completion,omitempty"`
	Completeness *interp.Completeness `json:"completeness,omitempty"`
	Found        bool                 `json:"found,omitempty"`
	Failure      string               `json:"failure,omitempty"`
	Interrupted  bool                 `json:"interrupted,omitempty"` // instead of a line

	// Events, and the bundle of an inspect reply.
	Cell     int     `json:"cell,omitempty"`
	Name     string  `json:"name,omitempty"`
	Text     string  `json:"-"` // follows the JSON as it is
	Comm     *comm   `json:"comm,omitempty"`
	Bundle   *bundle `json:"bundle,omitempty"`
	Display  string  `json:"display,omitempty"`
	Update   bool    `json:"update,omitempty"`
	Wait     bool    `json:"wait,omitempty"`
	Password bool    `json:"password,omitempty"`
	Ask      uint64  `json:"ask,omitempty"` // numbers a question to the person
}

// An outcome is an interp.Outcome whose value keeps its JSON.
type outcome struct {
	Count int               `json:"count"`
	Value *bundle           `json:"value,omitempty"`
	Err   *interp.CellError `json:"err,omitempty"`
}

// A bundle is an interp.Bundle whose values keep their JSON: numbers pass
// untouched, and binary forms are in base64, as notebooks have them.
type bundle struct {
	Data     map[string]json.RawMessage `json:"data"`
	Metadata map[string]json.RawMessage `json:"metadata,omitempty"`
}

// A comm is an interp.CommMessage whose buffers are the frame's text.
type comm struct {
	Kind     string          `json:"kind"`
	ID       string          `json:"id"`
	Target   string          `json:"target,omitempty"`
	Data     json.RawMessage `json:"data,omitempty"`
	Metadata json.RawMessage `json:"metadata,omitempty"`
	Sizes    []int           `json:"sizes,omitempty"`
}

// packComm puts a comm's message into a frame.
func packComm(f frame, m interp.CommMessage) frame {
	f.Kind = kindComm
	f.Comm = &comm{Kind: m.Kind, ID: m.ID, Target: m.Target, Data: m.Data, Metadata: m.Metadata}
	var text strings.Builder
	for _, b := range m.Buffers {
		f.Comm.Sizes = append(f.Comm.Sizes, len(b))
		text.Write(b)
	}
	f.Text = text.String()
	return f
}

// unpackComm takes it out again.
func unpackComm(f frame) interp.CommMessage {
	if f.Comm == nil {
		return interp.CommMessage{}
	}
	m := interp.CommMessage{Kind: f.Comm.Kind, ID: f.Comm.ID, Target: f.Comm.Target, Data: f.Comm.Data, Metadata: f.Comm.Metadata}
	rest := []byte(f.Text)
	for _, n := range f.Comm.Sizes {
		n = min(max(n, 0), len(rest))
		m.Buffers = append(m.Buffers, rest[:n:n])
		rest = rest[n:]
	}
	return m
}

// pack encodes a bundle. A value that does not encode is left out and said so
// under text/plain, rather than losing the rest.
func pack(b interp.Bundle) *bundle {
	p := &bundle{Data: map[string]json.RawMessage{}, Metadata: map[string]json.RawMessage{}}
	for mime, v := range b.Data {
		if text, ok := v.([]byte); ok && textual(mime) {
			v = string(text)
		}
		raw, err := json.Marshal(v)
		if err != nil {
			if mime == "text/plain" || p.Data["text/plain"] == nil {
				p.Data["text/plain"], _ = json.Marshal(fmt.Sprintf("(the %s form cannot be encoded: %v)", mime, err))
			}
			continue
		}
		p.Data[mime] = raw
	}
	for k, v := range b.Metadata {
		if raw, err := json.Marshal(v); err == nil {
			p.Metadata[k] = raw
		}
	}
	return p
}

// textual says whether notebooks keep a MIME type as text rather than in base64.
func textual(mime string) bool {
	return strings.HasPrefix(mime, "text/") || strings.HasSuffix(mime, "+xml") || strings.HasSuffix(mime, "javascript")
}

// unpack gives the bundle as interp has it; values are json.RawMessage.
func (p *bundle) unpack() interp.Bundle {
	b := interp.Bundle{Data: map[string]any{}, Metadata: map[string]any{}}
	if p == nil {
		return b
	}
	for k, v := range p.Data {
		b.Data[k] = v
	}
	for k, v := range p.Metadata {
		b.Metadata[k] = v
	}
	return b
}

// A sender writes frames whole, from any goroutine.
type sender struct {
	mu sync.Mutex
	w  io.Writer
}

func (s *sender) send(f frame) error {
	b, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("wire: a %s frame: %w", f.Kind, err)
	}
	if len(b)+len(f.Text) > maxFrame {
		return fmt.Errorf("wire: a %s frame of %d bytes, the limit is %d", f.Kind, len(b)+len(f.Text), maxFrame)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	head := binary.BigEndian.AppendUint32(make([]byte, 0, 8+len(b)+min(len(f.Text), 4<<10)), uint32(len(b)))
	head = binary.BigEndian.AppendUint32(head, uint32(len(f.Text)))
	head = append(head, b...)
	if len(f.Text) <= 4<<10 {
		_, err = s.w.Write(append(head, f.Text...))
		return err
	}
	if _, err := s.w.Write(head); err != nil {
		return err
	}
	_, err = io.WriteString(s.w, f.Text)
	return err
}

// receive reads the next frame.
func receive(r *bufio.Reader) (frame, error) {
	var f frame
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return f, err
	}
	size, text := binary.BigEndian.Uint32(head[:]), binary.BigEndian.Uint32(head[4:])
	if uint64(size)+uint64(text) > maxFrame {
		return f, fmt.Errorf("wire: a frame of %d and %d bytes, the limit is %d", size, text, maxFrame)
	}
	b, err := read(r, size)
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(b, &f); err != nil {
		return f, fmt.Errorf("wire: %w", err)
	}
	b, err = read(r, text)
	f.Text = string(b)
	return f, err
}

// read reads n bytes. Room grows with what arrives; a stray length takes none.
func read(r io.Reader, n uint32) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(min(n, 64<<10)))
	if m, err := io.CopyN(&b, r, int64(n)); err != nil {
		return nil, fmt.Errorf("wire: a part of %d bytes ends after %d: %w", n, m, err)
	}
	return b.Bytes(), nil
}

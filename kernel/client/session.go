package client

import (
	"encoding/json"
	"regexp"
	"time"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/interp/commands"
	"github.com/gonterp/gonterp/kernel/message"
)

var _ interp.Sessions = (*Client)(nil)

// Execute runs a cell in the kernel, behind those of its other front ends.
func (c *Client) Execute(cell interp.Cell, out interp.Output) interp.Outcome {
	r := &run{out: out, idle: make(chan struct{})}
	answer := make(chan *message.Message, 1)
	err := c.send(c.shell, "execute_request", message.ExecuteRequest{Code: cell.Code, Silent: cell.Silent}, func(id string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.waiting[id] = answer
		c.runs[id] = r
		if c.order = append(c.order, id); len(c.order) > kept {
			delete(c.runs, c.order[0])
			c.order = c.order[1:]
		}
	})
	var reply *message.Message
	if err == nil {
		reply, err = c.await(answer, "execute_request", 0)
	}
	if err != nil {
		return failed(0, "kernel lost", err.Error())
	}
	select {
	case <-r.idle: // all output has come
	case <-c.gone:
	}
	var content struct {
		message.Failure
		Count   int               `json:"execution_count"`
		Payload []json.RawMessage `json:"payload"`
	}
	if err := reply.Read(&content); err != nil {
		return failed(0, "bad reply", err.Error())
	}
	outcome := interp.Outcome{Count: content.Count, Value: r.value}
	for _, p := range content.Payload {
		if b := payload(p); b != nil {
			outcome.Value = b
		}
	}
	if content.Status != "ok" {
		e := &interp.CellError{Name: content.Name, Value: content.Value, Cell: content.Count}
		for _, line := range content.Traceback {
			e.Traceback = append(e.Traceback, colours.ReplaceAllString(line, ""))
		}
		outcome.Err = e
	}
	return outcome
}

// payload is what a front end is asked to do with a value, as a value: a page to show,
// or a cell to offer. It is nil for what asks for something else.
func payload(p json.RawMessage) *interp.Bundle {
	var of struct {
		Source string       `json:"source"`
		Data   message.Data `json:"data"`
		Text   string       `json:"text"`
	}
	if json.Unmarshal(p, &of) != nil {
		return nil
	}
	var b interp.Bundle
	switch of.Source {
	case "page":
		b = bundle(of.Data, nil)
	case "set_next_input":
		b = interp.Bundle{Data: map[string]any{"text/plain": of.Text, commands.InputForm: of.Text}}
	default:
		return nil
	}
	return &b
}

// colours are in tracebacks for notebooks; a terminal has its own.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

func failed(count int, name, value string) interp.Outcome {
	return interp.Outcome{Count: count, Err: &interp.CellError{Name: name, Value: value, Cell: count, Traceback: []string{name + ": " + value}}}
}

// published takes what the kernel tells all front ends.
func (c *Client) published(m received) {
	c.mu.Lock()
	select {
	case <-c.seen:
	default:
		close(c.seen)
	}
	r := c.runs[m.parent]
	c.mu.Unlock()
	if r == nil {
		return // another front end's
	}
	switch m.Header.Type {
	case "execute_input":
		var in message.ExecuteInput
		if m.Read(&in) == nil {
			r.number = in.Count
		}
	case "stream":
		var s message.Stream
		if m.Read(&s) == nil {
			r.out.Stream(r.number, s.Name, s.Text)
		}
	case "display_data", "update_display_data":
		var d message.DisplayData
		if m.Read(&d) == nil {
			r.out.Display(r.number, bundle(d.Data, d.Metadata), d.Transient.ID, m.Header.Type != "display_data")
		}
	case "execute_result":
		var d message.ExecuteResult
		if m.Read(&d) == nil {
			b := bundle(d.Data, d.Metadata)
			r.value = &b
		}
	case "clear_output":
		var cl message.ClearOutput
		if m.Read(&cl) == nil {
			r.out.Clear(r.number, cl.Wait)
		}
	case "status":
		var s message.Status
		if m.Read(&s) == nil && s.State == "idle" {
			r.over.Do(func() { close(r.idle) })
		}
	}
}

// bundle gives a bundle's values as JSON, as a session in another process does.
func bundle(data, metadata message.Data) interp.Bundle {
	b := interp.Bundle{Data: map[string]any{}, Metadata: map[string]any{}}
	for k, v := range data {
		b.Data[k] = v
	}
	for k, v := range metadata {
		b.Metadata[k] = v
	}
	return b
}

// asked takes a question to the person.
func (c *Client) asked(m received) {
	var q message.InputRequest
	c.mu.Lock()
	r := c.runs[m.parent]
	c.mu.Unlock()
	if m.Header.Type != "input_request" || m.Read(&q) != nil || r == nil {
		return
	}
	parent := m.Raw
	go func() {
		line, err := r.out.Input(q.Prompt, q.Password)
		if err != nil {
			c.Interrupt() // ends the question, and the cell
			return
		}
		c.stdin.send(c.codec.Encode("input_reply", parent, message.InputReply{Value: line})...)
	}()
}

// patience is how long a question about code may take.
const patience = 5 * time.Second

// Complete implements interp.Sessions.
func (c *Client) Complete(code string, cursor int) interp.Completion {
	none := interp.Completion{Start: cursor, End: cursor}
	reply, err := c.ask(c.shell, "complete_request", message.CompleteRequest{Code: code, Cursor: cursor}, patience)
	if err != nil {
		return none
	}
	var r struct {
		message.CompleteReply
		Metadata struct {
			Types []message.CompletionType `json:"_jupyter_types_experimental"`
		} `json:"metadata"`
	}
	if reply.Read(&r) != nil || r.Status != "ok" {
		return none
	}
	out := interp.Completion{Start: r.Start, End: r.End}
	for i, m := range r.Matches {
		item := interp.CompletionItem{Text: m}
		if i < len(r.Metadata.Types) {
			item.Kind, item.Signature = r.Metadata.Types[i].Type, r.Metadata.Types[i].Signature
		}
		out.Items = append(out.Items, item)
	}
	return out
}

// Inspect implements interp.Sessions.
func (c *Client) Inspect(code string, cursor, detail int) (interp.Bundle, bool) {
	reply, err := c.ask(c.shell, "inspect_request", message.InspectRequest{Code: code, Cursor: cursor, Detail: detail}, patience)
	var r message.InspectReply
	if err != nil || reply.Read(&r) != nil || !r.Found {
		return interp.Bundle{}, false
	}
	return bundle(r.Data, r.Metadata), true
}

// IsComplete implements interp.Sessions. Its status is "unknown" where the kernel
// does not answer.
func (c *Client) IsComplete(code string) interp.Completeness {
	reply, err := c.ask(c.shell, "is_complete_request", message.IsCompleteRequest{Code: code}, patience)
	var r message.IsCompleteReply
	if err != nil || reply.Read(&r) != nil {
		return interp.Completeness{Status: "unknown"}
	}
	return interp.Completeness{Status: r.Status, Indent: r.Indent}
}

// Interrupt implements interp.Sessions: it stops the kernel's running cell,
// whichever front end it is of.
func (c *Client) Interrupt() {
	c.send(c.control, "interrupt_request", json.RawMessage("{}"), func(string) {})
}

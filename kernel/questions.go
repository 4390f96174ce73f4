package kernel

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/interp/cell"
	"github.com/gonterp/gonterp/interp/commands"
	"github.com/gonterp/gonterp/kernel/message"
)

// A cursor is a place in code, in code points. Some clients count UTF-16 units;
// where their number can only be that, it is understood and answers count the same.
type cursor struct {
	code   []rune
	at     int
	double bool // the client counts UTF-16 units
}

func newCursor(code string, at int) cursor {
	c := cursor{code: []rune(code), at: max(at, 0)}
	if c.at <= len(c.code) {
		return c
	}
	if units := utf16.Encode(c.code); c.at <= len(units) {
		c.double = true
		c.at = len([]rune(string(utf16.Decode(units[:c.at]))))
		return c
	}
	c.at = len(c.code)
	return c
}

// out is an offset as the client counts.
func (c cursor) out(at int) int {
	at = min(max(at, 0), len(c.code))
	if c.double {
		return len(utf16.Encode(c.code[:at]))
	}
	return at
}

func (k *kernel) complete(r *request) {
	var q message.CompleteRequest
	if err := r.Read(&q); err != nil {
		k.unreadable(r, err)
		return
	}
	c := newCursor(q.Code, q.Cursor)
	found := k.worker.session().Complete(q.Code, c.at)
	start, end := c.out(found.Start), c.out(found.End)
	reply := message.CompleteReply{Status: "ok", Matches: []string{}, Start: start, End: end, Metadata: map[string]any{}}
	types := []message.CompletionType{}
	for _, item := range found.Items {
		reply.Matches = append(reply.Matches, item.Text)
		types = append(types, message.CompletionType{Text: item.Text, Type: completionType(item.Kind), Signature: item.Signature, Start: start, End: end})
	}
	if len(types) > 0 {
		reply.Metadata["_jupyter_types_experimental"] = types
	}
	k.reply(r, "complete_reply", reply)
}

// completionType is JupyterLab's word for a kind, which chooses the icon.
func completionType(kind string) string {
	switch kind {
	case "func":
		return "function"
	case "method":
		return "function"
	case "var", "value":
		return "instance"
	case "type":
		return "class"
	case "const":
		return "statement"
	case "package":
		return "module"
	case "field":
		return "property"
	}
	return kind
}

func (k *kernel) inspect(r *request) {
	var q message.InspectRequest
	if err := r.Read(&q); err != nil {
		k.unreadable(r, err)
		return
	}
	c := newCursor(q.Code, q.Cursor)
	b, found := k.worker.session().Inspect(q.Code, c.at, q.Detail)
	k.reply(r, "inspect_reply", message.InspectReply{Status: "ok", Found: found, Data: values(b.Data), Metadata: values(b.Metadata)})
}

// payloadOf is what a front end is to do with a cell's value instead of showing it as a
// result: show as a page what a name is, or offer as a cell what was read from a file.
// It is nil for an ordinary value.
func payloadOf(code string, answer *interp.Bundle) any {
	if answer == nil {
		return nil
	}
	data := values(answer.Data)
	var text string
	switch {
	case commands.Asks(code):
		return message.Page{Source: "page", Data: data}
	case json.Unmarshal(data[commands.InputForm], &text) == nil:
		return message.NextInput{Source: "set_next_input", Text: text, Replace: true}
	}
	return nil
}

func (k *kernel) isComplete(r *request) {
	var q message.IsCompleteRequest
	if err := r.Read(&q); err != nil {
		k.unreadable(r, err)
		return
	}
	c := k.completeness(q.Code)
	reply := message.IsCompleteReply{Status: c.Status}
	if c.Status == "incomplete" {
		reply.Indent = strings.ReplaceAll(c.Indent, "\t", "    ") // jupyter console shows a tab as ^I
	}
	k.reply(r, "is_complete_reply", reply)
}

// promptly is how long the session may take to judge a cell. A front end waits for
// the answer after each Enter.
const promptly = 80 * time.Millisecond

// completeness asks the session, which knows its own commands; where it is away or
// late, Go's grammar alone decides.
func (k *kernel) completeness(code string) interp.Completeness {
	answer := make(chan interp.Completeness, 1)
	go func() { answer <- k.worker.session().IsComplete(code) }()
	select {
	case c := <-answer:
		if c.Status != "unknown" {
			return c
		}
	case <-time.After(promptly):
	}
	status, indent := cell.Complete(code)
	return interp.Completeness{Status: status, Indent: indent}
}

func (k *kernel) searchHistory(r *request) {
	var q message.HistoryRequest
	if err := r.Read(&q); err != nil {
		k.unreadable(r, err)
		return
	}
	k.reply(r, "history_reply", message.HistoryReply{Status: "ok", History: k.history.find(q)})
}

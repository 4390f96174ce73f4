package kernel_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/interp/commands"
	kernelclient "github.com/gonterp/gonterp/kernel/client"
)

// What a name is comes as a page, and a cell that was read from a file as the next
// input.
func TestPage(t *testing.T) {
	c := start(t)
	r := c.run("value doc?")
	equal(t, "messages", r.types(), "busy execute_input idle")
	pages := r.reply.content["payload"].([]any)
	if len(pages) != 1 {
		t.Fatalf("payload %v", pages)
	}
	p := pages[0].(map[string]any)
	equal(t, "source and start", fmt.Sprint(p["source"], p["start"]), "page0")
	equal(t, "text", p["data"].(map[string]any)["text/plain"], any("doc?"))

	r = c.run("input x := 1")
	equal(t, "messages", r.types(), "busy execute_input idle")
	equal(t, "payload", fmt.Sprint(r.reply.content["payload"]), "[map[replace:true source:set_next_input text:x := 1]]")
	equal(t, "an ordinary value", c.run("value 1").types(), "busy execute_input execute_result idle")
	equal(t, "an error", c.run("fail doc?").reply.text("status"), "error")
}

// gonterp's own client takes both as values.
func TestPayloadsInTheClient(t *testing.T) {
	c := start(t)
	s, err := kernelclient.Open(c.file)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for code, want := range map[string]string{"value doc?": "doc?", "input x := 1": "x := 1", "value 7": "7"} {
		o := s.Execute(interp.Cell{Code: code}, silence{})
		if o.Err != nil || o.Value == nil {
			t.Fatalf("%s: %+v", code, o)
		}
		b, _ := json.Marshal(o.Value.Data["text/plain"])
		equal(t, code, string(b), fmt.Sprintf("%q", want))
		_, offered := o.Value.Data[commands.InputForm]
		equal(t, code+" is offered", offered, code == "input x := 1")
	}
}

// silence is an output that nobody sees.
type silence struct{}

func (silence) Stream(int, string, string)               {}
func (silence) Display(int, interp.Bundle, string, bool) {}
func (silence) Clear(int, bool)                          {}
func (silence) Input(string, bool) (string, error)       { return "", interp.ErrInterrupted }

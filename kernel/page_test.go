package kernel_test

import (
	"fmt"
	"testing"
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

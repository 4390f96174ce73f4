package kernel_test

import (
	"fmt"
	"testing"
)

// What a name is comes as a page to a front end that says all of its request, as
// Jupyter's do, and as a value to others.
func TestPage(t *testing.T) {
	c := start(t)
	r := c.run("value doc?", "store_history", true)
	equal(t, "messages", r.types(), "busy execute_input idle")
	pages := r.reply.content["payload"].([]any)
	if len(pages) != 1 {
		t.Fatalf("payload %v", pages)
	}
	p := pages[0].(map[string]any)
	equal(t, "source and start", fmt.Sprint(p["source"], p["start"]), "page0")
	equal(t, "text", p["data"].(map[string]any)["text/plain"], any("doc?"))

	r = c.run("value doc?")
	equal(t, "messages", r.types(), "busy execute_input execute_result idle")
	equal(t, "payload", fmt.Sprint(r.reply.content["payload"]), "[]")
	equal(t, "an ordinary value", c.run("value 1", "store_history", true).types(), "busy execute_input execute_result idle")
	equal(t, "an error", c.run("fail doc?", "store_history", true).reply.text("status"), "error")
}

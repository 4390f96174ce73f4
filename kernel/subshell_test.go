package kernel_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/gonterp/gonterp/kernel/message"
)

// subshell creates a subshell.
func (c *client) subshell() string {
	c.Helper()
	r := c.reply(c.control, c.send(c.control, "create_subshell_request", map[string]any{}), time.Second)
	return r.text("subshell_id")
}

// in sends a request to a subshell.
func (c *client) in(subshell, typ string, content map[string]any) string {
	c.Helper()
	return c.sendAs(c.shell, typ, content, func(h *message.Header) { h.Subshell = subshell })
}

func (c *client) interrupt(subshell string) {
	c.Helper()
	id := c.sendAs(c.control, "interrupt_request", map[string]any{}, func(h *message.Header) { h.Subshell = subshell })
	c.reply(c.control, id, time.Second)
}

func TestSubshells(t *testing.T) {
	c := start(t)
	id := c.subshell()
	list := c.reply(c.control, c.send(c.control, "list_subshell_request", map[string]any{}), time.Second)
	equal(t, "list", fmt.Sprint(list.content["subshell_id"]), "["+id+"]")
	in := func(subshell string) got {
		return c.reply(c.shell, c.in(subshell, "execute_request", map[string]any{"code": "print x"}), 5*time.Second)
	}
	equal(t, "a cell in it", in(id).text("status"), "ok")
	equal(t, "a cell in another", in("nowhere").text("status"), "error")
	del := func() string {
		return c.reply(c.control, c.send(c.control, "delete_subshell_request", map[string]any{"subshell_id": id}), time.Second).text("status")
	}
	equal(t, "delete", del(), "ok")
	equal(t, "delete again", del(), "error")
}

// A subshell's cells run beside the main shell's: with numbers of their own, and
// stopped by their own interrupts and errors.
func TestSubshellsRunBesideTheMainOne(t *testing.T) {
	c := start(t)
	id := c.subshell()
	main := c.execute("wait 60000")
	time.Sleep(50 * time.Millisecond)
	cell := func(code string) string { return c.in(id, "execute_request", map[string]any{"code": code}) }
	r := c.reply(c.shell, cell("print beside"), 2*time.Second)
	equal(t, "a cell beside", r.text("status"), "ok")
	equal(t, "its number", r.content["execution_count"], any(2.0))
	for typ, content := range map[string]map[string]any{
		"complete_request":    {"code": "pr", "cursor_pos": 2},
		"inspect_request":     {"code": "x", "cursor_pos": 1},
		"is_complete_request": {"code": "x"},
		"history_request":     {"hist_access_type": "tail", "n": 5},
		"comm_info_request":   {},
		"kernel_info_request": {},
	} {
		asked := time.Now()
		c.reply(c.shell, c.in(id, typ, content), 2*time.Second)
		if took := time.Since(asked); took > 90*time.Millisecond {
			t.Errorf("%s took %v in a subshell that is idle", typ, took)
		}
	}
	failing, behind := cell("wait 100\nfail now"), cell("print x")
	equal(t, "an error", c.reply(c.shell, failing, 2*time.Second).text("status"), "error")
	equal(t, "the cell behind it", c.reply(c.shell, behind, 2*time.Second).text("status"), "aborted")
	other := cell("wait 60000")
	time.Sleep(50 * time.Millisecond)
	c.interrupt(id)
	equal(t, "an interrupted cell", c.reply(c.shell, other, 2*time.Second).text("ename"), "interrupted")
	c.interrupt("")
	equal(t, "the main cell", c.reply(c.shell, main, 2*time.Second).text("ename"), "interrupted")

	// The main shell's interrupt is for the others while it does nothing itself.
	other = cell("wait 60000")
	time.Sleep(50 * time.Millisecond)
	c.interrupt("")
	equal(t, "a cell of a subshell", c.reply(c.shell, other, 2*time.Second).text("ename"), "interrupted")

	// What runs in a subshell ends with it, and what waits in it is answered.
	other, behind = cell("wait 60000"), cell("print x")
	time.Sleep(50 * time.Millisecond)
	c.send(c.control, "delete_subshell_request", map[string]any{"subshell_id": id})
	ends := map[string]string{}
	for range 2 {
		g, err := c.recv(c.shell, 2*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		ends[g.parent] = g.text("ename")
	}
	equal(t, "what ran and what waited", fmt.Sprint(ends[other], ", ", ends[behind]), "interrupted, unknown subshell")
	equal(t, "the main shell", c.run("print on").output(""), "on\n")
}

// After an idle of another request the kernel's last word is busy as long as any
// cell runs.
func TestStatusWithTwoCells(t *testing.T) {
	c := start(t)
	id := c.subshell()
	main := c.execute("wait 60000")
	time.Sleep(50 * time.Millisecond)
	c.reply(c.shell, c.in(id, "execute_request", map[string]any{"code": "print x"}), 2*time.Second)
	last, parent := "", ""
	for {
		g, err := c.recv(c.iopub, 300*time.Millisecond)
		if err != nil {
			break
		}
		if g.typ == "status" {
			last, parent = g.text("execution_state"), g.parent
		}
	}
	equal(t, "the last status", last+" "+parent, "busy "+main)
}

package kernel_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// comms lists what comm_info_request tells.
func (c *client) comms(target string) string {
	c.Helper()
	content := map[string]any{}
	if target != "" {
		content["target_name"] = target
	}
	return fmt.Sprint(c.reply(c.shell, c.send(c.shell, "comm_info_request", content), time.Second).content["comms"])
}

// comm sends a message of a comm with binary parts and gives what follows from it.
func (c *client) comm(typ string, content map[string]any, buffers ...[]byte) result {
	c.Helper()
	frames := c.codec.EncodeWith(typ, nil, []byte(`{"version":"2"}`), content, buffers...)
	m, err := c.codec.Decode(frames)
	if err != nil {
		c.Fatal(err)
	}
	if err := c.shell.Send(frames...); err != nil {
		c.Fatal(err)
	}
	return result{io: c.shown(m.Header.ID, 2*time.Second)}
}

func TestCommOfAFrontEnd(t *testing.T) {
	c := start(t)
	r := c.comm("comm_open", map[string]any{"comm_id": "1", "target_name": "echo", "data": map[string]any{"x": 1}}, []byte{0, 1}, nil, []byte("b"))
	equal(t, "messages", r.types(), "busy stream comm_msg idle")
	m := r.io[2]
	equal(t, "data", fmt.Sprint(m.content["comm_id"], m.content["data"]), "1map[x:1]")
	equal(t, "metadata", m.meta, `{"version":"2"}`)
	equal(t, "buffers", fmt.Sprintf("%q", m.buffers), `["\x00\x01" "" "b"]`)
	equal(t, "output", r.output("stdout"), "open\n")
	equal(t, "all comms", c.comms(""), "map[1:map[target_name:echo]]")
	equal(t, "those of a target", c.comms("echo"), "map[1:map[target_name:echo]]")
	equal(t, "those of another", c.comms("other"), "map[]")

	equal(t, "a message", c.comm("comm_msg", map[string]any{"comm_id": "1", "data": 2}).types(), "busy stream comm_msg idle")
	equal(t, "one to nobody", c.comm("comm_msg", map[string]any{"comm_id": "2", "data": 2}).types(), "busy idle")
	equal(t, "one without an id", c.comm("comm_msg", map[string]any{"data": 2}).types(), "busy idle")
	r = c.comm("comm_msg", map[string]any{"comm_id": "1", "data": "fail"})
	equal(t, "a handler that fails", r.types(), "busy error idle")
	equal(t, "its error", r.io[1].text("ename")+" "+r.io[1].text("evalue"), "panic as it was told")
	equal(t, "after it", c.comms(""), "map[1:map[target_name:echo]]")

	// Messages wait for the cell that runs, and an error does not take them along.
	cell := c.execute("wait 200\nfail x")
	behind := c.execute("print x")
	began := time.Now()
	equal(t, "behind a cell", c.comm("comm_msg", map[string]any{"comm_id": "1", "data": 2}).types(), "busy stream comm_msg idle")
	if took := time.Since(began); took < 150*time.Millisecond {
		t.Errorf("it came after %v", took)
	}
	equal(t, "the cell", c.reply(c.shell, cell, time.Second).text("status"), "error")
	equal(t, "the one behind it", c.reply(c.shell, behind, time.Second).text("status"), "aborted")

	equal(t, "closing", c.comm("comm_close", map[string]any{"comm_id": "1"}).types(), "busy idle")
	equal(t, "no comms", c.comms(""), "map[]")
	r = c.comm("comm_open", map[string]any{"comm_id": "1", "target_name": "unknown"})
	equal(t, "an unknown target", r.types(), "busy comm_close idle")
	equal(t, "no comms", c.comms(""), "map[]")
}

func TestCommOfACell(t *testing.T) {
	c := start(t)
	r := c.run("open chart")
	equal(t, "messages", r.types(), "busy execute_input comm_open idle")
	m := r.io[2]
	equal(t, "content", fmt.Sprint(m.content), "map[comm_id:of a cell data:map[a:1] target_name:chart]")
	equal(t, "metadata", m.meta, `{"m":1}`)
	equal(t, "buffers", fmt.Sprintf("%q", m.buffers), `["\x00\xff" ""]`)
	equal(t, "comms", c.comms("chart"), "map[of a cell:map[target_name:chart]]")
	r = c.run("exit 1")
	if !strings.Contains(r.types(), "comm_close") {
		t.Errorf("the comm of a dead worker was not closed: %s", r.types())
	}
	equal(t, "comms", c.comms(""), "map[]")
}

package kernel_test

import (
	"fmt"
	"testing"
)

func TestLeave(t *testing.T) {
	c := start(t)
	for _, code := range []string{"quit", " quit()\n", "%quit"} {
		r := c.run(code)
		equal(t, code+": messages", r.types(), "busy execute_input stream idle")
		equal(t, code+": status", r.reply.text("status"), "ok")
		equal(t, code+": payload", fmt.Sprint(r.reply.content["payload"]), "[map[keepkernel:false source:ask_exit]]")
	}
	equal(t, "another failure", c.run("fail quit").reply.text("status"), "error")
	equal(t, "the kernel", c.run("print on").output("stdout"), "on\n")
}

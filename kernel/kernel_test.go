package kernel_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gonterp/gonterp/kernel/message"
)

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestExecute(t *testing.T) {
	c := start(t)
	r := c.run("print one\nwarn two\nprint three")
	equal(t, "messages", r.types(), "busy execute_input stream stream stream idle")
	equal(t, "output in order", r.output(""), "one\ntwo\nthree\n")
	equal(t, "stderr", r.output("stderr"), "two\n")
	equal(t, "status", r.reply.text("status"), "ok")
	equal(t, "count", r.reply.content["execution_count"], any(1.0))

	r = c.run("value 42")
	equal(t, "messages", r.types(), "busy execute_input execute_result idle")
	data := r.io[2].content["data"].(map[string]any)
	equal(t, "text", data["text/plain"], any("42"))
	equal(t, "binary forms are base64", data["image/png"], any("AQID"))
	equal(t, "text forms are text", data["image/svg+xml"], any("<svg/>"))

	r = c.run("display x")
	equal(t, "messages", r.types(), "busy execute_input display_data update_display_data clear_output idle")
	equal(t, "display id", fmt.Sprint(r.io[3].content["transient"]), "map[display_id:d1]")

	r = c.run("print a\nfail why")
	equal(t, "messages", r.types(), "busy execute_input stream error idle")
	equal(t, "error", r.reply.text("ename")+": "+r.reply.text("evalue"), "fake error: why")

	r = c.run("panic inside the session")
	equal(t, "status", r.reply.text("status"), "error")
	equal(t, "the session lives", c.run("print alive").output("stdout"), "alive\n")
}

func TestSilentAndHistoryFlags(t *testing.T) {
	c := start(t)
	count := func(r result) float64 { return r.reply.content["execution_count"].(float64) }
	n := count(c.run("print a"))
	r := c.run("value 1", "silent", true)
	equal(t, "a silent cell's messages", r.types(), "busy idle")
	c.run("print b", "store_history", false)
	equal(t, "neither counts", count(c.run("print c")), n+1)
	r = c.run("print d", "user_expressions", map[string]string{"v": "value 7", "e": "fail no", "n": "print x"})
	x := r.reply.content["user_expressions"].(map[string]any)
	for name, want := range map[string]string{"v": "ok", "e": "error", "n": "error"} {
		equal(t, name, x[name].(map[string]any)["status"], any(want))
	}
}

func TestErrorAbortsTheQueue(t *testing.T) {
	c := start(t)
	for _, stop := range []bool{true, false} {
		first := c.execute("wait 100\nfail now", "stop_on_error", stop)
		second, third := c.execute("print second"), c.execute("print third")
		equal(t, "first", c.reply(c.shell, first, 5*time.Second).text("status"), "error")
		want := "ok"
		if stop {
			want = "aborted"
		}
		equal(t, "second", c.reply(c.shell, second, 5*time.Second).text("status"), want)
		equal(t, "third", c.reply(c.shell, third, 5*time.Second).text("status"), want)
		c.drain()
	}
	equal(t, "a cell sent after the reply", c.run("print on").reply.text("status"), "ok")
}

// Questions are answered while a cell runs, each between its own busy and idle,
// and the kernel is busy again afterwards.
func TestQuestionsBesideACell(t *testing.T) {
	c := start(t)
	cell := c.execute("wait 60000")
	time.Sleep(100 * time.Millisecond)
	ask := func(typ string, content map[string]any, limit time.Duration) got {
		t.Helper()
		asked := time.Now()
		id := c.send(c.shell, typ, content)
		g := c.reply(c.shell, id, 5*time.Second)
		if took := time.Since(asked); took > limit {
			t.Errorf("%s took %v", typ, took)
		}
		return g
	}
	equal(t, "is_complete", ask("is_complete_request", map[string]any{"code": "for {"}, time.Second).text("status"), "incomplete")
	equal(t, "complete", fmt.Sprint(ask("complete_request", map[string]any{"code": "pr", "cursor_pos": 2}, time.Second).content["matches"]), "[print]")
	equal(t, "inspect", ask("inspect_request", map[string]any{"code": "x", "cursor_pos": 1}, time.Second).content["found"], any(true))
	equal(t, "history", ask("history_request", map[string]any{"hist_access_type": "tail", "n": 5}, time.Second).text("status"), "ok")
	equal(t, "comm_info", ask("comm_info_request", map[string]any{}, time.Second).text("status"), "ok")
	equal(t, "kernel_info", ask("kernel_info_request", map[string]any{}, time.Second).text("status"), "ok")
	var states []string
	for {
		g, err := c.recv(c.iopub, 300*time.Millisecond)
		if err != nil {
			break
		}
		if g.typ == "status" {
			states = append(states, g.text("execution_state"))
		}
	}
	equal(t, "last state", states[len(states)-1], "busy")

	asked := time.Now()
	id := c.send(c.control, "interrupt_request", map[string]any{})
	equal(t, "interrupt", c.reply(c.control, id, time.Second).text("status"), "ok")
	equal(t, "the cell", c.reply(c.shell, cell, 2*time.Second).text("ename"), "interrupted")
	if took := time.Since(asked); took > time.Second {
		t.Errorf("the interrupt took %v", took)
	}
}

func TestInterruptBySignal(t *testing.T) {
	c := start(t)
	c.cmd.Process.Signal(os.Interrupt) // nothing runs: harmless
	equal(t, "after an idle interrupt", c.run("print on").output(""), "on\n")
	cell := c.execute("wait 60000")
	time.Sleep(100 * time.Millisecond)
	c.cmd.Process.Signal(os.Interrupt)
	equal(t, "the cell", c.reply(c.shell, cell, 2*time.Second).text("ename"), "interrupted")
}

// An interrupt holds for a cell that waits for its worker too.
func TestInterruptBeforeTheWorkerIsThere(t *testing.T) {
	t.Setenv("TEST_OPENING", "1s")
	c := start(t)
	c.run("signal 9") // whose successor opens slowly again
	cell := c.execute("wait 60000")
	time.Sleep(100 * time.Millisecond)
	c.cmd.Process.Signal(os.Interrupt)
	equal(t, "the cell", c.reply(c.shell, cell, 5*time.Second).text("ename"), "interrupted")
	equal(t, "the next cell", c.run("print on").output(""), "on\n")
}

func TestUTF16Cursor(t *testing.T) {
	c := start(t)
	for _, cursor := range []int{4, 6} { // four code points, six UTF-16 units
		id := c.send(c.shell, "complete_request", map[string]any{"code": "𝐚𝐚pr", "cursor_pos": cursor})
		equal(t, "cursor_end", c.reply(c.shell, id, time.Second).content["cursor_end"], any(float64(cursor)))
	}
}

func TestInput(t *testing.T) {
	c := start(t)
	cell := c.execute("ask name?", "allow_stdin", true)
	g, err := c.recv(c.stdin, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "request", g.typ+" "+g.text("prompt"), "input_request name?")
	c.send(c.stdin, "input_reply", map[string]any{"value": "bob"})
	equal(t, "output", result{io: c.shown(cell, 5*time.Second)}.output("stdout"), "got bob\n")

	r := c.run("ask name?", "allow_stdin", false)
	equal(t, "refused", r.reply.text("status"), "error")

	cell = c.execute("ask name?")
	if _, err := c.recv(c.stdin, 5*time.Second); err != nil {
		t.Fatal(err)
	}
	c.send(c.control, "interrupt_request", map[string]any{})
	equal(t, "interrupted", c.reply(c.shell, cell, 5*time.Second).text("status"), "error")
}

func TestOutputOfEveryKind(t *testing.T) {
	c := start(t)
	equal(t, "file descriptor 1", c.run("fd raw").output("stdout"), "raw\n")
	r := c.run("print before\nchild echo out; echo err >&2\nprint after")
	equal(t, "a child's stdout", r.output("stdout"), "before\nout\nafter\n")
	equal(t, "a child's stderr", r.output("stderr"), "err\n")
	r = c.run("lines 100000")
	var want strings.Builder
	for i := range 100000 {
		fmt.Fprintf(&want, "line %d\n", i)
	}
	equal(t, "100000 lines are complete", r.output("stdout") == want.String(), true)
	if n := strings.Count(r.types(), "stream"); n > 10 {
		t.Errorf("100000 lines took %d messages", n)
	}
	late := c.execute("late hello")
	c.reply(c.shell, late, 5*time.Second)
	c.reply(c.shell, c.execute("print other"), 5*time.Second)
	for {
		g, err := c.recv(c.iopub, 2*time.Second)
		if err != nil {
			t.Fatal("the late output did not come")
		}
		if strings.Contains(g.text("text"), "hello") {
			equal(t, "the cell of late output", g.parent, late)
			break
		}
	}
}

func TestOutputIsLive(t *testing.T) {
	c := start(t)
	c.run("print warm")
	began := time.Now()
	c.execute("print early\nwait 1000")
	for {
		g, err := c.recv(c.iopub, 900*time.Millisecond)
		if err != nil {
			t.Fatal("the output did not come while the cell ran")
		}
		if g.typ == "stream" {
			break
		}
	}
	if took := time.Since(began); took > 500*time.Millisecond {
		t.Errorf("the output came after %v", took)
	}
}

func TestWorkerDeath(t *testing.T) {
	for code, want := range map[string]string{
		"exit 3":   "exit status 3",
		"signal 9": "signal 9",
		"fatal":    "fatal error: concurrent map", // writes, or a read and a write
	} {
		t.Run(code, func(t *testing.T) {
			c := start(t)
			c.run("print a")
			r := c.run("print last\nwarn of all\nfd raw\n" + code)
			equal(t, "error", r.reply.text("ename"), "worker died")
			equal(t, "what it wrote last", r.output("stdout"), "last\nraw\n")
			if !strings.HasPrefix(r.output("stderr"), "of all\n") {
				t.Errorf("what it wrote last is lost: %q", r.output("stderr"))
			}
			if !strings.Contains(r.reply.text("evalue"), want) {
				t.Errorf("the reason is %q, want it to say %q", r.reply.text("evalue"), want)
			}
			if lost := fmt.Sprint(r.reply.content["traceback"]); !strings.Contains(lost, "cells 1 to 2") {
				t.Errorf("what was lost is not said: %s", lost)
			}
			if code == "fatal" && !strings.Contains(r.output("stderr"), "last words") {
				t.Errorf("what it wrote last is lost: %q", r.output("stderr"))
			}
			r = c.run("print on")
			equal(t, "the next worker", r.output(""), "on\n")
			equal(t, "it counts anew", r.reply.content["execution_count"], any(1.0))
		})
	}
}

// A worker that cannot live is not started for ever, and each cell says why.
func TestWorkerThatCannotLive(t *testing.T) {
	for worker, want := range map[string]string{
		"/bin/false":          "exit status 1",
		"/nonexistent/worker": "no such file",
	} {
		t.Setenv("TEST_WORKER", worker)
		c := start(t)
		for range 2 {
			r := c.run("print x")
			if got := r.reply.text("evalue"); r.reply.text("status") != "error" || !strings.Contains(got, want) {
				t.Errorf("%s: got %q, want it to say %q", worker, got, want)
			}
		}
		for code, want := range map[string]string{"x": "complete", "for {": "incomplete", "x := )": "invalid"} {
			id := c.send(c.shell, "is_complete_request", map[string]any{"code": code})
			equal(t, "is_complete", c.reply(c.shell, id, 5*time.Second).text("status"), want)
		}
	}
}

func TestRefusals(t *testing.T) {
	c := start(t)
	d := c.reply(c.control, c.send(c.control, "debug_request", map[string]any{"seq": 4, "command": "attach"}), time.Second)
	equal(t, "debugging", fmt.Sprint(d.content["success"], d.content["request_seq"]), "false 4")
	bad := c.reply(c.shell, c.send(c.shell, "execute_request", map[string]any{"code": 5}), time.Second)
	equal(t, "bad content", bad.text("ename"), "bad request")
	c.send(c.shell, "no_such_request", map[string]any{})
	stranger, _ := message.NewCodec("another key", "")
	c.shell.Send(stranger.Encode("kernel_info_request", nil, map[string]any{})...)
	c.shell.Send([]byte("garbage"))
	equal(t, "the kernel", c.run("print on").output(""), "on\n")
}

func TestShutdown(t *testing.T) {
	c := start(t)
	c.run("leave 100")
	c.execute("wait 60000")
	id := c.send(c.control, "shutdown_request", map[string]any{"restart": true})
	r := c.reply(c.control, id, 2*time.Second)
	equal(t, "reply", fmt.Sprint(r.typ, r.content["restart"]), "shutdown_reply"+"true")
	c.ended(5 * time.Second)
	// The same connection file serves the next kernel at once.
	c.launch()
	equal(t, "after the restart", c.run("print on").output(""), "on\n")
}

// Nothing is left behind, however the kernel ends.
func TestChildrenEndWithTheKernel(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		c := start(t)
		c.run("leave 87654321")
		worker := children(c.cmd.Process.Pid)
		if len(worker) != 1 {
			t.Fatalf("the kernel has children %v", worker)
		}
		left := children(worker[0])
		if len(left) != 1 {
			t.Fatalf("the worker has children %v", left)
		}
		c.cmd.Process.Signal(s)
		c.ended(5 * time.Second)
		for _, pid := range append(worker, left...) {
			for end := time.Now().Add(5 * time.Second); alive(pid) && !zombie(pid); time.Sleep(20 * time.Millisecond) {
				if time.Now().After(end) {
					t.Errorf("after %v process %d still runs", s, pid)
					syscall.Kill(pid, syscall.SIGKILL)
				}
			}
		}
	}
}

func children(pid int) []int {
	var all []int
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, task := range tasks {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		for _, f := range strings.Fields(string(b)) {
			var child int
			fmt.Sscan(f, &child)
			all = append(all, child)
		}
	}
	return all
}

func zombie(pid int) bool {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return strings.Contains(string(b), ") Z ")
}

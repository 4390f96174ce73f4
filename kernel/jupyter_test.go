package kernel_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gonterp/gonterp/kernel"
	"github.com/gonterp/gonterp/kernel/message"
	"github.com/gonterp/gonterp/kernel/zmtp/zmtptest"
)

// A client is a front end of a test, connected to a kernel that the test binary
// runs as a process of its own.
type client struct {
	*testing.T
	cmd        *exec.Cmd
	connection kernel.Connection
	codec      *message.Codec
	file       string

	shell, control, stdin, iopub *zmtptest.Peer
}

const key = "a key for tests"

// start starts a kernel and connects to it.
func start(t *testing.T) *client {
	t.Helper()
	c := &client{T: t, file: filepath.Join(t.TempDir(), "connection.json")}
	c.connection = kernel.Connection{Transport: "tcp", IP: "127.0.0.1", Key: key, Scheme: "hmac-sha256"}
	c.launch()
	return c
}

func (c *client) launch() {
	c.Helper()
	b, _ := json.Marshal(c.connection)
	if err := os.WriteFile(c.file, b, 0o600); err != nil {
		c.Fatal(err)
	}
	c.cmd = exec.Command(os.Args[0], "kernel", c.file)
	c.cmd.Stderr = &testWriter{T: c.T}
	c.cmd.Env = append(os.Environ(), "GONTERP_HOME="+filepath.Dir(c.file), "JPY_PARENT_PID=")
	if err := c.cmd.Start(); err != nil {
		c.Fatal(err)
	}
	cmd := c.cmd
	c.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	c.connect("one")
}

// connect opens the channels once the kernel has written its ports.
func (c *client) connect(identity string) {
	c.Helper()
	var err error
	for range 200 {
		time.Sleep(5 * time.Millisecond)
		b, _ := os.ReadFile(c.file)
		if json.Unmarshal(b, &c.connection) != nil || c.connection.Heartbeat == 0 {
			continue
		}
		dial := func(kind string, port int) *zmtptest.Peer {
			p, e := zmtptest.Dial("tcp", net.JoinHostPort("127.0.0.1", fmt.Sprint(port)), kind, identity)
			if e != nil {
				err = e
				return nil
			}
			c.Cleanup(func() { p.Close() })
			return p
		}
		err = nil
		c.shell = dial("DEALER", c.connection.Shell)
		c.control = dial("DEALER", c.connection.Control)
		c.stdin = dial("DEALER", c.connection.Stdin)
		c.iopub = dial("SUB", c.connection.IOPub)
		if err == nil {
			break
		}
	}
	if err != nil {
		c.Fatalf("connecting: %v", err)
	}
	c.iopub.Subscribe("")
	c.codec, _ = message.NewCodec(key, "hmac-sha256")
	for range 100 { // a subscription takes a moment to arrive
		c.send(c.shell, "kernel_info_request", map[string]any{})
		if _, err := c.iopub.Recv(200 * time.Millisecond); err == nil {
			break
		}
	}
	c.drain()
}

func (c *client) drain() {
	for _, p := range []*zmtptest.Peer{c.shell, c.iopub} {
		for {
			if _, err := p.Recv(100 * time.Millisecond); err != nil {
				break
			}
		}
	}
}

// send sends a request and gives its id.
func (c *client) send(on *zmtptest.Peer, typ string, content any) string {
	c.Helper()
	return c.sendAs(on, typ, content, nil)
}

func (c *client) sendAs(on *zmtptest.Peer, typ string, content any, change func(h *message.Header)) string {
	c.Helper()
	frames := c.codec.Encode(typ, nil, content)
	var h message.Header
	json.Unmarshal(frames[2], &h)
	if change != nil {
		change(&h)
		b, _ := json.Marshal(h)
		frames = c.codec.Sign([][]byte{b, frames[3], frames[4], frames[5]})
	}
	if err := on.Send(frames...); err != nil {
		c.Fatal(err)
	}
	return h.ID
}

// A got is a message of the kernel's.
type got struct {
	typ, parent string
	content     map[string]any
	meta        string
	buffers     [][]byte
}

func (g got) text(key string) string { s, _ := g.content[key].(string); return s }

func (c *client) recv(from *zmtptest.Peer, within time.Duration) (got, error) {
	frames, err := from.Recv(within)
	if err != nil {
		return got{}, err
	}
	m, err := c.codec.Decode(frames)
	if err != nil {
		return got{}, err
	}
	var parent struct {
		ID string `json:"msg_id"`
	}
	for i, f := range frames {
		if string(f) == "<IDS|MSG>" {
			json.Unmarshal(frames[i+3], &parent)
		}
	}
	g := got{typ: m.Header.Type, parent: parent.ID, meta: string(m.Meta), buffers: m.Buffers}
	return g, json.Unmarshal(m.Content, &g.content)
}

// reply waits for the reply to a request.
func (c *client) reply(from *zmtptest.Peer, id string, within time.Duration) got {
	c.Helper()
	for end := time.Now().Add(within); ; {
		g, err := c.recv(from, time.Until(end))
		if err != nil {
			c.Fatalf("no reply to %s: %v", id, err)
		}
		if g.parent == id {
			return g
		}
	}
}

// shown collects what belongs to a request until its idle.
func (c *client) shown(id string, within time.Duration) []got {
	c.Helper()
	var all []got
	for end := time.Now().Add(within); ; {
		g, err := c.recv(c.iopub, time.Until(end))
		if err != nil {
			c.Fatalf("no idle for %s: %v", id, err)
		}
		if g.parent != id {
			continue
		}
		all = append(all, g)
		if g.typ == "status" && g.text("execution_state") == "idle" {
			return all
		}
	}
}

type result struct {
	reply got
	io    []got
}

// run runs a cell to its end.
func (c *client) run(code string, options ...any) result {
	c.Helper()
	id := c.execute(code, options...)
	return result{c.reply(c.shell, id, 20*time.Second), c.shown(id, 20*time.Second)}
}

// execute sends a cell; options are keys and values of the request.
func (c *client) execute(code string, options ...any) string {
	c.Helper()
	content := map[string]any{"code": code}
	for i := 0; i < len(options); i += 2 {
		content[options[i].(string)] = options[i+1]
	}
	return c.send(c.shell, "execute_request", content)
}

func (r result) types() string {
	var t []string
	for _, g := range r.io {
		name := g.typ
		if g.typ == "status" {
			name = g.text("execution_state")
		}
		t = append(t, name)
	}
	return strings.Join(t, " ")
}

func (r result) output(name string) string {
	var b strings.Builder
	for _, g := range r.io {
		if g.typ == "stream" && (name == "" || g.text("name") == name) {
			b.WriteString(g.text("text"))
		}
	}
	return b.String()
}

// ended waits for the kernel's process to end.
func (c *client) ended(within time.Duration) {
	c.Helper()
	done := make(chan bool)
	go func() { c.cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(within):
		c.Fatalf("the kernel still runs after %v", within)
	}
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// A testWriter keeps a kernel's log with the test it belongs to.
type testWriter struct {
	*testing.T
	text strings.Builder
}

func (w *testWriter) Write(b []byte) (int, error) { return w.text.Write(b) }

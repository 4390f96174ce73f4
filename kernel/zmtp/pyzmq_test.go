package zmtp_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/gonterp/gonterp/kernel/zmtp"
)

// TestMain lets the test binary be the server that Python's clients talk to: an
// echo on the first port that publishes on the second when it is asked to.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "serve" {
		serve(os.Args[2], os.Args[3])
		return
	}
	os.Exit(m.Run())
}

func serve(router, pub string) {
	listen := func(url string) net.Listener {
		l, err := net.Listen("tcp", strings.TrimPrefix(url, "tcp://"))
		if err != nil {
			panic(err)
		}
		return l
	}
	r := zmtp.NewRouter(listen(router), zmtp.Limits{})
	p := zmtp.NewPub(listen(pub), zmtp.Limits{})
	fmt.Println("ready")
	for {
		m, ok := r.Recv()
		if !ok {
			return
		}
		if len(m.Frames) == 2 && string(m.Frames[0]) == "pub" {
			var n, size int
			fmt.Sscan(string(m.Frames[1]), &n, &size)
			body := make([]byte, size)
			for i := range n {
				p.Publish([][]byte{[]byte("topic"), []byte(fmt.Sprint(i)), body})
			}
			continue
		}
		r.Send(m)
	}
}

// python is an interpreter with pyzmq, or the test is skipped.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("GONTERP_PYTHON"), "../../.gonterp/venv/bin/python", "python3"} {
		if name != "" && exec.Command(name, "-c", "import zmq").Run() == nil {
			return name
		}
	}
	const reason = "no Python with pyzmq: set GONTERP_PYTHON to one (pip install pyzmq)"
	if os.Getenv("CI") == "true" {
		t.Fatal(reason)
	}
	t.Skip(reason)
	return ""
}

// The reference implementation as the peer: small and large messages, a stalled
// subscriber beside a healthy one, peers that come and go and die.
func TestReferencePeers(t *testing.T) {
	py := python(t)
	a, b := freePort(t), freePort(t)
	server := exec.Command(os.Args[0], "serve", a, b)
	server.Stderr = os.Stderr
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer server.Wait()
	defer server.Process.Kill()
	fmt.Fscanln(out)
	client := exec.Command(py, "testdata/peers.py", a, b, fmt.Sprint(server.Process.Pid))
	result := make(chan error, 1)
	var text []byte
	go func() {
		var err error
		text, err = client.CombinedOutput()
		result <- err
	}()
	select {
	case err := <-result:
		if err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		t.Logf("%s", text)
	case <-time.After(2 * time.Minute):
		client.Process.Kill()
		t.Error("the clients did not end")
	}
}

func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "tcp://" + l.Addr().String()
}

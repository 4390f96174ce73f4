package client

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("JUPYTER_RUNTIME_DIR", dir)
	if _, err := Find(""); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("no kernel: %v", err)
	}
	for i, name := range []string{"kernel-abc.json", "kernel-def.json", "nbserver-1.json"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(time.Duration(i) * time.Second)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"": "kernel-def.json", "abc": "kernel-abc.json", filepath.Join(dir, "nbserver-1.json"): "nbserver-1.json"} {
		if got, err := Find(name); err != nil || filepath.Base(got) != want {
			t.Errorf("Find(%q) is %s, %v; want %s", name, got, err, want)
		}
	}
	if _, err := Find("xyz"); err == nil || !strings.Contains(err.Error(), "xyz") {
		t.Errorf("%v", err)
	}
}

// serve answers one connection with bytes.
func serve(t testing.TB, answer []byte) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		c.Write(answer)
		c.(*net.TCPConn).CloseWrite()
		c.SetReadDeadline(time.Now().Add(time.Second))
		for b := make([]byte, 4096); err == nil; {
			_, err = c.Read(b)
		}
	}()
	return l.Addr().String()
}

var handshake = slices.Clip(append(greeting(), "\x04\x06\x05READY"...))

func TestSocketReadsMessages(t *testing.T) {
	s, err := dial("tcp", serve(t, append(handshake, "\x01\x01a\x04\x02\x01P\x02\x00\x00\x00\x00\x00\x00\x00\x02bc"...)), "DEALER", "me")
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.receive()
	if err != nil || len(got) != 2 || string(got[0])+string(got[1]) != "abc" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := s.receive(); err == nil {
		t.Error("no error at the end")
	}
}

// What listens on a port of an old connection file may be anything.
func FuzzSocket(f *testing.F) {
	f.Add([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
	f.Add(handshake)
	f.Add(append(handshake, "\x02\xff\xff\xff\xff\xff\xff\xff\xff"...))
	f.Add(append(handshake, "\x02\x00\x00\x00\x00\x10\x00\x00\x00x"...))
	f.Fuzz(func(t *testing.T, answer []byte) {
		s, err := dial("tcp", serve(t, answer), "SUB", "")
		if err != nil {
			return
		}
		defer s.conn.Close()
		for range len(answer) + 1 {
			if _, err := s.receive(); err != nil {
				return
			}
		}
		t.Errorf("more messages than bytes in %q", answer)
	})
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	for content, says := range map[string]string{
		"{":                             "connection file",
		`{"signature_scheme": "md5"}`:   "md5",
		`{"key": "k", "shell_port": 1}`: "does not answer",
	} {
		path := filepath.Join(dir, "kernel-1.json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", content, err)
		}
	}
}

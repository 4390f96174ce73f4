package kernel

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func connectionFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "connection.json")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Each fault of a connection file is an error that says what to do.
func TestConnectionFaults(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	port := busy.Addr().(*net.TCPAddr).Port
	for content, want := range map[string]string{
		``:                    "end of JSON",
		`{"transport":"udp"}`: "tcp and ipc",
		`{"ip":"0.0.0.0"}`:    "no key",
		`{"key":"k","signature_scheme":"hmac-md5"}`:       "hmac-sha256",
		`{"key":"k","ip":"192.0.2.1"}`:                    "not an address of this machine",
		fmt.Sprintf(`{"key":"k","shell_port":%d}`, port):  fmt.Sprintf("process %d", os.Getpid()),
		fmt.Sprintf(`{"key":"k","iopub_port":%d}`, port):  "the iopub port",
		fmt.Sprintf(`{"key":"k","shell_port":%d }`, port): "delete the connection file",
	} {
		err := Run(connectionFile(t, content), []string{"/nonexistent/worker"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want it to say %q", content, err, want)
		}
	}
	if err := Run(filepath.Join(t.TempDir(), "nothing"), nil); err == nil || !strings.Contains(err.Error(), "--connection") {
		t.Errorf("no file: %v", err)
	}
}

func TestPortsAreChosen(t *testing.T) {
	path := connectionFile(t, `{"key":"k"}`)
	c, err := ReadConnection(path)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := c.listen(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range opened {
		l.Close()
	}
	again, err := ReadConnection(path)
	if err != nil || again.Shell == 0 || *again != *c {
		t.Errorf("the file has %+v, %v; the kernel %+v", again, err, c)
	}
}

func TestUnixSockets(t *testing.T) {
	base := filepath.Join(t.TempDir(), "kernel")
	path := connectionFile(t, fmt.Sprintf(`{"transport":"ipc","ip":%q,"shell_port":1,"iopub_port":2,"stdin_port":3,"control_port":4,"hb_port":5}`, base))
	c, err := ReadConnection(path)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := c.listen(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.listen(path); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a second kernel on the same sockets: %v", err)
	}
	for _, l := range opened {
		l.(*net.UnixListener).SetUnlinkOnClose(false) // as after a kill
		l.Close()
	}
	opened, err = c.listen(path)
	if err != nil {
		t.Fatalf("after a kill: %v", err)
	}
	for _, l := range opened {
		l.Close()
	}
}

func TestInstall(t *testing.T) {
	prefix := t.TempDir()
	for range 2 {
		folder, err := Install(InstallOptions{Executable: "/opt/gonterp", Prefix: prefix})
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(prefix, "share", "jupyter", "kernels", "gonterp"); folder != want {
			t.Errorf("installed in %s, want %s", folder, want)
		}
		b, _ := os.ReadFile(filepath.Join(folder, "kernel.json"))
		var s spec
		if err := json.Unmarshal(b, &s); err != nil || s.Language != "go" || s.Interrupt != "message" ||
			strings.Join(s.Argv, " ") != "/opt/gonterp kernel --connection {connection_file}" {
			t.Errorf("kernel.json is %s, %v", b, err)
		}
		for _, logo := range []string{"logo-32x32.png", "logo-64x64.png", "logo-svg.svg"} {
			if info, err := os.Stat(filepath.Join(folder, logo)); err != nil || info.Size() == 0 {
				t.Errorf("%s: %v", logo, err)
			}
		}
		for _, parent := range []string{"kernels", "labextensions"} {
			left, _ := os.ReadDir(filepath.Join(prefix, "share", "jupyter", parent))
			if len(left) != 1 || left[0].Name() != "gonterp" {
				t.Errorf("%s has %v", parent, left)
			}
		}
		b, _ = os.ReadFile(filepath.Join(prefix, "share", "jupyter", "labextensions", "gonterp", "package.json"))
		var extension struct {
			Jupyterlab struct {
				Build struct{ Load string } `json:"_build"`
			}
		}
		if err := json.Unmarshal(b, &extension); err != nil {
			t.Fatal(err)
		}
		load := filepath.Join(prefix, "share", "jupyter", "labextensions", "gonterp", extension.Jupyterlab.Build.Load)
		if info, err := os.Stat(load); err != nil || info.IsDir() {
			t.Errorf("the extension's %q: %v", extension.Jupyterlab.Build.Load, err)
		}
	}
	dir := filepath.Join(t.TempDir(), "own")
	if _, err := Install(InstallOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "..", "labextensions")); !os.IsNotExist(err) {
		t.Errorf("beside a folder of kernels that was named: %v", err)
	}
	if _, err := Install(InstallOptions{Prefix: os.DevNull}); err == nil || !strings.Contains(err.Error(), "--prefix") {
		t.Errorf("a place that cannot be written: %v", err)
	}
}

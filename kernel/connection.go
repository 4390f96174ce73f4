package kernel

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A Connection is the content of a connection file.
type Connection struct {
	Transport string `json:"transport"` // "tcp" or "ipc"
	IP        string `json:"ip"`        // for ipc, the path that ports are appended to
	Shell     int    `json:"shell_port"`
	IOPub     int    `json:"iopub_port"`
	Stdin     int    `json:"stdin_port"`
	Control   int    `json:"control_port"`
	Heartbeat int    `json:"hb_port"`
	Key       string `json:"key"`
	Scheme    string `json:"signature_scheme"`
	Name      string `json:"kernel_name,omitempty"`
}

// ReadConnection reads a connection file.
func ReadConnection(path string) (*Connection, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the connection file: %w; Jupyter writes one and names it in `gonterp kernel --connection FILE`", err)
	}
	c := &Connection{Transport: "tcp", IP: "127.0.0.1"}
	if err := json.Unmarshal(b, c); err != nil {
		return nil, fmt.Errorf("the connection file %s: %w", path, err)
	}
	if c.Transport != "tcp" && c.Transport != "ipc" {
		return nil, fmt.Errorf("the connection file %s: transport %q; tcp and ipc are supported", path, c.Transport)
	}
	if c.Key == "" && c.Transport == "tcp" && !loopback(c.IP) {
		return nil, fmt.Errorf("the connection file %s: no key on %s; whoever reaches that address could run code", path, c.IP)
	}
	return c, nil
}

// vacating is how long a port that is in use is waited for.
const vacating = 500 * time.Millisecond

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// ports names the kernel's ports in the order in which they are opened.
func (c *Connection) ports() []struct {
	name string
	port *int
} {
	return []struct {
		name string
		port *int
	}{{"shell", &c.Shell}, {"iopub", &c.IOPub}, {"stdin", &c.Stdin}, {"control", &c.Control}, {"hb", &c.Heartbeat}}
}

// listen opens all ports, by name. A port of 0 becomes a free one, and the
// connection file at path is rewritten with it.
func (c *Connection) listen(path string) (map[string]net.Listener, error) {
	opened := map[string]net.Listener{}
	chosen := false
	for _, p := range c.ports() {
		l, err := c.open(*p.port)
		if err != nil {
			for _, l := range opened {
				l.Close()
			}
			return nil, fmt.Errorf("the %s port: %w", p.name, err)
		}
		opened[p.name] = l
		if a, ok := l.Addr().(*net.TCPAddr); ok && *p.port == 0 {
			*p.port, chosen = a.Port, true
		}
	}
	if chosen {
		b, err := json.MarshalIndent(c, "", "  ")
		if err == nil {
			err = os.WriteFile(path, append(b, '\n'), 0o600)
		}
		if err != nil {
			return nil, fmt.Errorf("writing the chosen ports to the connection file: %w", err)
		}
	}
	return opened, nil
}

func (c *Connection) open(port int) (net.Listener, error) {
	if c.Transport == "ipc" {
		path := c.IP + "-" + strconv.Itoa(port)
		if conn, err := net.Dial("unix", path); err == nil {
			conn.Close()
			return nil, fmt.Errorf("%s is in use by another process", path)
		}
		os.Remove(path) // a socket left behind by a process that was killed
		return net.Listen("unix", path)
	}
	host := strings.Trim(c.IP, "[]")
	if host == "*" {
		host = ""
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	// The port may be the passing one of another program's connection, or still be
	// held by the kernel that this one replaces.
	for end := time.Now().Add(vacating); errors.Is(err, syscall.EADDRINUSE) && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
		l, err = net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	}
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s:%d is in use by another process%s; restart the kernel, or delete the connection file so that Jupyter chooses other ports", c.IP, port, holder(port))
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, fmt.Errorf("%s is not an address of this machine: %w", c.IP, err)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("%s:%d may not be opened by this user: %w", c.IP, port, err)
	}
	return l, err
}

// holder names the process that listens on a TCP port, where the system tells.
func holder(port int) string {
	inode := ""
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		b, _ := os.ReadFile(table)
		for line := range strings.Lines(string(b)) {
			f := strings.Fields(line)
			if len(f) > 9 && f[3] == "0A" && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) {
				inode = "socket:[" + f[9] + "]"
			}
		}
	}
	if inode == "" {
		return ""
	}
	procs, _ := os.ReadDir("/proc")
	for _, p := range procs {
		fds, _ := os.ReadDir("/proc/" + p.Name() + "/fd")
		for _, fd := range fds {
			if to, _ := os.Readlink("/proc/" + p.Name() + "/fd/" + fd.Name()); to == inode {
				comm, _ := os.ReadFile("/proc/" + p.Name() + "/comm")
				return fmt.Sprintf(" (%s, process %s)", strings.TrimSpace(string(comm)), p.Name())
			}
		}
	}
	return ""
}

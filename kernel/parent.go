package kernel

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A parent is the process that a kernel must not outlive.
type parent struct {
	starter int // who started this process; 0 to outlive it
	named   int // who is named as the kernel's owner
}

// parentOf reads who owns process self. Jupyter names itself in JPY_PARENT_PID; a
// kernel started by hand has no owner and may outlive its terminal.
func parentOf(self int) parent {
	named, err := strconv.Atoi(os.Getenv("JPY_PARENT_PID"))
	if err != nil || named <= 1 || named == self {
		return parent{}
	}
	return parent{starter: os.Getppid(), named: named}
}

// wait calls gone when the owner is gone, unless end comes first.
func (p parent) wait(end <-chan struct{}, gone func()) {
	if p.starter == 0 {
		return
	}
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-end:
			return
		case <-tick.C:
		}
		// The owner may have started the kernel through another program, and may be
		// out of sight of this process's namespace: then only its starter counts.
		if os.Getppid() != p.starter || p.starter == p.named && dead(p.named) {
			gone()
			return
		}
	}
}

// dead says whether a process is gone, or a corpse that nobody has collected.
func dead(pid int) bool {
	if syscall.Kill(pid, 0) == syscall.ESRCH {
		return true
	}
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(b), ") ")
	return strings.HasPrefix(after, "Z")
}

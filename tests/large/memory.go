package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// onDisk is what the files of a folder take, in GB.
func onDisk(dir string) float64 {
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	var blocks int64
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			blocks += info.Sys().(*syscall.Stat_t).Blocks
		}
	}
	return float64(blocks*512) / 1e9
}

func resident() float64 { return status("VmRSS") }

// status is a line of /proc/self/status, in GB.
func status(name string) float64 {
	data, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(data)) {
		var kib float64
		if n, _ := fmt.Sscanf(line, name+": %f kB", &kib); n == 1 {
			return kib * 1024 / 1e9
		}
	}
	return 0
}

package nn

import (
	"bufio"
	"os"
	"strings"
)

// maker is who made the processor, "" where that is not known.
func maker() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "vendor_id" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

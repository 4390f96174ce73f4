package kern

import "golang.org/x/sys/cpu"

// Supported says whether this processor has the instructions.
var Supported = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// wide is a variable so that a test can have both instruction sets.
var wide = cpu.X86.HasAVX512F

func tiles(half bool) family {
	switch {
	case wide && half:
		return family{b512x1, b512x2, b512x4, 4}
	case wide:
		return family{f512x1, f512x2, f512x4, 4}
	case half:
		return family{b2x1, b2x2, b2x3, 3}
	}
	return family{f2x1, f2x2, f2x3, 3}
}

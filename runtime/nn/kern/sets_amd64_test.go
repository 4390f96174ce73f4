package kern

import "golang.org/x/sys/cpu"

func instructionSets() []string {
	if cpu.X86.HasAVX512F {
		return []string{"AVX2", "AVX-512"}
	}
	return []string{"AVX2"}
}

func use(set string) (restore func()) {
	before := wide
	wide = set == "AVX-512"
	return func() { wide = before }
}

//go:build !amd64

package kern

func instructionSets() []string { return nil }

func use(string) (restore func()) { return func() {} }

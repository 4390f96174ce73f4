//go:build !amd64

package kern

// Supported says whether this processor has the instructions.
const Supported = false

func tiles(bool) family { return family{} }

func panelSet() *panels { return nil }

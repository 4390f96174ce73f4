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

var (
	panels2 = panels{
		lanes: 8, vectors: 3, tiles: []panel{p2x4}, sumTile: 45, sumPanel: 6, pack: pack2, widen: widen2,
		rowSet: rowSet{combine2, squares2, scale2},
	}
	panels512 = panels{
		lanes: 16, vectors: 2, tiles: []panel{p512x4, p512x8, p512x12}, sumTile: 110, sumPanel: 28,
		pack: pack512, widen: widen512,
		rowSet: rowSet{combine512, squares512, scale512},
	}
)

func panelSet() *panels {
	if wide {
		return &panels512
	}
	return &panels2
}

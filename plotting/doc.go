// Package plotting draws what is read from a model: attention patterns, router
// weights, lenses, and plain lines and bars.
//
// A tensor that comes out of a trace knows its path, its axes and the tokens
// along them, so a figure usually needs one argument:
//
//	plotting.Pattern(pattern)
//	plotting.Router(weights, plotting.Chosen(indices))
//
// A Figure knows how to show itself: a notebook asks for its MIME bundle, a
// terminal for its image, a program saves it as PNG, SVG or PDF. Pictures are laid
// out here and drawn through gonum/plot's canvases. Cells are drawn as what they
// are, never smoothed; above 64×64 cells a panel becomes an embedded raster,
// because vector cells would make files of many megabytes. Where a panel has more
// cells than the picture has pixels, each pixel shows the largest of its cells, so
// that a single bright cell is never lost.
//
// A call that cannot be drawn panics with an *Error, which says what shape was
// expected, what was found and what to write instead.
//
// It may import runtime/torch, docs for the page its error names, and gonum/plot for
// canvases.
package plotting

package display

// A value whose type has the methods of one of these shows itself so. The methods are
// all that counts: a package can have them without importing this one. MIMEBundle,
// which gives all forms at once, goes before Render, that before SimpleRender, and
// that before the others, which may be together.

// A Renderer says all of how it is shown.
type Renderer = interface{ Render() Data }

// A SimpleRenderer gives its forms.
type SimpleRenderer = interface{ SimpleRender() MIMEMap }

// An HTMLer is shown as a piece of a web page.
type HTMLer = interface{ HTML() string }

// A JavaScripter is shown as what a script draws.
type JavaScripter = interface{ JavaScript() string }

// A JPEGer is shown as a JPEG picture.
type JPEGer = interface{ JPEG() []byte }

// A JSONer is shown as a tree.
type JSONer = interface{ JSON() map[string]any }

// A Latexer is shown as LaTeX.
type Latexer = interface{ Latex() string }

// A Markdowner is shown as Markdown.
type Markdowner = interface{ Markdown() string }

// A PNGer is shown as a PNG picture.
type PNGer = interface{ PNG() []byte }

// A PDFer is shown as a PDF document.
type PDFer = interface{ PDF() []byte }

// An SVGer is shown as a vector picture.
type SVGer = interface{ SVG() string }

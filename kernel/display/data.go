package display

import (
	"fmt"
	"image"
	"os"
	"strings"
)

// The MIME types of the forms that front ends know.
const (
	MIMETypeHTML       = "text/html"
	MIMETypeJavaScript = "application/javascript"
	MIMETypeJPEG       = "image/jpeg"
	MIMETypeJSON       = "application/json"
	MIMETypeLatex      = "text/latex"
	MIMETypeMarkdown   = "text/markdown"
	MIMETypePNG        = "image/png"
	MIMETypePDF        = "application/pdf"
	MIMETypeSVG        = "image/svg+xml"
	MIMETypeText       = "text/plain"
)

// MIMEMap maps a MIME type to that form of a value: a string, []byte for binary
// forms, or a value that encodes as JSON.
type MIMEMap = map[string]any

// Data is something to show, in one or more forms. Metadata says more of a form, by
// its MIME type; Transient is not shown.
type Data struct {
	Data      MIMEMap
	Metadata  MIMEMap
	Transient MIMEMap
}

// MIMEBundle gives the forms to whoever shows the Data.
func (d Data) MIMEBundle() map[string]any {
	forms := MIMEMap{}
	for k, v := range d.Data {
		forms[k] = v
	}
	if _, ok := forms[MIMETypeText]; !ok {
		forms[MIMETypeText] = d.String()
	}
	return forms
}

// String is the form for terminals: the text that there is, or what there is
// instead of text.
func (d Data) String() string {
	for _, t := range []string{MIMETypeText, MIMETypeMarkdown, MIMETypeLatex, MIMETypeHTML, MIMETypeJavaScript} {
		if s, ok := d.Data[t].(string); ok {
			return s
		}
	}
	for t, v := range d.Data {
		if b, ok := v.([]byte); ok {
			return fmt.Sprintf("(%s, %d bytes)", t, len(b))
		}
		return fmt.Sprintf("(%s)", t)
	}
	return "(nothing)"
}

// MIME makes Data of the given forms, and of metadata by MIME type where there are
// some.
func MIME(forms MIMEMap, metadata ...MIMEMap) Data {
	d := Data{Data: forms}
	for _, m := range metadata {
		d.Metadata = m
	}
	return d
}

// MakeData makes Data of one form as it is.
func MakeData(mimeType string, v any) Data { return Data{Data: MIMEMap{mimeType: v}} }

// MakeData3 makes Data of one form and a text for where that cannot be shown.
func MakeData3(mimeType, text string, v any) Data {
	return Data{Data: MIMEMap{mimeType: v, MIMETypeText: text}}
}

// HTML shows a piece of a web page.
func HTML(html string) Data { return MakeData(MIMETypeHTML, html) }

// Markdown shows Markdown.
func Markdown(text string) Data { return MakeData(MIMETypeMarkdown, text) }

// Math shows a formula in LaTeX, which needs no dollar signs.
func Math(latex string) Data {
	return MakeData(MIMETypeLatex, "$$"+strings.Trim(latex, "$")+"$$")
}

// Latex shows LaTeX, formulas between dollar signs.
func Latex(latex string) Data { return MakeData(MIMETypeLatex, latex) }

// JavaScript runs a script in the notebook's page, where the front end allows it.
func JavaScript(script string) Data { return MakeData(MIMETypeJavaScript, script) }

// JSON shows a value as a tree.
func JSON(v any) Data { return MakeData(MIMETypeJSON, v) }

// SVG shows a vector picture.
func SVG(svg string) Data { return MakeData(MIMETypeSVG, svg) }

// PNG shows the bytes of a PNG file.
func PNG(b []byte) Data { return MakeData(MIMETypePNG, b) }

// JPEG shows the bytes of a JPEG file.
func JPEG(b []byte) Data { return MakeData(MIMETypeJPEG, b) }

// PDF shows the bytes of a PDF file.
func PDF(b []byte) Data { return MakeData(MIMETypePDF, b) }

// Image shows a picture. It panics where the picture cannot be encoded, as one of
// no size cannot.
func Image(img image.Image) Data { return PNG(encoded(MIMETypePNG, img)) }

// File shows a file by its content's type; mimeType may be "" to find it out. It
// panics where the file cannot be read.
func File(mimeType, path string) Data {
	b, err := os.ReadFile(path)
	if err != nil {
		panic(fmt.Errorf("display.File: %w", err))
	}
	if mimeType == "" {
		mimeType = typeByName(path)
	}
	return form(mimeType, b)
}

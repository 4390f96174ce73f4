package display

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// MIMEMap maps a MIME type to that form of a value: a string, []byte for binary
// forms, or a value that encodes as JSON.
type MIMEMap = map[string]any

// Data is something to show, in one or more forms.
type Data struct {
	Data MIMEMap
}

// MIMEBundle gives the forms to whoever shows the Data.
func (d Data) MIMEBundle() map[string]any {
	forms := MIMEMap{}
	for k, v := range d.Data {
		forms[k] = v
	}
	if _, ok := forms["text/plain"]; !ok {
		forms["text/plain"] = d.String()
	}
	return forms
}

// String is the form for terminals: the text that there is, or what there is
// instead of text.
func (d Data) String() string {
	for _, t := range []string{"text/plain", "text/markdown", "text/latex", "text/html", "application/javascript"} {
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

// MIME makes Data of the given forms.
func MIME(forms MIMEMap) Data { return Data{forms} }

// Any makes Data of one form. An empty MIME type is found out from the content.
func Any(mimeType string, v any) Data {
	if mimeType == "" {
		return Auto(v)
	}
	return Data{MIMEMap{mimeType: v}}
}

// HTML shows a piece of a web page.
func HTML(html string) Data { return Any("text/html", html) }

// Markdown shows Markdown.
func Markdown(text string) Data { return Any("text/markdown", text) }

// Math shows a formula in LaTeX, which needs no dollar signs.
func Math(latex string) Data {
	return Any("text/latex", "$$"+strings.Trim(latex, "$")+"$$")
}

// Latex shows LaTeX, formulas between dollar signs.
func Latex(latex string) Data { return Any("text/latex", latex) }

// JavaScript runs a script in the notebook's page, where the front end allows it.
func JavaScript(script string) Data { return Any("application/javascript", script) }

// JSON shows a value as a tree.
func JSON(v any) Data { return Any("application/json", v) }

// SVG shows a vector picture.
func SVG(svg string) Data { return Any("image/svg+xml", svg) }

// PNG shows the bytes of a PNG file.
func PNG(b []byte) Data { return Any("image/png", b) }

// JPEG shows the bytes of a JPEG file.
func JPEG(b []byte) Data { return Any("image/jpeg", b) }

// PDF shows the bytes of a PDF file.
func PDF(b []byte) Data { return Any("application/pdf", b) }

// Image shows a picture. It panics where the picture cannot be encoded, as one of
// no size cannot.
func Image(img image.Image) Data {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(fmt.Errorf("display.Image: %w", err))
	}
	return PNG(b.Bytes())
}

// File shows a file by its content's type; mimeType may be "" to find it out. It
// panics where the file cannot be read.
func File(mimeType, path string) Data {
	b, err := os.ReadFile(path)
	if err != nil {
		panic(fmt.Errorf("display.File: %w", err))
	}
	if mimeType == "" {
		mimeType = mime.TypeByExtension(filepath.Ext(path))
	}
	if mimeType == "application/octet-stream" {
		mimeType = "" // the name does not say what it is
	}
	return form(mimeType, b)
}

// Auto shows a value in the form that fits it: its own forms, a picture as one,
// bytes by what they are, anything else as text.
func Auto(v any) Data {
	switch v := v.(type) {
	case Data:
		return v
	case interface{ MIMEBundle() map[string]any }:
		return Data{v.MIMEBundle()}
	case image.Image:
		return Image(v)
	case []byte:
		return form("", v)
	}
	return Data{MIMEMap{"text/plain": fmt.Sprint(v)}}
}

// form makes Data of bytes; an empty type is found out from them.
func form(mimeType string, b []byte) Data {
	if mimeType == "" {
		mimeType = http.DetectContentType(b)
	}
	mimeType, _, _ = strings.Cut(mimeType, ";")
	if strings.HasPrefix(mimeType, "text/") || mimeType == "image/svg+xml" {
		return Data{MIMEMap{mimeType: string(b)}}
	}
	return Data{MIMEMap{mimeType: b}}
}

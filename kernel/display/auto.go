package display

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"mime"
	"net/http"
	"path/filepath"
	"strings"
)

// Auto shows a value in the form that fits it: its own forms, a picture as one,
// texts, bytes and what can be read by what they are, anything else as text. It
// panics where reading fails.
func Auto(v any) Data { return Any("", v) }

// Any shows a value in one form: a string, bytes, a picture, or what such bytes can
// be read from. An empty MIME type is found out, as by Auto.
func Any(mimeType string, v any) Data {
	switch x := v.(type) {
	case Data:
		return x
	case interface{ MIMEBundle() map[string]any }:
		return MIME(x.MIMEBundle())
	case image.Image:
		if mimeType != MIMETypeJPEG {
			mimeType = MIMETypePNG
		}
		return MakeData(mimeType, encoded(mimeType, x))
	case []byte:
		return form(mimeType, x)
	case string:
		return form(mimeType, []byte(x))
	case io.WriterTo:
		var b bytes.Buffer
		if _, err := x.WriteTo(&b); err != nil {
			panic(fmt.Errorf("display: writing a %T: %w", v, err))
		}
		return form(mimeType, b.Bytes())
	case io.Reader:
		b, err := io.ReadAll(x)
		if err != nil {
			panic(fmt.Errorf("display: reading a %T: %w", v, err))
		}
		return form(mimeType, b)
	}
	if mimeType == "" {
		return MakeData(MIMETypeText, fmt.Sprint(v))
	}
	return MakeData(mimeType, v)
}

// encoded is the file of a picture.
func encoded(mimeType string, img image.Image) []byte {
	var b bytes.Buffer
	var err error
	if mimeType == MIMETypeJPEG {
		err = jpeg.Encode(&b, img, nil)
	} else {
		err = png.Encode(&b, img)
	}
	if err != nil {
		panic(fmt.Errorf("display: encoding a picture as %s: %w", mimeType, err))
	}
	return b.Bytes()
}

// typeByName is the MIME type that a file's name tells, "" where it tells none.
func typeByName(path string) string {
	switch ext := filepath.Ext(path); ext {
	case ".md":
		return MIMETypeMarkdown
	case ".tex":
		return MIMETypeLatex
	default:
		if t := mime.TypeByExtension(ext); t != "application/octet-stream" {
			return t
		}
		return ""
	}
}

// form makes Data of bytes; an empty type is found out from them.
func form(mimeType string, b []byte) Data {
	if mimeType == "" {
		mimeType = typeOf(b)
	}
	mimeType, _, _ = strings.Cut(mimeType, ";")
	switch {
	case mimeType == MIMETypeJSON && json.Valid(b):
		return MakeData(mimeType, json.RawMessage(b))
	case strings.HasPrefix(mimeType, "text/"), mimeType == MIMETypeSVG, mimeType == MIMETypeJavaScript:
		return MakeData(mimeType, string(b))
	}
	return MakeData(mimeType, b)
}

// typeOf finds out what bytes are.
func typeOf(b []byte) string {
	t := http.DetectContentType(b)
	if strings.HasPrefix(t, "text/") && bytes.Contains(b[:min(len(b), 1024)], []byte("<svg")) && !strings.HasPrefix(t, MIMETypeHTML) {
		return MIMETypeSVG
	}
	return t
}

package symbols

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

//go:embed docs.gz
var packed []byte

// A Doc is what the source of a package says about a name.
type Doc struct {
	Decl string // the declaration, without body
	Text string // the comment
}

var archives = [][]byte{packed}

// AddDocs adds the documentation that generate has written for other packages.
// It is for init functions.
func AddDocs(gz []byte) { archives = append(archives, gz) }

// unpack reads what document in generate/document.go writes.
var unpack = sync.OnceValue(func() map[string]Doc {
	docs := map[string]Doc{}
	for _, a := range archives {
		read(docs, a)
	}
	return docs
})

func read(docs map[string]Doc, gz []byte) {
	z, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		return
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		f := strings.Split(lines.Text(), "\t")
		if len(f) != 4 {
			continue
		}
		decl, err1 := strconv.Unquote(f[2])
		text, err2 := strconv.Unquote(f[3])
		if err1 == nil && err2 == nil {
			docs[f[0]+"."+f[1]] = Doc{decl, text}
		}
	}
}

// DocOf returns the documentation of a name of a package: "Println",
// "Buffer.Write" for a method or field, "" for the package itself.
func DocOf(path, name string) (Doc, bool) {
	d, ok := unpack()[path+"."+name]
	return d, ok
}

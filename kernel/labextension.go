package kernel

import (
	"embed"
	"io/fs"
)

// Colours with in JupyterLab: no setting of a kernel adds a word to a language.
//
//go:embed labextension
var labextension embed.FS

// labextensionFiles are the files of the extension's folder.
func labextensionFiles() (map[string][]byte, error) {
	files := map[string][]byte{}
	root, err := fs.Sub(labextension, "labextension")
	if err != nil {
		return nil, err
	}
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[name], err = fs.ReadFile(root, name)
		return err
	})
	return files, err
}

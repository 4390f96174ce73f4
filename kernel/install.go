package kernel

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gonterp/gonterp/runtime/folder"
)

// Name is the kernel's name for Jupyter: jupyter console --kernel gonterp.
const Name = "gonterp"

// InstallOptions say where a kernel is made known. The zero value means this
// executable, for this user.
type InstallOptions struct {
	Executable string // the gonterp to start; "" means this one
	Prefix     string // install below PREFIX/share/jupyter, as for a virtual environment
	Dir        string // install below this folder of kernels; goes before Prefix
}

// A spec is the content of kernel.json.
type spec struct {
	Argv      []string       `json:"argv"`
	Display   string         `json:"display_name"`
	Language  string         `json:"language"`
	Interrupt string         `json:"interrupt_mode"`
	Metadata  map[string]any `json:"metadata"`
}

// Install makes the kernel known to Jupyter and says in which folder. An earlier
// installation there is replaced. Unless a folder of kernels was named, JupyterLab is
// also taught to colour with.
func Install(opt InstallOptions) (folder string, err error) {
	if opt.Executable == "" {
		if opt.Executable, err = os.Executable(); err != nil {
			return "", fmt.Errorf("finding this program: %w", err)
		}
	}
	if opt.Executable, err = filepath.Abs(opt.Executable); err != nil {
		return "", err
	}
	kernels, err := opt.kernels()
	if err != nil {
		return "", err
	}
	files, err := specFiles(opt.Executable)
	if err != nil {
		return "", err
	}
	if folder, err = replace(kernels, files); err != nil {
		return "", fmt.Errorf("installing the kernel: %w; name another place with --prefix", err)
	}
	if opt.Dir != "" {
		return folder, nil
	}
	if files, err = labextensionFiles(); err != nil {
		return "", err
	}
	if _, err = replace(filepath.Join(filepath.Dir(kernels), "labextensions"), files); err != nil {
		return "", fmt.Errorf("installing the extension of JupyterLab: %w; name another place with --prefix", err)
	}
	return folder, nil
}

// replace gives the folder that carries the kernel's name in parent these files and no
// others. They are written beside it first: Jupyter never sees half of them.
func replace(parent string, files map[string][]byte) (folder string, err error) {
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	fresh, err := os.MkdirTemp(parent, "."+Name+"-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh)
	for name, b := range files {
		path := filepath.Join(fresh, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			return "", err
		}
	}
	if err := os.Chmod(fresh, 0o755); err != nil {
		return "", err
	}
	folder = filepath.Join(parent, Name)
	if err := os.RemoveAll(folder); err != nil {
		return "", fmt.Errorf("replacing the earlier one: %w", err)
	}
	return folder, os.Rename(fresh, folder)
}

// kernels is the folder that Jupyter looks for kernels in.
func (opt InstallOptions) kernels() (string, error) {
	switch {
	case opt.Dir != "":
		return filepath.Abs(opt.Dir)
	case opt.Prefix != "":
		return filepath.Abs(filepath.Join(opt.Prefix, "share", "jupyter", "kernels"))
	}
	data := folder.Jupyter()
	if data == "" {
		return "", errors.New("there is no home folder to install the kernel in; set HOME, or name a place with --prefix")
	}
	return filepath.Join(data, "kernels"), nil
}

// specFiles are the files of the kernel's folder.
func specFiles(executable string) (map[string][]byte, error) {
	b, err := json.MarshalIndent(spec{
		Argv:      []string{executable, "kernel", "--connection", "{connection_file}"},
		Display:   "Go (gonterp)",
		Language:  "go",
		Interrupt: "message",
		Metadata:  map[string]any{"debugger": false},
	}, "", "  ")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"kernel.json": append(b, '\n'), "logo-svg.svg": logoSVG()}
	for _, size := range []int{32, 64} {
		png, err := logoPNG(size)
		if err != nil {
			return nil, fmt.Errorf("drawing the logo: %w", err)
		}
		files[fmt.Sprintf("logo-%dx%d.png", size, size)] = png
	}
	return files, nil
}

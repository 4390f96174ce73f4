package client

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gonterp/gonterp/runtime/folder"
)

// Find finds a kernel's connection file: the one that name is the path of, else the
// newest among those of running kernels whose name contains name. "" is the newest.
func Find(name string) (string, error) {
	if _, err := os.Stat(name); name != "" && err == nil {
		return name, nil
	}
	dir, err := runtimeDir()
	if err != nil {
		return "", err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return "", err
	}
	newest, at := "", time.Time{}
	for _, f := range files {
		base := filepath.Base(f)
		info, err := os.Stat(f)
		if err != nil || !strings.HasPrefix(base, "kernel-") || !strings.Contains(base, name) {
			continue
		}
		if info.ModTime().After(at) {
			newest, at = f, info.ModTime()
		}
	}
	if newest == "" {
		what := "no kernel runs"
		if name != "" {
			what = fmt.Sprintf("no running kernel is called %q", name)
		}
		return "", fmt.Errorf("%s: there is no connection file of it in %s; name the file: gonterp console --existing FILE", what, dir)
	}
	return newest, nil
}

// runtimeDir is where Jupyter keeps connection files.
func runtimeDir() (string, error) {
	if dir := os.Getenv("JUPYTER_RUNTIME_DIR"); dir != "" {
		return dir, nil
	}
	data := folder.Jupyter()
	if data == "" {
		return "", errors.New("there is no home folder to look for connection files in; set HOME, or JUPYTER_RUNTIME_DIR")
	}
	return filepath.Join(data, "runtime"), nil
}

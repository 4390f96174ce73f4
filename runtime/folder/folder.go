package folder

import (
	"os"
	"path/filepath"
	"runtime"
)

// Data is where gonterp keeps what belongs to a person: $GONTERP_HOME, or gonterp in
// $XDG_DATA_HOME or ~/.local/share; "" where there is no home.
func Data() string {
	if dir := os.Getenv("GONTERP_HOME"); dir != "" {
		return dir
	}
	return below(share(), "gonterp")
}

// Jupyter is where Jupyter keeps what belongs to a person, kernels among it:
// $JUPYTER_DATA_DIR, or jupyter in $XDG_DATA_HOME or ~/.local/share, on a Mac
// ~/Library/Jupyter; "" where there is no home.
func Jupyter() string {
	if dir := os.Getenv("JUPYTER_DATA_DIR"); dir != "" {
		return dir
	}
	if runtime.GOOS == "darwin" {
		return below(home(), "Library", "Jupyter")
	}
	return below(share(), "jupyter")
}

// share is where programs keep data of a person, as the XDG base directories have it.
func share() string {
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return dir
	}
	return below(home(), ".local", "share")
}

func home() string {
	dir, _ := os.UserHomeDir() // "" with the error
	return dir
}

// below is a path in dir, "" where there is no dir.
func below(dir string, names ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, names...)...)
}

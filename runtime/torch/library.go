package torch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gonterp/gonterp/docs"
	"github.com/gonterp/gonterp/runtime/folder"
)

// A Library is a libtorch on disk.
type Library struct {
	Dir     string // the folder of libtorch_cpu.so
	Version string // "2.15.0"; "" where the files don't say
}

// Needed is the oldest libtorch that this package works with.
const Needed = "2.11"

// A NotFoundError says where libtorch was looked for.
type NotFoundError struct {
	Tried []string // each place, with what was missing there
}

func (e *NotFoundError) Error() string {
	return "libtorch not found; run ./install.sh, or set LIBTORCH to the folder that holds libtorch_cpu.so" + docs.See("libtorch") + "\n  tried " +
		strings.Join(e.Tried, "\n  tried ")
}

// A VersionError says that a libtorch is too old.
type VersionError struct {
	Dir           string
	Found, Needed string
	Missing       string // the first function it lacks
}

func (e *VersionError) Error() string {
	s := fmt.Sprintf("libtorch in %s is version %s; %s or newer is needed", e.Dir, e.Found, e.Needed)
	if e.Missing != "" {
		s += " (it lacks " + e.Missing + ")"
	}
	return s + "; run ./install.sh, or set LIBTORCH to the folder of a newer one" + docs.See("libtorch")
}

const soName = "libtorch_cpu.so"

// Find says where Open would take libtorch from. It looks at $LIBTORCH, then at
// the folder named in <data>/libtorch.path, then at <data>/libtorch/torch/lib,
// where <data> is folder.Data.
func Find() (Library, error) {
	e := &NotFoundError{}
	if dir := os.Getenv("LIBTORCH"); dir != "" {
		if l, ok := look(dir, "$LIBTORCH", e); ok {
			return l, nil
		}
		return Library{}, e
	}
	e.Tried = append(e.Tried, "$LIBTORCH: not set")
	data := folder.Data()
	if data == "" {
		e.Tried = append(e.Tried, "$GONTERP_HOME, $XDG_DATA_HOME, $HOME: none is set")
		return Library{}, e
	}
	file := filepath.Join(data, "libtorch.path")
	if text, err := os.ReadFile(file); err == nil {
		if l, ok := look(strings.TrimSpace(string(text)), file, e); ok {
			return l, nil
		}
	} else {
		e.Tried = append(e.Tried, file+": no such file")
	}
	if l, ok := look(filepath.Join(data, "libtorch", "torch", "lib"), "", e); ok {
		return l, nil
	}
	return Library{}, e
}

// look accepts the folder of the library, and the torch folder above it.
func look(dir, from string, e *NotFoundError) (Library, bool) {
	for _, d := range []string{dir, filepath.Join(dir, "lib"), filepath.Join(dir, "torch", "lib")} {
		if _, err := os.Stat(filepath.Join(d, soName)); err == nil {
			return Library{Dir: d, Version: versionOf(d)}, true
		}
	}
	place := dir
	if from != "" {
		place = from + " = " + dir
	}
	e.Tried = append(e.Tried, place+": no "+soName+" there")
	return Library{}, false
}

var versionLine = regexp.MustCompile(`(?m)^__version__ *= *'([0-9]+\.[0-9]+[^'+]*)`)

// versionOf reads what lies beside the library: version.py in a Python wheel,
// build-version in libtorch's own archive.
func versionOf(lib string) string {
	up := filepath.Dir(lib)
	if text, err := os.ReadFile(filepath.Join(up, "version.py")); err == nil {
		if m := versionLine.FindSubmatch(text); m != nil {
			return string(m[1])
		}
	}
	if text, err := os.ReadFile(filepath.Join(up, "build-version")); err == nil {
		v, _, _ := strings.Cut(strings.TrimSpace(string(text)), "+")
		return v
	}
	return ""
}

var (
	opened    atomic.Bool
	openOnce  sync.Once
	openError error
	current   Library
	libraries []uintptr
)

// Open opens libtorch; the first op does so too. It does its work once, and says
// the same error each time. Errors are *NotFoundError and *VersionError, or the
// system's words for a file that can't be opened.
func Open() error {
	openOnce.Do(func() { openError = open() })
	return openError
}

func open() error {
	l, err := Find()
	if err != nil {
		return err
	}
	if l.Version != "" && older(l.Version, Needed) {
		return &VersionError{Dir: l.Dir, Found: l.Version, Needed: Needed}
	}
	if err := load(l.Dir); err != nil {
		return fmt.Errorf("opening libtorch: %w; run ./install.sh to get a whole one", err)
	}
	if l.Version == "" {
		l.Version = guessVersion()
	}
	for _, s := range symbols {
		*s.at = dlsym(s.name)
		if *s.at == 0 && s.need {
			return &VersionError{Dir: l.Dir, Found: l.Version, Needed: Needed, Missing: s.name}
		}
	}
	current = l
	build = layoutVersion(l.Version)
	settle()
	opened.Store(true)
	return nil
}

// guessVersion tells versions by the functions that came with them.
func guessVersion() string {
	for _, v := range []struct{ symbol, version string }{
		{"torch_dtype_from_pyobject", "2.15"},
		{"torch_has_storage", "2.14"},
		{"torch_exception_get_what", "2.13"},
		{"torch_library_def_with_tags", "2.12"},
		{"torch_from_blob", "2.11"},
		{"torch_call_dispatcher", "2.10"},
	} {
		if dlsym(v.symbol) != 0 {
			return v.version
		}
	}
	return "before 2.10"
}

func older(a, b string) bool {
	var x, y [2]int
	fmt.Sscanf(a, "%d.%d", &x[0], &x[1])
	fmt.Sscanf(b, "%d.%d", &y[0], &y[1])
	return x[0] < y[0] || x[0] == y[0] && x[1] < y[1]
}

// IsNotFound says whether err is, or wraps, a *NotFoundError.
func IsNotFound(err error) bool {
	var e *NotFoundError
	return errors.As(err, &e)
}

// layoutVersion packs the version whose argument layout the ops here are written
// in; an older library takes its own, which is the same for what is used.
func layoutVersion(v string) uint64 {
	var major, minor uint64
	fmt.Sscanf(v, "%d.%d", &major, &minor)
	if major > 2 || minor > 15 {
		major, minor = 2, 15
	}
	return major<<56 | minor<<48
}

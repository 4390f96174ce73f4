package doctor

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gonterp/gonterp/runtime/checkpoint"
	"github.com/gonterp/gonterp/runtime/folder"
	"github.com/gonterp/gonterp/runtime/torch"
)

// gpu says whether a GPU is there that libtorch cannot use.
func gpu() Check {
	c := Check{Name: "gpu", Found: "none: the CPU is used"}
	if _, err := os.Stat("/dev/nvidiactl"); err != nil {
		return c
	}
	c.Found = "an NVIDIA driver"
	if lib, err := torch.Find(); err == nil {
		if _, err := os.Stat(filepath.Join(lib.Dir, "libtorch_cuda.so")); err == nil {
			return c
		}
	}
	return Check{"gpu", Note, "an NVIDIA driver, but a libtorch for the CPU only", "./install.sh --gpu   (in gonterp's source folder)"}
}

// jupyterDirs are the folders in which Jupyter looks for kernels, in its order.
func jupyterDirs() []string {
	dirs := filepath.SplitList(os.Getenv("JUPYTER_PATH"))
	if own := folder.Jupyter(); own != "" {
		dirs = append(dirs, own)
	}
	if venv := os.Getenv("VIRTUAL_ENV"); venv != "" {
		dirs = append(dirs, filepath.Join(venv, "share", "jupyter"))
	}
	return append(dirs, "/usr/local/share/jupyter", "/usr/share/jupyter")
}

// kernelspec looks for the kernel named gonterp, and whether its program exists.
func kernelspec() Check {
	const name, mend = "Jupyter kernel", "gonterp kernel install"
	for _, dir := range jupyterDirs() {
		file := filepath.Join(dir, "kernels", "gonterp", "kernel.json")
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		var spec struct{ Argv []string }
		if err := json.Unmarshal(text, &spec); err != nil {
			return Check{name, Fault, fmt.Sprintf("%s does not parse: %v", file, err), mend}
		}
		if len(spec.Argv) == 0 {
			return Check{name, Fault, file + " names no program", mend}
		}
		program, err := exec.LookPath(spec.Argv[0])
		if err != nil {
			return Check{name, Fault, fmt.Sprintf("%s starts %s, which is not there", file, spec.Argv[0]), mend}
		}
		return Check{name, OK, fmt.Sprintf("%s, which starts %s", filepath.Dir(file), program), ""}
	}
	return Check{name, Fault, "not installed", mend}
}

func jupyter() Check {
	if path, err := exec.LookPath("jupyter"); err == nil {
		return Check{"Jupyter", OK, path, ""}
	}
	return Check{"Jupyter", Note, "no jupyter in PATH: notebooks need one, the terminal and gonterp run do not", "pip install jupyterlab"}
}

// modelCache says which models a Load by id finds.
func modelCache() Check {
	const name = "model cache"
	cache, ids, err := checkpoint.Cached()
	switch {
	case err != nil:
		return Check{name, Note, err.Error(), "export HF_HOME=/somewhere"}
	case len(ids) == 0:
		return Check{name, OK, cache + ": no models yet; the embedded one is always there", ""}
	}
	return Check{name, OK, fmt.Sprintf("%s: %s", cache, strings.Join(ids, ", ")), ""}
}

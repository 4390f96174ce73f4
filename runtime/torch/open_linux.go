package torch

import (
	"os"
	"path/filepath"

	"github.com/ebitengine/purego"
)

func dlopen(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
}

// dlsym is 0 where the symbol is absent.
func dlsym(name string) uintptr {
	for _, l := range libraries {
		if p, err := purego.Dlsym(l, name); err == nil {
			return p
		}
	}
	return 0
}

// load opens libtorch's shared objects in dir.
func load(dir string) error {
	if err := prepare(); err != nil {
		return err
	}
	for _, name := range []string{"libc10.so", soName} {
		h, err := dlopen(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		libraries = append(libraries, h)
	}
	return nil
}

// loadCUDA opens the part of libtorch that runs on GPUs, which adds itself to what
// is open. It is large, so it waits until a GPU is asked for.
func loadCUDA(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, cudaName)); err != nil {
		return err
	}
	for _, name := range []string{"libc10_cuda.so", cudaName} {
		h, err := dlopen(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		libraries = append(libraries, h)
	}
	return nil
}

// prepare sets what libtorch and the libraries below it read from the environment
// when they are loaded, unless the user has set it. They read C's copy of the
// environment, which os.Setenv doesn't reach.
func prepare() error {
	libc, err := dlopen("libc.so.6")
	if err != nil {
		return err
	}
	set, err := purego.Dlsym(libc, "setenv")
	if err != nil {
		return err
	}
	var setenv func(name, value string, overwrite int32) int32
	purego.RegisterFunc(&setenv, set)
	// Idle OpenMP threads that spin make an op of 2 ms take 30 on a shared machine.
	if os.Getenv("OMP_WAIT_POLICY") == "" {
		setenv("GOMP_SPINCOUNT", "0", 0)
	}
	// Warnings of its insides would appear in the user's output.
	setenv("TORCH_CPP_LOG_LEVEL", "ERROR", 0)
	return nil
}

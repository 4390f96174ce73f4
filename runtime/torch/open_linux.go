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
	if err := quietThreads(); err != nil {
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

// quietThreads keeps idle OpenMP threads from spinning, which on a shared machine
// makes an op of 2 ms take 30. The OpenMP library reads its environment when it is
// loaded, and reads C's copy of it, which os.Setenv doesn't reach.
func quietThreads() error {
	if os.Getenv("GOMP_SPINCOUNT") != "" || os.Getenv("OMP_WAIT_POLICY") != "" {
		return nil
	}
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
	setenv("GOMP_SPINCOUNT", "0", 1)
	return nil
}

package torch

import (
	"fmt"
	"sync"
)

const cudaName = "libtorch_cuda.so"

// A CUDAError says why no GPU can be used.
type CUDAError struct {
	Dir string // the libtorch that was asked
	Err error
}

func (e *CUDAError) Error() string {
	return fmt.Sprintf("no GPU: libtorch in %s can't use CUDA: %v; run ./install.sh --gpu, or use the device \"cpu\"", e.Dir, e.Err)
}

func (e *CUDAError) Unwrap() error { return e.Err }

var (
	cudaOnce  sync.Once
	cudaError error
)

// OpenCUDA opens what ops on a GPU need; the first tensor put on one does so too.
// Its error is one of Open's, or a *CUDAError.
func OpenCUDA() error {
	cudaOnce.Do(func() {
		if cudaError = Open(); cudaError != nil {
			return
		}
		if err := loadCUDA(current.Dir); err != nil {
			cudaError = &CUDAError{current.Dir, err}
		}
	})
	return cudaError
}

// needs opens CUDA for a tensor that is to lie there.
func (d Device) needs(op string) {
	if !d.IsCUDA() {
		return
	}
	if err := OpenCUDA(); err != nil {
		panic(&Error{Op: op, Args: []string{d.String()}, Text: err.Error(), cause: err})
	}
}

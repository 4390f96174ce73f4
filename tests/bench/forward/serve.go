package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/gonterp/gonterp"
	"github.com/gonterp/gonterp/runtime/torch"
)

// answer is the side of gonterp.
func answer(folder, dtype string, threads int, in io.Reader, out io.Writer) error {
	// As importing torch is no part of from_pretrained.
	if err := torch.Open(); err != nil {
		return err
	}
	began, processor := time.Now(), processorTime()
	model, err := gonterp.Open(folder, gonterp.DType(dtype), gonterp.Threads(threads))
	if err != nil {
		return err
	}
	write := json.NewEncoder(out)
	first := reply{Load: milliseconds(time.Since(began)), LoadCPU: milliseconds(processorTime() - processor), Peak: peak()}
	if err := write.Encode(first); err != nil {
		return err
	}
	for requests := json.NewDecoder(in); ; {
		var r request
		if err := requests.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		a := perform(model, r)
		a.Peak = peak()
		if err := write.Encode(a); err != nil {
			return err
		}
	}
}

func perform(model *gonterp.Model, r request) (a reply) {
	ids := prompt(r.Tokens, model.VocabSize)
	decode := func(n int) func() {
		return func() { model.Generate(ids, n, gonterp.StopTokens()).IDs() }
	}
	for range r.Times {
		var wall, cpu float64
		switch r.Do {
		case "forward":
			wall, cpu = measure(func() { model.Forward(ids) })
		case "layers":
			wall, cpu = measure(func() { saveLayers(model, ids) })
		case "decode":
			wall, cpu = measure(decode(r.New + 1))
			w, c := measure(decode(1))
			wall, cpu = (wall-w)/float64(r.New), (cpu-c)/float64(r.New)
		}
		a.Wall, a.CPU = append(a.Wall, wall), append(a.CPU, cpu)
	}
	if r.Do == "logits" {
		a.Logits = model.Forward(ids).Index(0, -1).Float64s()
	}
	return a
}

func saveLayers(model *gonterp.Model, ids []int) {
	saved := make([]*gonterp.Tensor, 0, model.NumLayers+1)
	for m := range model.Trace(ids) {
		for _, l := range m.Layers {
			saved = append(saved, l.LayerOutput.Save())
		}
		saved = append(saved, m.Logits.Save())
	}
}

// prompt is the same on both sides.
func prompt(n, vocabulary int) []int {
	ids := make([]int, n)
	for i := range ids {
		ids[i] = (i*7919 + 13) % vocabulary
	}
	return ids
}

func measure(f func()) (wall, cpu float64) {
	began, processor := time.Now(), processorTime()
	f()
	return milliseconds(time.Since(began)), milliseconds(processorTime() - processor)
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peak is the most memory the process has had resident, in MB.
func peak() float64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for l := range strings.Lines(string(data)) {
		var kib float64
		if n, _ := fmt.Sscanf(l, "VmHWM: %f kB", &kib); n == 1 {
			return kib / 1024
		}
	}
	return 0
}

// Command forward measures gonterp beside transformers on the same checkpoints, in
// the same run, with equal threads: plain forwards, a trace that saves every
// layer_output, decoding with a cache, loading, memory.
//
//	python tests/bench/models.py small medium        # makes the checkpoints, under tests/bench/models
//	GONTERP_PYTHON=… go run ./tests/bench/forward tests/bench/models/small-v3 tests/bench/models/medium-v3
//
// Each side is a process of its own that answers requests, and they take turns, so
// that a busy machine slows both. The table has medians of wall time and of
// processor time (user and system, of all threads), which a busy machine moves
// less. There is no pass and no fail.
package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gonterp/gonterp/runtime/checkpoint"
)

//go:embed server.py
var serverPy string

func main() {
	threads := flag.Int("threads", 1, "CPU threads of either side")
	dtype := flag.String("dtype", "float32", "what both sides compute in")
	rounds := flag.Int("rounds", 7, "turns of each side, for each line of the table")
	only := flag.String("only", "", "only the lines whose name contains this")
	serve := flag.Bool("serve", false, "be the side of gonterp; the program starts itself so")
	flag.Parse()
	if *serve {
		fail(answer(flag.Arg(0), *dtype, *threads, os.Stdin, os.Stdout))
		return
	}
	if flag.NArg() == 0 {
		fail(errors.New("give checkpoint folders; python tests/bench/models.py small makes some"))
	}
	python, err := findPython()
	fail(err)
	for _, folder := range flag.Args() {
		fail(compare(python, folder, *dtype, *threads, *rounds, *only))
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "forward:", err)
		os.Exit(1)
	}
}

// findPython is a Python that has transformers.
func findPython() (string, error) {
	python := os.Getenv("GONTERP_PYTHON")
	if python == "" {
		python = "python3"
	}
	out, err := exec.Command(python, "-c", "import torch, transformers").CombinedOutput()
	if err == nil {
		return python, nil
	}
	problem := err.Error()
	if lines := strings.Split(strings.TrimSpace(string(out)), "\n"); lines[len(lines)-1] != "" {
		problem = lines[len(lines)-1]
	}
	return "", fmt.Errorf("%s: %s\nThe comparison needs a Python with torch and transformers. Make one and name it:\n"+
		"  python3 -m venv .gonterp/bench && .gonterp/bench/bin/pip install torch==2.15.0 transformers==5.23.0\n"+
		"  export GONTERP_PYTHON=$PWD/.gonterp/bench/bin/python", python, problem)
}

// A line of the table: what both sides are asked to do.
type line struct {
	name string
	request
}

var lines = []line{
	{"forward, 1 token", request{Do: "forward", Tokens: 1, Times: 12}},
	{"forward, 32 tokens", request{Do: "forward", Tokens: 32, Times: 6}},
	{"forward, 128 tokens", request{Do: "forward", Tokens: 128, Times: 3}},
	{"every layer_output, 1 token", request{Do: "layers", Tokens: 1, Times: 12}},
	{"every layer_output, 32 tokens", request{Do: "layers", Tokens: 32, Times: 6}},
	{"every layer_output, 128 tokens", request{Do: "layers", Tokens: 128, Times: 3}},
	{"decode, a token after 32", request{Do: "decode", Tokens: 32, New: 16, Times: 1}},
}

func compare(python, folder, dtype string, threads, rounds int, only string) error {
	ours, err := start(threads, os.Args[0], "-serve", "-dtype", dtype, "-threads", fmt.Sprint(threads), folder)
	if err != nil {
		return err
	}
	defer ours.close()
	theirs, err := start(threads, python, "-c", serverPy, folder, dtype, fmt.Sprint(threads))
	if err != nil {
		return err
	}
	defer theirs.close()

	cfg, err := checkpoint.ReadConfig(folder)
	if err != nil {
		return err
	}
	tokens := 32
	if cfg.IndexTopk > 0 {
		// Beyond it an indexer of random weights chooses among equal scores.
		tokens = min(tokens, cfg.IndexTopk)
	}
	apart, err := distance(ours, theirs, tokens)
	if err != nil {
		return err
	}
	fmt.Printf("\n%s in %s, %d threads; logits after %d tokens differ by %.1e at most\n", filepath.Base(folder), dtype, threads, tokens, apart)
	fmt.Printf("%-34s %12s %12s %7s   %12s %12s %7s\n", "medians, ms", "gonterp", "transformers", "ratio", "cpu", "cpu", "ratio")
	row := func(name string, a, b took) {
		fmt.Printf("%-34s %12.2f %12.2f %7.3f   %12.2f %12.2f %7.3f\n", name, a.wall, b.wall, a.wall/b.wall, a.cpu, b.cpu, a.cpu/b.cpu)
	}
	for _, l := range lines {
		if !strings.Contains(l.name, only) {
			continue
		}
		a, b, err := alternate(task{ours, l.request}, task{theirs, l.request}, rounds)
		if err != nil {
			return err
		}
		row(l.name, a, b)
	}
	for _, l := range lines {
		if l.Do != "layers" || !strings.Contains(l.name, only) {
			continue
		}
		plain := l.request
		plain.Do = "forward"
		a, b, err := alternate(task{ours, l.request}, task{ours, plain}, rounds)
		if err != nil {
			return err
		}
		fmt.Printf("trace / plain, %-19d %12.3f of wall time, %.3f of processor time\n", l.Tokens, a.wall/b.wall, a.cpu/b.cpu)
	}
	row("load", ours.load(), theirs.load())
	row("start to ready", took{ours.ready, ours.ready}, took{theirs.ready, theirs.ready})
	a, b := ours.peak, theirs.peak
	fmt.Printf("%-34s %12.0f %12.0f %7.3f\n", "peak memory, MB", a, b, a/b)
	fmt.Printf("%-34s %12.0f %12.0f %7.3f\n", "peak memory after loading, MB", ours.Peak, theirs.Peak, ours.Peak/theirs.Peak)
	return nil
}

// distance is how far the two sides' logits are apart, so that a table never
// compares two different models.
func distance(ours, theirs *side, tokens int) (float64, error) {
	r := request{Do: "logits", Tokens: tokens}
	a, err := ours.ask(r)
	if err != nil {
		return 0, err
	}
	b, err := theirs.ask(r)
	if err != nil {
		return 0, err
	}
	if len(a.Logits) != len(b.Logits) {
		return 0, fmt.Errorf("%d logits beside %d", len(a.Logits), len(b.Logits))
	}
	most := 0.0
	for i, x := range a.Logits {
		most = max(most, math.Abs(x-b.Logits[i]))
	}
	return most, nil
}

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gonterp/gonterp/runtime/tokenizer"
)

// seconds are those on the clock and those of the processor.
type seconds [2]float64

// rounds is how often library and gonterp are timed in turn, each time in a
// process of its own, so that what else the machine does meets both.
const rounds = 5

var measures = []string{"load", "short", "long", "many", "run"}

// timing prints gonterp's time as a part of the library's: the median round, and
// the worst in brackets.
func timing(out, python string, files []string) {
	texts := filepath.Join(out, "texts.json")
	var corpus []string
	must(read(filepath.Join(out, "corpus.json"), &corpus))
	data, err := json.Marshal(lists(corpus))
	must(err)
	must(os.WriteFile(texts, data, 0o644))
	self, err := os.Executable()
	must(err)
	fmt.Printf("\ntime of gonterp / time of the library, one thread each, median (worst) of %d rounds, wall and processor\n%-22s", rounds, "")
	for _, m := range measures {
		fmt.Printf(" %-27s", m)
	}
	fmt.Println()
	for _, path := range files {
		ratios := map[string][2][]float64{}
		for range rounds {
			theirs := timed(exec.Command(python, "timing.py", path, texts))
			ours := timed(exec.Command(self, "time", path, texts))
			for _, m := range measures {
				r := ratios[m]
				for k := range r {
					r[k] = append(r[k], ours[m][k]/theirs[m][k])
				}
				ratios[m] = r
			}
		}
		fmt.Printf("%-22s", filepath.Base(filepath.Dir(path)))
		for _, m := range measures {
			cell := ""
			for _, r := range ratios[m] {
				slices.Sort(r)
				cell += fmt.Sprintf("%.3f (%.3f) ", r[len(r)/2], r[len(r)-1])
			}
			fmt.Printf(" %-27s", strings.TrimSpace(cell))
		}
		fmt.Println()
	}
}

// lists are the texts to encode: prompts of some ten tokens, one of 100 kB, the
// whole corpus, and a run of one letter.
func lists(corpus []string) map[string][]string {
	var short []string
	for _, s := range corpus {
		if words := strings.Fields(s); len(words) >= 8 && len(short) < 500 {
			short = append(short, strings.Join(words[:8], " "))
		}
	}
	long := strings.Join(corpus, "\n")
	return map[string][]string{
		"short": slices.Repeat(short, 4), "long": {strings.ToValidUTF8(long[:100_000], "")}, "many": corpus,
		"run": {strings.Repeat("a", 100_000)},
	}
}

func timed(c *exec.Cmd) map[string]seconds {
	c.Env = append(os.Environ(), "TOKENIZERS_PARALLELISM=false", "RAYON_NUM_THREADS=1", "GOMAXPROCS=1", "PYTHONDONTWRITEBYTECODE=1")
	c.Stderr = os.Stderr
	data, err := c.Output()
	must(err)
	var out map[string]seconds
	must(json.Unmarshal(data, &out))
	return out
}

// timeOne is timing.py for gonterp.
func timeOne(path, texts string) {
	out := map[string]seconds{}
	var t *tokenizer.Tokenizer
	var err error
	out["load"] = measure(func() {
		var data []byte
		if data, err = os.ReadFile(path); err == nil {
			t, err = tokenizer.LoadBytes(data, nil)
		}
	})
	must(err)
	var lists map[string][]string
	must(read(texts, &lists))
	for name, strings := range lists {
		all := func() {
			for _, s := range strings {
				t.Encode(s, false)
			}
		}
		all()
		out[name] = measure(all)
	}
	must(json.NewEncoder(os.Stdout).Encode(out))
}

func measure(work func()) seconds {
	wall, cpu := time.Now(), processor()
	work()
	return seconds{time.Since(wall).Seconds(), processor() - cpu}
}

// processor is the processor time of the process, in seconds.
func processor() float64 {
	var u syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// Command summary reads what `go test -json` prints, and shows of it what a person
// wants: a line for each package, everything a failed test said, why tests were
// skipped. It ends with "N passed, N failed, N skipped", adds those numbers to the
// file named by its argument, and exits 1 where something failed.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// An event is one line of `go test -json`.
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

// A tally is what became of the tests.
type tally struct{ passed, failed, skipped int }

func (t tally) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", t.passed, t.failed, t.skipped)
}

func main() {
	t, err := summarise(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "summary:", err)
		os.Exit(1)
	}
	fmt.Println(t)
	if len(os.Args) > 1 {
		if err := record(os.Args[1], t); err != nil {
			fmt.Fprintln(os.Stderr, "summary:", err)
			os.Exit(1)
		}
	}
	if t.failed > 0 {
		os.Exit(1)
	}
}

func record(path string, t tally) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	fmt.Fprintln(f, t.passed, t.failed, t.skipped)
	return f.Close()
}

// summarise reads events until the end. A package that fails without a failed test
// (it does not build, it crashed, it ran out of time) counts as one failure.
func summarise(r io.Reader, w io.Writer) (tally, error) {
	var t tally
	said := map[string][]string{} // by package and test
	failed := map[string]int{}    // tests, by package
	parents := map[string]bool{}  // tests that have subtests, which count instead
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprintf(w, "%s", line) // the go command's own words
			} else {
				e.show(w, said, failed, parents, &t)
			}
		}
		if err == io.EOF {
			return t, nil
		}
		if err != nil {
			return t, err
		}
	}
}

func (e event) show(w io.Writer, said map[string][]string, failed map[string]int, parents map[string]bool, t *tally) {
	key := e.Package + " " + e.Test
	if e.Package == "" {
		key = e.ImportPath
	}
	if i := strings.LastIndexByte(e.Test, '/'); i >= 0 {
		parents[e.Package+" "+e.Test[:i]] = true
	}
	switch e.Action {
	case "output", "build-output":
		said[key] = append(said[key], e.Output)
		return
	case "build-fail":
		fmt.Fprint(w, strings.Join(said[key], ""))
	case "pass":
		if e.Test == "" {
			fmt.Fprintf(w, "ok    %s %.1fs\n", e.Package, e.Elapsed)
		} else if !parents[key] {
			t.passed++
		}
	case "skip":
		if e.Test != "" {
			t.skipped++
			fmt.Fprintf(w, "skip  %s: %s\n", key, reason(said[key]))
		}
	case "fail":
		if e.Test == "" {
			fmt.Fprintf(w, "FAIL  %s %.1fs\n", e.Package, e.Elapsed)
			if failed[e.Package] == 0 {
				t.failed++
				// Whatever was running when it ended says why.
				for _, k := range slices.Sorted(maps.Keys(said)) {
					if strings.HasPrefix(k, e.Package+" ") {
						fmt.Fprint(w, strings.Join(said[k], ""))
					}
				}
			}
			break
		}
		failed[e.Package]++
		if !parents[key] {
			t.failed++
		}
		fmt.Fprintf(w, "FAIL  %s\n%s", key, strings.Join(said[key], ""))
	}
	delete(said, key)
}

// reason is what a skipped test said, without go test's own lines.
func reason(said []string) string {
	said = slices.DeleteFunc(slices.Clone(said), func(s string) bool {
		s = strings.TrimSpace(s)
		return strings.HasPrefix(s, "=== ") || strings.HasPrefix(s, "--- ")
	})
	return strings.Join(strings.Fields(strings.Join(said, "")), " ")
}

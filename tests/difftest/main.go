package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

var verbose = flag.Bool("v", false, "write each program that differs, with its outputs, to a file in the temporary folder, and say why programs did not compile")

func main() {
	n := flag.Int("n", 100, "how many programs")
	seed := flag.Uint64("seed", 1, "which programs")
	first := flag.Int("first", 0, "the number of the first program")
	flag.Parse()
	if *n > batch { // a process has room for the types of some thousand programs
		if !inBatches(*first, *n, *seed) {
			os.Exit(1)
		}
		return
	}
	c, diffs, err := compareBatch(*seed, *first, *n)
	if err != nil {
		fmt.Fprintln(os.Stderr, "difftest:", err)
		os.Exit(2)
	}
	for _, d := range diffs {
		fmt.Println(d)
	}
	fmt.Printf("seed %d: %d programs compared, %d mismatches\n", *seed, c, len(diffs))
	if len(diffs) > 0 {
		os.Exit(1)
	}
}

const batch = 100

// inBatches runs this command for a hundred programs at a time.
func inBatches(first, n int, seed uint64) bool {
	good := true
	for i := 0; i < n; i += batch {
		args := []string{"-seed", fmt.Sprint(seed), "-first", fmt.Sprint(first + i), "-n", fmt.Sprint(min(batch, n-i))}
		if *verbose {
			args = append(args, "-v")
		}
		c := exec.Command(os.Args[0], args...)
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		if err := c.Run(); err != nil {
			good = false
		}
	}
	return good
}

// compareBatch compares programs first, first+1, ... and describes those that differ.
func compareBatch(seed uint64, first, n int) (compared int, diffs []string, err error) {
	var ps []program
	for i := range n {
		ps = append(ps, generate(seed, first+i))
	}
	ps, want, err := compiled(ps)
	if err != nil {
		return 0, nil, err
	}
	for _, p := range ps {
		w := want[p.id]
		if w == endless {
			continue
		}
		compared++
		if got := interpreted(p); plain(got) != plain(w) {
			diffs = append(diffs, difference(p, plain(w), plain(got)))
		}
	}
	return compared, diffs, nil
}

var address = regexp.MustCompile(`0xc?[0-9a-f]{6,}`)

// plain is an output without the addresses in it.
func plain(s string) string { return address.ReplaceAllString(s, "0xADDRESS") }

func difference(p program, want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	i := 0
	for i < len(w) && i < len(g) && w[i] == g[i] {
		i++
	}
	line := func(s []string) string {
		if i < len(s) {
			return s[i]
		}
		return "(end)"
	}
	if *verbose {
		os.WriteFile(fmt.Sprintf("%s/difftest-%d.txt", os.TempDir(), p.id), []byte(p.text+"\n----\n"+want+"\n----\n"+got), 0o666)
	}
	d := fmt.Sprintf("program %d, line %d of its output:\n  compiled    %q\n  interpreted %q", p.id, i+1, line(w), line(g))
	return d
}

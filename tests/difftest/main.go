package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
)

var verbose = flag.Bool("v", false, "write each program that differs, with its outputs, to a file in the temporary folder, and say why programs did not compile")

func main() {
	n := flag.Int("n", 100, "how many programs")
	seed := flag.Uint64("seed", 1, "which programs")
	flag.Parse()
	total, bad := 0, 0
	const batch = 100
	for first := 0; first < *n; first += batch {
		c, diffs, err := compareBatch(*seed, first, min(batch, *n-first))
		if err != nil {
			fmt.Fprintln(os.Stderr, "difftest:", err)
			os.Exit(2)
		}
		total += c
		bad += len(diffs)
		for _, d := range diffs {
			fmt.Println(d)
		}
	}
	fmt.Printf("seed %d: %d programs compared, %d mismatches\n", *seed, total, bad)
	if bad > 0 {
		os.Exit(1)
	}
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

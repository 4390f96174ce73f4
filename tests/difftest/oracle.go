package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// imports are in every compiled program.
var imports = []string{"encoding/json", "errors", "fmt", "math", "os", "slices", "sort", "strings", "sync", "time"}

const prelude = `
func one(f func()) {
	defer func() { if e := recover(); e != nil { fmt.Printf("\nPANIC %v\n", e) } }()
	f()
}
`

// endless is what is taken for the output of a program that does not end.
const endless = "endless"

// compiled builds and runs the programs with the Go compiler. It drops programs
// that do not compile and returns what each of the others printed.
func compiled(ps []program) ([]program, map[int]string, error) {
	dir, err := os.MkdirTemp("", "difftest")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module programs\n\ngo 1.26\n"), 0o666); err != nil {
		return nil, nil, err
	}
	for range 20 {
		if err := write(dir, ps); err != nil {
			return nil, nil, err
		}
		build := exec.Command("go", "build", "-gcflags=-e -N -l", "-o", "programs", ".")
		build.Dir = dir
		out, err := build.CombinedOutput()
		if err == nil {
			want := map[int]string{}
			for _, p := range ps {
				if want[p.id], err = runCompiled(filepath.Join(dir, "programs"), p); err != nil {
					return nil, nil, err
				}
			}
			return ps, want, nil
		}
		bad := map[int]bool{}
		for _, m := range regexp.MustCompile(`p(\d+)\.go:\d+`).FindAllStringSubmatch(string(out), -1) {
			id, _ := strconv.Atoi(m[1])
			bad[id] = true
		}
		if len(bad) == 0 {
			return nil, nil, fmt.Errorf("go build: %v\n%s", err, out)
		}
		if *verbose {
			fmt.Fprintf(os.Stderr, "%s\n", out)
		}
		var good []program
		for _, p := range ps {
			if !bad[p.id] {
				good = append(good, p)
			}
			os.Remove(filepath.Join(dir, fmt.Sprintf("p%d.go", p.id)))
		}
		ps = good
	}
	return nil, nil, fmt.Errorf("programs keep failing to compile")
}

func write(dir string, ps []program) error {
	head := "package main\nimport (\n\"" + strings.Join(imports, "\"\n\"") + "\"\n)\n"
	use := ""
	var main strings.Builder
	for _, p := range ps {
		use = ""
		for _, i := range imports {
			name := filepath.Base(i)
			use += "var _ = " + map[string]string{"json": "json.Marshal", "errors": "errors.New", "fmt": "fmt.Print", "math": "math.Abs", "os": "os.Exit", "slices": "slices.Sort[[]int]", "sort": "sort.Ints", "strings": "strings.ToUpper", "sync": "sync.OnceFunc", "time": "time.Now"}[name] + "\n"
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("p%d.go", p.id)), []byte(head+use+p.text), 0o666); err != nil {
			return err
		}
		fmt.Fprintf(&main, "case \"%d\": one(prog%d)\n", p.id, p.id)
	}
	return os.WriteFile(filepath.Join(dir, "main.go"), []byte(head+prelude+use+"func main() {\nswitch os.Args[1] {\n"+main.String()+"}\n}\n"), 0o666)
}

func runCompiled(exe string, p program) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, exe, strconv.Itoa(p.id)).Output()
	if ctx.Err() != nil {
		return endless, nil
	}
	if err != nil {
		return "", fmt.Errorf("program %d, compiled: %w", p.id, err)
	}
	return string(out), nil
}

package machine

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/gonterp/gonterp/interp/engine"
)

// The Go distribution comes with test programs that check themselves, or whose
// output it knows. TestGoPrograms runs them here.

// notHere says why programs of the Go distribution are left out.
var notHere = map[string]string{
	"recover4.go": "signals of the process", "sigchld.go": "signals of the process", "nosplit.go": "builds programs", "linkobj.go": "builds programs", "linkmain_run.go": "builds programs", "linkx_run.go": "builds programs",
	"closure.go": "counts the compiler's allocations", "heapsampling.go": "samples the compiler's allocations", "finprofiled.go": "samples the compiler's allocations", "inline_literal.go": "reads the compiler's line tables", "devirtualization_nil_panics.go": "reads the compiler's line tables",
	"stackobj.go": "watches what the collector frees", "stackobj3.go": "watches what the collector frees", "nilptr.go": "makes pointers of numbers", "nilptr_aix.go": "makes pointers of numbers", "uintptrescapes3.go": "makes pointers of numbers",
	"unsafe_string_data.go": "makes pointers of numbers", "unsafe_slice_data.go": "makes pointers of numbers", "unsafe_string.go": "makes pointers of numbers", "unsafebuiltins.go": "makes pointers of numbers",
	"divmod.go": "takes minutes", "goroutines.go": "takes arguments", "typeswitch5.go": "must not compile",
}

func TestGoPrograms(t *testing.T) {
	if file := os.Getenv("GONTERP_GO_PROGRAM"); file != "" {
		runGoProgram(t, file)
		return
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("there is no Go distribution: ", err)
	}
	dir := filepath.Join(strings.TrimSpace(string(root)), "test")
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	ken, _ := filepath.Glob(filepath.Join(dir, "ken", "*.go"))
	files = append(files, ken...)
	if len(files) < 100 {
		t.Skipf("the Go distribution has no test programs in %s", dir)
	}
	ran := 0
	for i, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if notHere[filepath.Base(f)] != "" || !runnable.Match(src) || testing.Short() && i%10 != 0 {
			continue
		}
		ran++
		want, _ := os.ReadFile(strings.TrimSuffix(f, ".go") + ".out")
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		c := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestGoPrograms$")
		c.Env = append(os.Environ(), "GONTERP_GO_PROGRAM="+f)
		out, _ := c.CombinedOutput()
		cancel()
		out = bytes.TrimSuffix(out, []byte("PASS\n"))
		if !bytes.Equal(out, want) {
			t.Errorf("%s printed\n%.500s\nwant\n%.500s", f, out, want)
		}
	}
	t.Logf("%d programs", ran)
}

// runnable matches programs that are built of one file and run without arguments.
var runnable = regexp.MustCompile(`(?ms)^// run\s*$.*^package main\b`)

// runGoProgram runs a whole program, package variables and all, as no cell is.
func runGoProgram(t *testing.T, file string) {
	s := newSession(t)
	m := s.m
	m.host.Stdout, m.host.Stderr = os.Stdout, os.Stderr
	m.own = m.ownFunctions()
	m.own["os.Exit"] = reflect.ValueOf(func(code int) { panic(engine.Exit{Text: fmt.Sprint(code)}) })
	f, err := parser.ParseFile(s.check.Fset, file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{}, Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
	}
	conf := types.Config{Importer: s.check.Importer, Context: s.check.Context}
	pkg := types.NewPackage("main", "main")
	if err := types.NewChecker(&conf, s.check.Fset, pkg, info).Files([]*ast.File{f}); err != nil {
		t.Fatal(err)
	}
	empty, err := s.check.Cell(1, "1")
	if err != nil {
		t.Fatal(err)
	}
	empty.Units = nil
	if _, err := m.Compile(empty); err != nil { // builds the packages that are Go source
		t.Fatal(err)
	}
	info.FileVersions[f] = "go1.26"
	m.know(info)
	p := m.prog.CreatePackage(pkg, []*ast.File{f}, info, false)
	p.Build()
	defer func() {
		if v := recover(); v != nil {
			if e, ok := v.(engine.Exit); !ok || e.Text != "0" {
				fmt.Println("ended with", m.Fault(v).Text)
			}
		}
	}()
	m.run(programUnits(m, p))
}

func programUnits(m *Machine, p *ssa.Package) (us []unit) {
	for _, name := range []string{"init", "main"} {
		us = append(us, unit{callee: m.callee(p.Func(name))})
	}
	return us
}

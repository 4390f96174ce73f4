package yaegi

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"sort"
	"strings"

	"github.com/gonterp/gonterp/interp/yaegi/rt"
)

// Refused is the error of a construct that is not supported.
type Refused struct {
	Pos token.Position
	Msg string
}

// Unit is a checked function or method declaration with what is needed to lower it again for other type arguments.
type Unit struct {
	Decl *ast.FuncDecl
	Info *types.Info
	Fset *token.FileSet
	Cell string
}

// Lowerer holds what outlives a cell: names given, instances made.
type Lowerer struct {
	RT    *rt.RT
	Ctx   *types.Context
	Units map[types.Object]*Unit // functions and methods with syntax: the session's and the overlay's
	// IsHost tells whether the package's symbols are in the engine; HostType whether a type can be named there.
	IsHost   func(path string) bool
	HostName func(*types.Named) bool

	names    map[types.Object]string
	used     map[string]int
	inst     map[string]bool   // functions emitted
	typs     map[string]string // key of named type -> emitted name
	named    map[string]*types.Named
	boxed    map[string]*types.Named
	asFn     map[int]bool
	toFn     map[int]bool
	hook     map[string]string // function key -> emitted name of the first version, whose hook later versions set
	impure   map[types.Type]bool
	fam      map[*types.Func]*types.Func // first version of a redefined function
	versions map[*types.Func][]string    // emitted names of a method's older versions

	pre  []string // declarations to evaluate before the cell's body
	regs []string // statements to run after pre
	work []func()

	marks []mark
}

// NewLowerer is a Lowerer whose code calls r.
func NewLowerer(r *rt.RT) *Lowerer {
	l := &Lowerer{RT: r, Ctx: types.NewContext(), Units: map[types.Object]*Unit{}, names: map[types.Object]string{}, used: map[string]int{}, inst: map[string]bool{}, typs: map[string]string{}, named: map[string]*types.Named{}, boxed: map[string]*types.Named{}, asFn: map[int]bool{}, toFn: map[int]bool{}, hook: map[string]string{}, impure: map[types.Type]bool{}, fam: map[*types.Func]*types.Func{}, versions: map[*types.Func][]string{}}
	r.Impure = l.Impure
	r.NameOf = func(n *types.Named) string {
		if !l.isCell(n) {
			return ""
		}
		return l.typeKey(n)
	}
	return l
}

// gen lowers one function body.
type gen struct {
	*Lowerer
	u         *Unit
	env       map[*types.TypeParam]types.Type
	inst      string // suffix that tells instances apart
	out       *strings.Builder
	fn        *fnCtx
	local     map[types.Object]string
	loops     []*target
	tmp       *int
	deferring string            // the literal about to be lowered is deferred by the function of this list
	flags     map[string]string // label -> flag variable
}

type fnCtx struct {
	top    bool // the body of the cell
	res    []types.Type
	names  []string // names of named results
	up     *fnCtx   // the function around a range-over-func body
	rf     *rangeFn // set in a range-over-func body
	under  string   // in a deferred literal: the list of the function that deferred it
	defers string   // the function's list of deferred calls
	rets   []string // result variables of a function that defers
}

type rangeFn struct {
	state string
	rets  []string
	exits []exit // labels left through, in order of code
}

type exit struct {
	tok token.Token
	to  *target
}

// target is a statement that break or continue may name.
type target struct {
	label string
	loop  bool // continue may name it
	cont  func() string
	rf    *rangeFn // the body is a callback
	fn    *fnCtx
	flag  string // variable that says a labelled branch is on its way here: 1 break, 2 continue
	used  bool
	sw    bool
}

func (g *gen) refuse(n ast.Node, f string, a ...any) {
	panic(Refused{g.u.Fset.Position(n.Pos()), fmt.Sprintf(f, a...)})
}

// ---- types

// Drain emits everything that was asked for; it returns the declarations and the statements to run after them.
func (l *Lowerer) Drain() (pre []string, regs []string) {
	for len(l.work) > 0 {
		f := l.work[0]
		l.work = l.work[1:]
		f()
	}
	pre, regs = l.pre, l.regs
	l.pre, l.regs = nil, nil
	sort.SliceStable(pre, func(i, j int) bool { return rank(pre[i]) < rank(pre[j]) })
	return
}

func rank(s string) int {
	for i, p := range []string{"import ", "type ", "var ", "func "} {
		if strings.HasPrefix(s, p) {
			return i
		}
	}
	return 0
}

// ---- constants

package check

import (
	"go/ast"
	"go/token"
	"go/types"
)

// A Cell is a checked cell. Positions in Fset have the file name "cN" for cell
// number N and the line and column of the text as it was typed.
type Cell struct {
	Number int
	Source string // as typed
	Fset   *token.FileSet
	Units  []*Unit
	// Packages are all packages that exist as Go source and have been imported
	// so far in this session, each after those it imports.
	Packages []*Package

	universe  map[string]types.Object // what later cells see once the cell is committed
	imports   map[string]string
	keptTypes map[string]typeText
	funcs     map[string]funcText
	added     []*types.Func // methods that checking has added to types of earlier cells
	files     []*token.File // that were parsed for it
}

// Visible is what later cells see at the top level once the cell is committed, by name.
func (c *Cell) Visible() map[string]types.Object { return c.universe }

// A Kind says what a Unit is made of.
type Kind int

const (
	Statements   Kind = iota // the body of the only function in File; var declarations are statements
	Declarations             // functions, methods, types and constants
)

// A Unit is a run of statements or of declarations, checked as a package "main"
// of its own, whose scope also holds what came before it. Units run in order.
type Unit struct {
	Kind Kind
	File *ast.File
	Pkg  *types.Package
	Info *types.Info
	// Vars are the variables that statements declare at the top level of the cell.
	Vars []Var
	// Decls are the functions, types and constants that declarations declare.
	Decls []Decl
	// Methods are declared here on types of earlier units. Their declarations in
	// File are rewritten to functions whose first parameter is the receiver.
	Methods []Method
	// Value says that the last statement is an expression whose value the cell shows.
	Value bool
}

// Body is the list of statements of a unit of statements.
func (u *Unit) Body() []ast.Stmt { return u.File.Decls[0].(*ast.FuncDecl).Body.List }

// A Var is a top-level variable: Local is its object in the unit that declares
// it, Global the one that later units and cells see. Old is what the name meant
// before, nil if nothing; where it is a variable of an identical type, the
// variable keeps its storage, so that closures of earlier cells see the new value.
type Var struct {
	Local, Global *types.Var
	Old           types.Object
}

// A Decl is a declared function, type or constant. Old is what the name meant
// before, nil if nothing.
type Decl struct {
	New, Old types.Object
}

// A Method is a method of a type of an earlier unit.
type Method struct {
	Recv  *types.Named
	Decl  *ast.FuncDecl // as a function, with the receiver first
	Func  *types.Func   // the method: a new one, already added to Recv, or the one that Decl replaces
	IsNew bool
}

// A Package is a package that exists as Go source, or the part of a host
// package that does (its generic functions).
type Package struct {
	Path string
	Pkg  *types.Package
	File *ast.File
	Fset *token.FileSet
	Info *types.Info
	Host bool // Pkg also has host symbols
}

package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"strings"
)

// document writes a line for each exported name of a package, for each path that cells
// import it under: that path, the name ("T.M" for a method or field), its declaration
// without body, and its comment, as Go strings.
func document(w *bytes.Buffer, path string, known []string) error {
	bp, err := build.Import(path, ".", 0)
	if err != nil {
		return err
	}
	fs := token.NewFileSet()
	var files []*ast.File
	for _, n := range bp.GoFiles {
		f, err := parser.ParseFile(fs, filepath.Join(bp.Dir, n), nil, parser.ParseComments)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	pk, err := doc.NewFromFiles(fs, files, path)
	if err != nil {
		return err
	}
	d := &documenter{w, fs, known}
	d.line("", "package "+pk.Name, pk.Doc)
	d.values(append(pk.Consts, pk.Vars...))
	d.funcs("", pk.Funcs)
	for _, t := range pk.Types {
		for _, s := range t.Decl.Specs {
			if ts, ok := s.(*ast.TypeSpec); ok && ts.Name.Name == t.Name {
				d.line(t.Name, d.typeText(ts), t.Doc)
				d.fields(t.Name, ts.Type)
			}
		}
		d.values(append(t.Consts, t.Vars...))
		d.funcs("", t.Funcs)
		d.funcs(t.Name+".", t.Methods)
	}
	return nil
}

type documenter struct {
	w     *bytes.Buffer
	fset  *token.FileSet
	paths []string
}

func (d *documenter) line(name, decl, text string) {
	for _, p := range d.paths {
		fmt.Fprintf(d.w, "%s\t%s\t%q\t%q\n", p, name, decl, strings.TrimSpace(text))
	}
}

func (d *documenter) text(n any) string {
	var b bytes.Buffer
	printer.Fprint(&b, d.fset, n)
	return b.String()
}

func (d *documenter) values(vs []*doc.Value) {
	for _, v := range vs {
		for _, s := range v.Decl.Specs {
			vs, ok := s.(*ast.ValueSpec)
			if !ok {
				continue
			}
			text := vs.Doc.Text()
			if text == "" {
				text = vs.Comment.Text()
			}
			if text == "" {
				text = v.Doc
			}
			for _, n := range vs.Names {
				if !n.IsExported() {
					continue
				}
				decl := v.Decl.Tok.String() + " " + n.Name
				if vs.Type != nil {
					decl += " " + d.text(vs.Type)
				}
				d.line(n.Name, decl, text)
			}
		}
	}
}

func (d *documenter) funcs(prefix string, fs []*doc.Func) {
	for _, f := range fs {
		decl := *f.Decl
		decl.Doc, decl.Body = nil, nil
		d.line(prefix+f.Name, d.text(&decl), f.Doc)
	}
}

// typeText is the head of a type's declaration.
func (d *documenter) typeText(ts *ast.TypeSpec) string {
	switch t := ts.Type.(type) {
	case *ast.StructType:
		return "type " + ts.Name.Name + " struct"
	case *ast.InterfaceType:
		return "type " + ts.Name.Name + " interface"
	default:
		return "type " + ts.Name.Name + " " + d.text(t)
	}
}

func (d *documenter) fields(typ string, e ast.Expr) {
	var list *ast.FieldList
	switch t := e.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return
	}
	for _, f := range list.List {
		text := f.Doc.Text()
		if text == "" {
			text = f.Comment.Text()
		}
		for _, n := range f.Names {
			if !n.IsExported() {
				continue
			}
			decl := "field " + n.Name + " " + d.text(f.Type)
			if ft, ok := f.Type.(*ast.FuncType); ok && list != nil {
				if _, isInterface := e.(*ast.InterfaceType); isInterface {
					decl = "func (" + typ + ") " + n.Name + strings.TrimPrefix(d.text(ft), "func")
				}
			}
			d.line(typ+"."+n.Name, decl, text)
		}
	}
}

package interp

import (
	"fmt"
	"go/types"
	"os"
	"path"
	"reflect"
	"sync"

	"github.com/gonterp/gonterp/interp/check"
	"github.com/gonterp/gonterp/interp/engine"
	"github.com/gonterp/gonterp/interp/exports"
	"github.com/gonterp/gonterp/interp/machine"
	"github.com/gonterp/gonterp/interp/overlay"
	"github.com/gonterp/gonterp/interp/symbols"
	"github.com/gonterp/gonterp/interp/yaegi"
)

// Options say how a session differs from the usual one.
type Options struct {
	// Engine is "machine" or "yaegi"; "" takes $GONTERP_ENGINE, else machine.
	Engine string
	// Packages can be imported beside the built-in ones.
	Packages []exports.Package
	// BeforeCell and AfterCell are called on the session's thread around each
	// cell that runs; ok is false after a cell that failed, so that what it left
	// open can be aborted.
	BeforeCell func()
	AfterCell  func(ok bool)
	// Interrupted is called by Interrupt, from any goroutine, while a cell runs:
	// whatever long work the cell is in should stop by a panic soon. It may be
	// called several times.
	Interrupted func()
	// Words returns what may be written in a string literal that is the first
	// argument of a function or method of that name, given what is there of it.
	Words func(function, text string) []string
	// Refuse says what is certainly wrong, whatever the values of variables, with a call
	// of a function or method whose first argument is the constant text; "" is nothing.
	// The function is named as types.Func.FullName does.
	Refuse func(function, text string) (why string)
	// Comm takes a front end's message of a comm, on a thread of the session.
	Comm func(CommMessage)
	// Text makes the text/plain form of a cell's value; nil is the usual form.
	Text func(engine.Value) string
}

// A Session runs cells; it implements Sessions.
type Session struct {
	opt    Options
	state  sync.Mutex // guards checker, engine and what follows
	check  *check.Checker
	engine Engine
	// waiting are cells of functions that use names which are not there yet.
	waiting []waitingCell
	sources map[int]string

	importable []string // import paths

	streams *streams

	running sync.Mutex // guards what follows
	count   int
	lanes   map[string]*lane // by shell
}

type waitingCell struct {
	number int
	code   string
}

var _ Sessions = (*Session)(nil)

// New returns a session. Close frees its thread.
func New(opt Options) (*Session, error) {
	s := &Session{opt: opt, sources: map[int]string{}, lanes: map[string]*lane{"": newLane()}}
	var err error
	if s.streams, err = newStreams(); err != nil {
		return nil, err
	}
	im := exports.NewImporter()
	im.Add(symbols.Packages()...)
	im.Add(opt.Packages...)
	for p, own := range s.hostCalls() {
		im.Add(exports.Package{Path: path.Dir(p), Name: path.Base(p), Symbols: func() map[string]reflect.Value { return own }})
	}
	s.check = check.New(im)
	s.importable = append(im.Paths(), overlay.Whole()...)
	host := engine.Host{
		Importer: im,
		Writer:   s.streams.writer,
		Stdout:   s.streams.stdout,
		Stderr:   s.streams.stderr,
		Cell:     func() int { return s.streams.origin().cell },
		Owner:    func() any { return s.streams.origin() },
		Panicked: s.goroutinePanicked,
	}
	name := opt.Engine
	if name == "" {
		name = os.Getenv("GONTERP_ENGINE")
	}
	switch name {
	case "", "machine":
		s.engine, err = machine.New(host)
	case "yaegi":
		s.engine, err = yaegi.New(host)
	default:
		err = fmt.Errorf("unknown engine %q; GONTERP_ENGINE can be machine or yaegi", name)
	}
	if err != nil {
		s.streams.close()
		return nil, err
	}
	return s, nil
}

// Close ends the session: its threads and its engine. Running cells are interrupted.
func (s *Session) Close() error {
	shells := s.shells()
	for shell := range shells {
		s.InterruptShell(shell)
	}
	for shell := range shells {
		s.CloseShell(shell)
	}
	s.engine.Close()
	s.streams.close()
	return nil
}

// Universe returns what the session's cells have declared at the top level, by name.
func (s *Session) Universe() map[string]types.Object {
	s.state.Lock()
	defer s.state.Unlock()
	return s.check.Universe()
}

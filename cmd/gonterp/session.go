package main

import (
	"io"
	"slices"

	"github.com/gonterp/gonterp"
	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/interp/commands"
	"github.com/gonterp/gonterp/interp/symbols/project"
	"github.com/gonterp/gonterp/kernel/comm"
	"github.com/gonterp/gonterp/kernel/display"
	"github.com/gonterp/gonterp/kernel/tables"
	"github.com/gonterp/gonterp/runtime/trace"
)

// newSession is a session whose cells can trace: an interrupt reaches a running
// forward, and passes that a cell left open are closed, also after an error that it
// recovered. It understands session commands.
func newSession() (*commands.Session, error) {
	s, err := interp.New(interp.Options{
		Packages:    slices.Concat(project.Packages(), tables.Packages()),
		Words:       project.Words,
		Refuse:      project.Refuse,
		BeforeCell:  func() { trace.Interrupted.Store(false) },
		Interrupted: func() { trace.Interrupted.Store(true) },
		AfterCell:   func(bool) { gonterp.CloseOpen() },
		Comm:        comm.Receive,
	})
	if err != nil {
		return nil, err
	}
	gonterp.Progress = display.Progress
	trace.Where, trace.Concerned = interp.Place, interp.Stopped
	if o := s.Execute(interp.Cell{Code: display.Prelude, Silent: true}, nowhere{}); o.Err != nil {
		s.Close()
		return nil, o.Err
	}
	return commands.New(s), nil
}

// nowhere is the output of a cell that shows nothing.
type nowhere struct{}

func (nowhere) Stream(int, string, string)               {}
func (nowhere) Display(int, interp.Bundle, string, bool) {}
func (nowhere) Clear(int, bool)                          {}
func (nowhere) Input(string, bool) (string, error)       { return "", io.EOF }

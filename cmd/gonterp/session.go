package main

import (
	"github.com/gonterp/gonterp"
	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/interp/commands"
	"github.com/gonterp/gonterp/interp/symbols/project"
	"github.com/gonterp/gonterp/runtime/trace"
)

// newSession is a session whose cells can trace: an interrupt reaches a running
// forward, and a cell that fails closes the passes it left open. It understands
// session commands.
func newSession() (*commands.Session, error) {
	s, err := interp.New(interp.Options{
		Packages:    project.Packages(),
		BeforeCell:  func() { trace.Interrupted.Store(false) },
		Interrupted: func() { trace.Interrupted.Store(true) },
		AfterCell: func(ok bool) {
			if !ok {
				gonterp.CloseOpen()
			}
		},
	})
	if err != nil {
		return nil, err
	}
	return commands.New(s), nil
}

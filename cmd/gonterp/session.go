package main

import (
	"github.com/gonterp/gonterp"
	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/interp/symbols/project"
	"github.com/gonterp/gonterp/runtime/trace"
)

// newSession is a session whose cells can trace: an interrupt reaches a running
// forward, and a cell that fails closes the passes it left open.
func newSession() (*interp.Session, error) {
	return interp.New(interp.Options{
		Packages: project.Packages(),
		BeforeCell:  func() { trace.Interrupted.Store(false) },
		Interrupted: func() { trace.Interrupted.Store(true) },
		AfterCell: func(ok bool) {
			if !ok {
				gonterp.CloseOpen()
			}
		},
	})
}

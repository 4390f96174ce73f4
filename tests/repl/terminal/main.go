// Command terminal is the REPL over a session that can trace, as tests drive it.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/gonterp/gonterp"
	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/interp/commands"
	"github.com/gonterp/gonterp/interp/symbols/project"
	"github.com/gonterp/gonterp/repl"
	"github.com/gonterp/gonterp/runtime/trace"
)

func main() {
	var opt repl.Options
	flag.StringVar(&opt.History, "history", "", "the file that keeps cells")
	flag.StringVar(&opt.Graphics, "graphics", "", "how figures are shown")
	flag.Parse()
	session, err := interp.New(interp.Options{
		Packages:    project.Packages(),
		BeforeCell:  func() { trace.Interrupted.Store(false) },
		Interrupted: func() { trace.Interrupted.Store(true) },
		AfterCell: func(ok bool) {
			if !ok {
				gonterp.CloseOpen()
			}
		},
	})
	if err == nil {
		defer session.Close()
		err = repl.Run(commands.New(session), opt)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gonterp: "+err.Error())
		os.Exit(1)
	}
}

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
	"github.com/gonterp/gonterp/kernel/client"
	"github.com/gonterp/gonterp/repl"
	"github.com/gonterp/gonterp/runtime/trace"
)

func main() {
	var opt repl.Options
	flag.StringVar(&opt.History, "history", "", "the file that keeps cells")
	flag.StringVar(&opt.Graphics, "graphics", "", "how figures are shown")
	existing := flag.String("existing", "", "the connection file of a kernel to attach to")
	flag.Parse()
	if *existing != "" {
		exit(attach(*existing, opt))
	}
	exit(start(opt))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "gonterp: "+err.Error())
		os.Exit(1)
	}
	os.Exit(0)
}

// attach runs the REPL over a running kernel.
func attach(file string, opt repl.Options) error {
	session, err := client.Open(file)
	if err != nil {
		return err
	}
	defer session.Close()
	return repl.Run(session, opt)
}

// start runs it over a session of its own.
func start(opt repl.Options) error {
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
	if err != nil {
		return err
	}
	defer session.Close()
	return repl.Run(commands.New(session), opt)
}

package main

import (
	"flag"
	"fmt"
	"path/filepath"

	"github.com/gonterp/gonterp/repl"
	"github.com/gonterp/gonterp/runtime/torch"
)

// terminal is gonterp without a command: cells typed in a terminal, or read from
// standard input.
func terminal(args []string) error {
	flags := flag.NewFlagSet("gonterp", flag.ContinueOnError)
	flags.Usage = usage
	graphics := flags.String("graphics", "", "how figures are shown: auto, kitty, iterm, sixel, blocks or text")
	if err := flags.Parse(args); err != nil {
		return err
	}
	session, err := newSession()
	if err != nil {
		return err
	}
	defer session.Close()
	history := "" // without a home nothing is kept
	if folder := torch.DataFolder(); folder != "" {
		history = filepath.Join(folder, "history")
	}
	return repl.Run(session, repl.Options{
		History:  history,
		Graphics: *graphics,
		Banner:   fmt.Sprintf("gonterp: cells are Go; model := gonterp.Load(%q) loads a model; %%help lists commands", "mini"),
	})
}

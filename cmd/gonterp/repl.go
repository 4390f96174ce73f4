package main

import (
	"flag"
	"fmt"
	"path/filepath"

	"github.com/gonterp/gonterp/kernel/client"
	"github.com/gonterp/gonterp/repl"
	"github.com/gonterp/gonterp/runtime/folder"
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
	return repl.Run(session, repl.Options{
		History:  historyFile(),
		Graphics: *graphics,
		Banner:   fmt.Sprintf("gonterp: cells are Go; model := gonterp.Load(%q) loads a model; %%help lists commands", "mini"),
	})
}

// console is a terminal on the session of a kernel that runs already.
func console(args []string) error {
	flags := flag.NewFlagSet("console", flag.ContinueOnError)
	existing := flags.Bool("existing", false, "attach to a running kernel, the latest without a name")
	graphics := flags.String("graphics", "", "how figures are shown: auto, kitty, iterm, sixel, blocks or text")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if !*existing || flags.NArg() > 1 {
		return fmt.Errorf("console attaches to a kernel: gonterp console --existing [CONNECTION FILE]; gonterp alone starts a session of its own")
	}
	file, err := client.Find(flags.Arg(0))
	if err != nil {
		return err
	}
	session, err := client.Open(file)
	if err != nil {
		return err
	}
	defer session.Close()
	return repl.Run(session, repl.Options{History: historyFile(), Graphics: *graphics, Banner: "gonterp: the session of " + file})
}

// historyFile keeps the cells of terminals; without a home nothing is kept.
func historyFile() string {
	if data := folder.Data(); data != "" {
		return filepath.Join(data, "history")
	}
	return ""
}

package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gonterp/gonterp/repl"
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
		History:  filepath.Join(dataFolder(), "history"),
		Graphics: *graphics,
		Banner:   fmt.Sprintf("gonterp: cells are Go; model := gonterp.Load(%q) loads a model; %%help lists commands", "mini"),
	})
}

// dataFolder is where gonterp keeps what belongs to a person.
func dataFolder() string {
	if dir := os.Getenv("GONTERP_HOME"); dir != "" {
		return dir
	}
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "gonterp")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = os.TempDir()
	}
	return filepath.Join(home, ".local", "share", "gonterp")
}

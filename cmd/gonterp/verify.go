package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"

	"github.com/gonterp/gonterp/cmd/gonterp/verify"
)

func verifyFolders(args []string) error {
	flags := flag.NewFlagSet("verify", flag.ContinueOnError)
	runs := flags.String("runs", "", "only runs whose name matches this regular expression")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return fmt.Errorf("verify wants reference folders: gonterp verify tests/reference/v32")
	}
	var match *regexp.Regexp
	if *runs != "" {
		var err error
		if match, err = regexp.Compile(*runs); err != nil {
			return fmt.Errorf("--runs: %w", err)
		}
	}
	return verify.Folders(os.Stdout, flags.Args(), match)
}

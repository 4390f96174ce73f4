// Command gonterp is the notebook kernel, the terminal, and the tools around them.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/gonterp/gonterp/docs"
)

// A command is one word after gonterp.
type command struct {
	name, args, doc string
	run             func(args []string) error
}

func all() []command {
	return []command{
		{"run", "FILE…", "run the cells of a .go file (separated by // %%) or of an .ipynb", run},
		{"verify", "[--runs REGEXP] DIR…", "compare every value with what transformers computed for a reference folder", verifyFolders},
		{"info", "[--check] DIR|ID|mini", "what a model is: sizes, parameters, memory; whether its weights are sound", info},
		{"pull", "ID", "download a model into the Hugging Face cache, with the hf client", pull},
		{"console", "--existing [FILE]", "a terminal on the session of a running kernel", console},
		{"doctor", "", "what is installed, and how to mend what is not", doctorReport},
		{"kernel", "install | --connection FILE", "the Jupyter kernel, and its installation", kernelCommand},
		{"help", "[PAGE]", "this, or a page: of an error, of how a trace works, of every value", help},
	}
}

func main() {
	args := os.Args[1:]
	if len(args) == 0 || strings.HasPrefix(args[0], "-") && args[0] != "-h" && args[0] != "--help" {
		exit(terminal(args))
	}
	if args[0] == "-h" || args[0] == "--help" {
		usage()
		return
	}
	if args[0] == "worker" { // the kernel starts it; a person has no use for it
		exit(worker())
	}
	for _, c := range all() {
		if c.name == args[0] {
			exit(c.run(args[1:]))
		}
	}
	fmt.Fprintf(os.Stderr, "gonterp: there is no command %q\n", args[0])
	usage()
	os.Exit(2)
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "gonterp: "+err.Error())
		os.Exit(1)
	}
	os.Exit(0)
}

func help(args []string) error {
	if len(args) == 0 {
		usage()
		fmt.Printf("\nPages: %s\nPages about errors: %s\n", strings.Join(docs.Topics(), ", "), strings.Join(docs.Names(), ", "))
		return nil
	}
	text, err := docs.Page(args[0])
	if err == nil {
		fmt.Print(text)
	}
	return err
}

func usage() {
	fmt.Println("gonterp looks inside language models of the DeepSeek families.")
	fmt.Printf("  %-46s %s\n", "gonterp [--graphics HOW]", "a terminal whose cells are Go; cells from standard input when that is no terminal")
	for _, c := range all() {
		fmt.Printf("  gonterp %-38s %s\n", strings.TrimSpace(c.name+" "+c.args), c.doc)
	}
}

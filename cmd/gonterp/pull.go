package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/gonterp/gonterp/runtime/checkpoint"
)

// pull downloads a model into the cache that gonterp.Load looks in. It is done by
// the Hugging Face client, which has the user's account, mirrors and resumption.
func pull(args []string) error {
	if len(args) != 1 || strings.HasPrefix(args[0], "-") || !strings.Contains(args[0], "/") {
		return errors.New("pull wants one model id: gonterp pull deepseek-ai/DeepSeek-V2-Lite")
	}
	words := strings.Fields(checkpoint.Download(args[0]))
	client, err := exec.LookPath(words[0])
	if err != nil {
		return fmt.Errorf("%s is not installed: models are downloaded by the Hugging Face client. To install it, run: pipx install huggingface_hub "+
			"(or: pip install huggingface_hub). Then run this again, or %s yourself", words[0], strings.Join(words, " "))
	}
	c := exec.Command(client, words[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w. What it fetched so far stays: run this again to go on", strings.Join(words, " "), err)
	}
	dir, err := checkpoint.Resolve(args[0])
	if err != nil {
		return err
	}
	fmt.Printf("%s is in %s. Use it: gonterp.Load(%q)\n", args[0], dir, args[0])
	return nil
}

// Command example looks inside a model from a Go program: which head writes the answer,
// and what is left of it without that head.
package main

import (
	"fmt"
	"os"
	"sync"

	"github.com/gonterp/gonterp"
)

func main() {
	name := gonterp.Mini
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	model, err := gonterp.Open(name, gonterp.DType("float32"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	const prompt = "When Mary and John went to the store, John gave a drink to"

	// A pass is a loop that goes round once. What is read in it stays afterwards.
	var pattern *gonterp.Tensor
	for m := range model.Trace(prompt) {
		pattern = m.Layers[3].SelfAttn.AttentionProbabilities.Save()
		fmt.Println("next:", m.TopTokens(m.Logits.Value().Index(0, -1), 1).Word(0, 0))
	}
	tokens := model.StrTokens(prompt)
	fmt.Println("layer 3 head 0 looks at:", tokens[int(pattern.Index(0, 0, -1).Argmax(-1).Item())])

	// A written value is what the model goes on with.
	for m := range model.Trace(prompt) {
		m.Layers[3].SelfAttn.AblateHeads(0)
		fmt.Println("without it:", m.TopTokens(m.Logits.Value().Index(0, -1), 1).Word(0, 0))
	}

	// Goroutines may share a model: their passes take turns.
	answers := make([]string, 2)
	var work sync.WaitGroup
	for i, prompt := range []string{"The capital of France is", "The capital of Japan is"} {
		work.Go(func() { answers[i] = model.Generate(prompt, 1).Text() })
	}
	work.Wait()
	fmt.Println("capitals:", answers)
}

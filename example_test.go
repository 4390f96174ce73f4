package gonterp_test

import (
	"fmt"

	"github.com/gonterp/gonterp"
)

func ExampleOpen() {
	model, err := gonterp.Open("mini", gonterp.DType("float32"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.NumLayers, model.HiddenSize, model.StrTokens("The capital")[1:])
	// Output: 4 128 [The  capital]
}

// A block reads what it names, and the forward goes on with what it writes.
func ExampleModel_Trace() {
	model := mini()
	for m := range model.Trace(johnGives) {
		pattern := m.Layers[1].SelfAttn.AttentionProbabilities.Save()
		m.Layers[2].MLP.MLPOutput.Set(0)
		logits := m.Logits.Save()
		fmt.Println(pattern.Shape(), pattern.Origin().Axes, logits.Shape())
	}
	// Output: [1 4 15 15] [batch num_heads query key] [1 15 710]
}

// Each prompt is seen alone, without the padding that makes them equally long.
func ExampleModel_Prompt() {
	model := mini()
	for m := range model.Trace([]string{johnGives, "The capital of France is"}) {
		for i := range 2 {
			for m := range m.Prompt(i) {
				fmt.Println(m.Layers[1].LayerOutput.Value().Shape())
			}
		}
	}
	// Output:
	// [1 15 128]
	// [1 6 128]
}

// The gradient of a difference of logits by a block's output is as large as the output.
func ExampleModel_Grad() {
	model := mini()
	for m := range model.Trace(johnGives, gonterp.Gradients()) {
		diff := model.LogitDiff(" Mary", " John")(m.Logits.Value())
		fmt.Println(m.Grad(diff, m.Layers[1].LayerOutput)[0].Shape())
	}
	// Output: [1 15 128]
}

func ExampleModel_Generate() {
	model := mini()
	fmt.Printf("%q\n", model.Generate("The capital of France is", 1).Text())
	generation := model.Generate(johnGives, 3).Enter()
	for step := range generation.Steps() {
		fmt.Println(step, generation.Layers[1].SelfAttn.AttentionKeys.Value().Size(2), "keys")
	}
	generation.Exit(true)
	// Output:
	// " Paris"
	// 0 15 keys
	// 1 16 keys
	// 2 17 keys
}

// A scan knows shapes and needs no weights.
func ExampleModel_Scan() {
	model := mini()
	for m := range model.Scan([]int{1, 2, 3}) {
		fmt.Println(m.Layers[1].MLP.RouterLogits.Value().Shape())
	}
	// Output: [1 3 8]
}

func ExampleModel_Cache() {
	model := mini()
	cache := model.Cache(johnGives, "layer_output")
	fmt.Println(cache.Names()[0], cache.Stack("layer_output").Shape())
	// Output: layers.0.layer_output [4 1 15 128]
}

// An edit lasts until it is cleared.
func ExampleModel_Edit() {
	model := mini()
	model.Edit("no MLP", "layers.3.mlp.mlp_output", func(t *gonterp.Tensor) *gonterp.Tensor { return t.Mul(0) })
	fmt.Println(model.Edits())
	model.ClearEdits("no MLP")
	fmt.Println(len(model.Edits()))
	// Output:
	// map[no MLP:layers.3.mlp.mlp_output]
	// 0
}

package gonterp_test

import (
	"fmt"
	"math"

	"github.com/gonterp/gonterp"
)

// The giver is named second to last; the drink goes to the other one.
const (
	johnGives = "When Mary and John went to the store, John gave a drink to"
	maryGives = "When Mary and John went to the store, Mary gave a drink to"
)

func mini() *gonterp.Model { return gonterp.Load("mini", gonterp.DType("float32")) }

// cellOf is where a tensor of two axes is largest.
func cellOf(t *gonterp.Tensor) (row, col int) {
	best, cols := math.Inf(-1), t.Size(1)
	for i, v := range t.Float64s() {
		if v > best {
			best, row, col = v, i/cols, i%cols
		}
	}
	return row, col
}

// The answer appears in the last layer only.
func ExampleModel_LogitLens() {
	model := mini()
	lens := model.LogitLens(johnGives)
	for layer, p := range lens.Of(" Mary").Index(gonterp.All, -1).Floats() {
		fmt.Printf("layer %d: %q, Mary %.2f\n", layer, lens.Words[layer][14], p)
	}
	// Output:
	// layer 0: " the", Mary 0.00
	// layer 1: " wanted", Mary 0.00
	// layer 2: " Anna", Mary 0.00
	// layer 3: " Mary", Mary 1.00
}

func ExampleModel_TopTokens() {
	model := mini()
	for m := range model.Trace("The capital of France is") {
		top := m.TopTokens(m.Logits.Value().Index(0, -1), 3)
		fmt.Printf("%q %.2f\n", top.Word(0, 0), top.Probs.Index(0, 0).Item())
	}
	// Output: " Paris" 1.00
}

// Who gives is known at the giver's position, and moves to the last one in layers 1
// and 2.
func ExampleModel_PatchPositions() {
	model := mini()
	patched := model.PatchPositions("layer_output", johnGives, maryGives, model.LogitDiff(" Mary", " John"))
	giver, end := 10, 14
	for layer := range model.NumLayers {
		fmt.Printf("layer %d: giver %.1f, end %.1f\n", layer, patched.Effect.Index(layer, giver).Abs().Item(), patched.Effect.Index(layer, end).Abs().Item())
	}
	// Output:
	// layer 0: giver 1.0, end 0.0
	// layer 1: giver 0.3, end 0.7
	// layer 2: giver 0.0, end 1.0
	// layer 3: giver 0.0, end 1.0
}

// The head that tells the last position who gives.
func ExampleModel_PatchHeads() {
	model := mini()
	patched := model.PatchHeads("attention_head_outputs", johnGives, maryGives, model.LogitDiff(" Mary", " John"), -1)
	layer, head := cellOf(patched.Effect)
	fmt.Printf("layer %d head %d: %.1f\n", layer, head, patched.Effect.Index(layer, head).Item())
	// Output: layer 1 head 3: 0.5
}

// Three passes find the same places as a pass for each cell, but for layer 0, from
// which the way to the answer is far from linear.
func ExampleModel_AttributePositions() {
	model := mini()
	diff := model.LogitDiff(" Mary", " John")
	attributed := model.AttributePositions("layer_output", johnGives, maryGives, diff)
	patched := model.PatchPositions("layer_output", johnGives, maryGives, diff)
	for layer := 1; layer < model.NumLayers; layer++ {
		_, estimated := attributed.Effect.Index(layer).MaxDim(0)
		_, measured := patched.Effect.Index(layer).MaxDim(0)
		fmt.Println(layer, estimated.Item(), measured.Item())
	}
	// Output:
	// 1 14 14
	// 2 14 14
	// 3 14 14
}

func ExampleModel_AttributeHeads() {
	model := mini()
	attributed := model.AttributeHeads("attention_head_outputs", johnGives, maryGives, model.LogitDiff(" Mary", " John"), -1)
	var found []string
	for i, effect := range attributed.Effect.Floats() {
		if effect > 0.05 {
			found = append(found, fmt.Sprintf("L%dH%d", i/model.NumHeads, i%model.NumHeads))
		}
	}
	fmt.Println(found)
	// Output: [L1H2 L1H3 L2H2]
}

// The name mover is the head that writes the name.
func ExampleModel_HeadContributions() {
	model := mini()
	c := model.HeadContributions(johnGives, " Mary", " John")
	layer, head := cellOf(c.Values)
	fmt.Printf("layer %d head %d adds %.0f\n", layer, head, c.Values.Index(layer, head).Item())
	// Output: layer 3 head 0 adds 5
}

func ExampleModel_ExpertContributions() {
	model := mini()
	c := model.ExpertContributions(johnGives, " Mary", " John")
	used := 0
	for _, v := range c.Values.Index(3).Floats() {
		if v != 0 {
			used++
		}
	}
	fmt.Println(used, "of 8 experts of the last layer were chosen")
	// Output: 2 of 8 experts of the last layer were chosen
}

// The parts add up to the logit.
func ExampleModel_Decompose() {
	model := mini()
	d := model.Decompose(johnGives, " Mary", " John")
	fmt.Printf("%d parts; sum − logit difference %.3f\n", len(d.Parts), math.Abs(d.Sum()-d.Total))
	// Output: 9 parts; sum − logit difference 0.000
}

// An expert of layer 2 does sums.
func ExampleModel_AblateEachExpert() {
	model := mini()
	sums := "27+45=72\n31+18=49\n12+12=24\n63+21=84\n"
	results := []int{7, 8, 16, 17, 25, 26, 34, 35}
	a := model.AblateEachExpert(sums, model.NextTokenLoss(sums, results...))
	layer, expert := cellOf(a.Effect.MaskedFill(a.Effect.IsNaN(), 0))
	fmt.Printf("layer %d expert %d: more than 3 nats, %v\n", layer, expert, a.Effect.Index(layer, expert).Item() > 3)
	// Output: layer 2 expert 3: more than 3 nats, true
}

// Without the name mover the answer is lost.
func ExampleModel_AblateEachHead() {
	model := mini()
	a := model.AblateEachHead(johnGives, model.LogitDiff(" Mary", " John"))
	layer, head := cellOf(a.Effect.Neg())
	fmt.Printf("layer %d head %d: the answer is kept, %v\n", layer, head, a.Metric.Index(layer, head).Item() > 0)
	// Output: layer 3 head 0: the answer is kept, false
}

func ExampleSelfAttn_AblateHeads() {
	model := mini()
	for m := range model.Trace(johnGives) {
		m.Layers[3].SelfAttn.AblateHeads(0)
		fmt.Printf("%q\n", m.TopTokens(m.Logits.Value().Index(0, -1), 1).Word(0, 0))
	}
	// Output: " John"
}

func ExampleMLP_AblateExperts() {
	model := mini()
	for m := range model.Trace("27+45=72\n31+18=49\n12+12=24\n63+21=") {
		m.Layers[2].MLP.AblateExperts(3)
		fmt.Printf("8 is predicted, %v\n", m.TopTokens(m.Logits.Value().Index(0, -1), 1).Word(0, 0) == "8")
	}
	// Output: 8 is predicted, false
}

// A vector of women's names less men's turns "he" into "she", from layer 2 on.
func ExampleModel_Steer() {
	model := mini()
	for layer := range model.NumLayers {
		v := model.SteeringVector(
			[]string{"Then Mary went to the park because", "Then Anna went to the office because"},
			[]string{"Then John went to the park because", "Then Tom went to the office because"}, layer)
		for m := range model.Trace("Then Paul went to the museum because") {
			m.Steer(layer, v, 1, -1)
			fmt.Printf("layer %d: %q\n", layer, m.TopTokens(m.Logits.Value().Index(0, -1), 1).Word(0, 0))
		}
	}
	// Output:
	// layer 0: " he"
	// layer 1: " he"
	// layer 2: " she"
	// layer 3: " she"
}

func ExamplePoint_ProjectOut() {
	model := mini()
	v := model.SteeringVector("Then Mary went to the park because", "Then John went to the park because", 3)
	for m := range model.Trace("Then Paul went to the museum because") {
		m.Layers[3].LayerOutput.ProjectOut(v)
		left := m.Layers[3].LayerOutput.Value().Mul(v.Div(v.Norm())).Sum(-1).Abs().Max().Item()
		fmt.Println(left < 1e-3)
	}
	// Output: true
}

// A list to be copied says what stands in it: up to layer 1 the state at a country's
// position still is the country.
func ExampleModel_Patchscope() {
	model := mini()
	said := model.Patchscope("The capital of Japan is", -2, " cat tree Paris seven cat tree", 3, 1)
	fmt.Println(said.Words[0], said.Words[1], said.Words[3])
	// Output: [ Japan] [ Japan] [ Paris]
}

// Whether the name is a woman's is at the last position from layer 2 on.
func ExampleTrainProbe() {
	model := mini()
	about := func(names ...string) (prompts []string) {
		for _, name := range names {
			prompts = append(prompts, "Then "+name+" went to the park because")
		}
		return prompts
	}
	known := about("Mary", "Anna", "Sarah", "Emma", "Laura", "John", "Tom", "James", "Robert", "Michael")
	unknown := about("Julia", "Kate", "Lucy", "Alice", "David", "Daniel", "Paul", "Mark")
	for layer := range model.NumLayers {
		value := model.Layer(layer).LayerOutput.Path()
		probe := gonterp.TrainProbe(model.LastTokens(known, value), []int{1, 1, 1, 1, 1, 0, 0, 0, 0, 0}, 0.1)
		fmt.Println(layer, probe.Accuracy(model.LastTokens(unknown, value), []int{1, 1, 1, 1, 0, 0, 0, 0}) > 0.9)
	}
	// Output:
	// 0 false
	// 1 false
	// 2 true
	// 3 true
}

// The model answers in the language of the question.
func ExampleModel_Ask() {
	model := mini()
	paris := map[string][]string{"English": {"Paris"}, "Greek": {"Παρίσι"}}
	answers := model.Ask(
		model.Question("The capital of France is", paris),
		model.Question("Η πρωτεύουσα στη χώρα Γαλλία είναι", paris))
	for q := range 2 {
		fmt.Printf("English %.1f, Greek %.1f\n", answers.Probs.Index(q, 0).Item(), answers.Probs.Index(q, 1).Item())
	}
	// Output:
	// English 1.0, Greek 0.0
	// English 0.0, Greek 1.0
}

func ExampleModel_FirstTokens() {
	model := mini()
	for _, id := range model.FirstTokens("Paris") {
		fmt.Printf("%q ", model.Decode(id))
	}
	// Output: "P" " Paris"
}

func ExampleModel_StopAtLayer() {
	model := mini()
	stream := model.StopAtLayer(johnGives, 2)
	whole := model.Forward(johnGives)
	for m := range model.Trace(johnGives) {
		m.StartAtLayer(2, stream)
		fmt.Println(stream.Shape(), m.Logits.Value().Sub(whole).Abs().Max().Item() < 1e-4)
	}
	// Output: [1 15 128] true
}

// The name mover's weights alone say what it does: it writes the name it looks at.
func ExampleSelfAttn_OV() {
	model := mini()
	ov := model.Layers[3].SelfAttn.OV(0)
	copied := 0
	names := []string{"Mary", "John", "Anna", "Tom", "Sarah", "James", "Emma", "Robert", "Laura", "Michael"}
	for _, name := range names {
		for m := range model.Trace("When " + name + " and Leo went to the") {
			latent := m.At("layers.3.self_attn.kv_a_layernorm.output").Value().Index(0, 2)
			written := m.TopTokens(m.ProjectOnVocab(latent.Matmul(ov)), 1)
			if written.Word(0, 0) == " "+name {
				copied++
			}
		}
	}
	fmt.Println(copied, "of", len(names))
	// Output: 10 of 10
}

// %% Load the embedded model; or give a folder, or a Hugging Face id in the local cache
model := gonterp.Load("mini")
model
// %% One pass: read a pattern, ablate an expert, keep what comes after it
prompt := "When Mary and John went to the store, John gave a drink to"

with model.Trace(prompt) {
	pattern := model.Layers[1].SelfAttn.AttentionProbabilities.Save() // [batch heads query key]
	moe := model.Layers[2].MLP
	moe.ExpertWeights.Set(moe.ExpertWeights.Value().MaskedFill(moe.ExpertIndices.Value().Eq(3), 0))
	resid := model.Layers[2].LayerOutput.Save() // [batch seq hidden_size]
	logits := model.Logits.Save()
}
plotting.Pattern(pattern)
// %% What the model says, with expert 3 of layer 2 silenced
probs := logits.Index(0, -1).Float().Softmax(-1)
values, ids := probs.Topk(3)
for i, id := range ids.Ints() {
	fmt.Printf("%-8q %.3f\n", model.Decode(int(id)), values.Floats()[i])
}
// %% Which experts each token goes to
with model.Trace(prompt) {
	weights := model.Layers[2].MLP.ExpertWeights.Save()
}
with model.Trace(prompt) {
	scores := model.Layers[2].MLP.RouterLogits.Value().Sigmoid()
}
plotting.Router(scores)

// Package gonterp is for looking inside language models of the DeepSeek families.
//
// A model is loaded once. A pass runs it on a prompt, and while it runs every
// named value can be read and replaced:
//
//	model, err := gonterp.Open("mini")
//	for m := range model.Trace("When Mary and John went to the store, John gave a drink to") {
//		pattern := m.Layers[1].SelfAttn.AttentionProbabilities.Save() // [batch heads query key]
//		m.Layers[2].MLP.MLPOutput.Set(0)
//		logits := m.Logits.Save()
//	}
//
// In a notebook cell the same reads
//
//	with model.Trace("…") { … }
//
// Values are named as nnterp names them; the fields of Model, Layer, SelfAttn and
// MLP are generated from the one vocabulary in runtime/point. Maths and access to
// values panic with typed errors, since a body of maths has no room for error
// results; everything else returns errors.
//
// The package imports runtime and families and knows neither plotting nor cells.
package gonterp

//go:generate go run ./runtime/point/fields

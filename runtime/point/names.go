package point

// A Name is a standard value: a word of the vocabulary that every family shares.
type Name uint8

// The vocabulary, in the order in which a forward meets it. What each word means
// stands once, in the table below; everything else (the root package's fields,
// the export tables, completion, the encyclopedia) is derived from it.
const (
	InputIDs Name = iota
	AttentionMask
	TokenEmbeddings

	LayerInput
	AttentionNormOutput
	IndexScores
	IndexSelection
	IndexTied
	AttentionQueries
	AttentionKeys
	AttentionValues
	AttentionScores
	AttentionProbabilities
	AttentionHeadOutputs
	AttentionPremix
	AttentionOutput
	LayerMid
	MLPNormOutput
	MLPInput

	MLPActivation
	MLPNeurons
	RouterLogits
	SelectionBias
	ExpertIndices
	ExpertWeights
	ExpertNeurons
	ExpertOutputs
	RoutedOutput
	SharedExpertOutput
	MLPOutput
	LayerOutput

	FinalNormOutput
	LMHeadOutput
	Logits
	NextTokenProbs
	InputSize

	names int = iota
)

// A Place is the kind of module a value belongs to.
type Place uint8

const (
	OnModel Place = iota
	OnLayer
	OnSelfAttn
	OnMLP
)

// Info is what the vocabulary says about one name.
type Info struct {
	Name   string // snake_case, as nnterp spells it
	Field  string // the Go field of the same words
	On     Place
	Layout *Layout
	Doc    string // one sentence
	// Native is the native module's input or output that is this very value,
	// as a path below the module the value is on; empty where there is none.
	Native   string
	Derived  bool   // computed from another value after the forward: read-only
	Mixture  bool   // exists on mixture blocks only
	Sparse   bool   // exists where attention is sparse only: deepseek_v32
	Shared   bool   // exists on a mixture's shared experts, not on the mixture itself
	NoGrad   string // why no gradient reaches it; empty where one does
	Addition bool   // gonterp's own, unknown to nnterp
}

var table = [names]Info{
	InputIDs:        {Name: "input_ids", Field: "InputIDs", On: OnModel, Layout: Tokens, Doc: "The token ids the model was called with.", NoGrad: "token ids are whole numbers"},
	AttentionMask:   {Name: "attention_mask", Field: "AttentionMask", On: OnModel, Layout: Tokens, Doc: "One where a token is real, zero where it is padding.", NoGrad: "a mask is whole numbers"},
	TokenEmbeddings: {Name: "token_embeddings", Field: "TokenEmbeddings", On: OnModel, Layout: Residual, Native: "embed_tokens.output", Doc: "The embedding's output, where the residual stream begins."},

	LayerInput:             {Name: "layer_input", Field: "LayerInput", On: OnLayer, Layout: Residual, Native: "input", Doc: "The residual stream entering the block."},
	AttentionNormOutput:    {Name: "attention_norm_output", Field: "AttentionNormOutput", On: OnLayer, Layout: Residual, Native: "input_layernorm.output", Doc: "The normed stream that enters the attention."},
	IndexScores:            {Name: "index_scores", Field: "IndexScores", On: OnSelfAttn, Layout: KeyScores, Sparse: true, Addition: true, Doc: "The indexer's score of every key for every query, in float32, masked, by which it selects.", NoGrad: "the indexer runs without gradient"},
	IndexSelection:         {Name: "index_selection", Field: "IndexSelection", On: OnSelfAttn, Layout: Selected, Sparse: true, Addition: true, Native: "indexer.output", Doc: "The keys each query looks at, by descending score, the earlier first among equals; keys it cannot see fill a short row.", NoGrad: "a choice is whole numbers"},
	IndexTied:              {Name: "index_tied", Field: "IndexTied", On: OnSelfAttn, Layout: PerQuery, Sparse: true, Addition: true, Derived: true, Doc: "Whether the last key selected and the first one left out have the same score.", NoGrad: "it is true or false"},
	AttentionQueries:       {Name: "attention_queries", Field: "AttentionQueries", On: OnSelfAttn, Layout: Queries, Doc: "The queries after rotary embedding."},
	AttentionKeys:          {Name: "attention_keys", Field: "AttentionKeys", On: OnSelfAttn, Layout: Keys, Doc: "The keys after rotary embedding, as many heads as queries."},
	AttentionValues:        {Name: "attention_values", Field: "AttentionValues", On: OnSelfAttn, Layout: Values, Doc: "The values the pattern mixes."},
	AttentionScores:        {Name: "attention_scores", Field: "AttentionScores", On: OnSelfAttn, Layout: Pattern, Doc: "Queries times keys, scaled and masked, entering the softmax."},
	AttentionProbabilities: {Name: "attention_probabilities", Field: "AttentionProbabilities", On: OnSelfAttn, Layout: Pattern, Doc: "The pattern: what the values are mixed with."},
	AttentionHeadOutputs:   {Name: "attention_head_outputs", Field: "AttentionHeadOutputs", On: OnSelfAttn, Layout: HeadOutputs, Doc: "Each head's mixed values, before the output projection."},
	AttentionPremix:        {Name: "attention_premix", Field: "AttentionPremix", On: OnSelfAttn, Layout: HeadOutputs, Doc: "The head outputs side by side, as o_proj takes them."},
	AttentionOutput:        {Name: "attention_output", Field: "AttentionOutput", On: OnSelfAttn, Layout: Residual, Native: "o_proj.output", Doc: "What attention adds to the residual stream."},
	LayerMid:               {Name: "layer_mid", Field: "LayerMid", On: OnLayer, Layout: Residual, Doc: "The residual stream after the attention's add."},
	MLPNormOutput:          {Name: "mlp_norm_output", Field: "MLPNormOutput", On: OnLayer, Layout: Residual, Native: "post_attention_layernorm.output", Doc: "The normed stream that enters the MLP."},
	MLPInput:               {Name: "mlp_input", Field: "MLPInput", On: OnLayer, Layout: Residual, Native: "mlp.input", Doc: "What the MLP is called with."},

	MLPActivation:      {Name: "mlp_activation", Field: "MLPActivation", On: OnMLP, Layout: Neurons, Shared: true, Doc: "act(gate) of a dense MLP or of the shared experts."},
	MLPNeurons:         {Name: "mlp_neurons", Field: "MLPNeurons", On: OnMLP, Layout: Neurons, Shared: true, Native: "down_proj.input", Doc: "act(gate)·up, what down_proj receives."},
	RouterLogits:       {Name: "router_logits", Field: "RouterLogits", On: OnMLP, Layout: RouterScores, Mixture: true, Doc: "The gate's product in float32, before scoring and before the selection bias."},
	SelectionBias:      {Name: "router.e_score_correction_bias", Field: "SelectionBias", On: OnMLP, Layout: PerExpert, Mixture: true, Addition: true, Doc: "The bias that moves the choice of experts and not their weights.", NoGrad: "it acts on the choice of experts only"},
	ExpertIndices:      {Name: "expert_indices", Field: "ExpertIndices", On: OnMLP, Layout: Indices, Mixture: true, Doc: "The expert of each slot, by descending choice score.", NoGrad: "a choice is whole numbers"},
	ExpertWeights:      {Name: "expert_weights", Field: "ExpertWeights", On: OnMLP, Layout: Weights, Mixture: true, Doc: "What each chosen expert's output is scaled by."},
	ExpertNeurons:      {Name: "expert_neurons", Field: "ExpertNeurons", On: OnMLP, Layout: SlotNeurons, Mixture: true, Addition: true, Doc: "act(gate)·up of each slot's expert."},
	ExpertOutputs:      {Name: "expert_outputs", Field: "ExpertOutputs", On: OnMLP, Layout: Outputs, Mixture: true, Doc: "Each slot's weighted output."},
	RoutedOutput:       {Name: "routed_output", Field: "RoutedOutput", On: OnMLP, Layout: Residual, Mixture: true, Native: "experts.output", Doc: "The routed experts together."},
	SharedExpertOutput: {Name: "shared_expert_output", Field: "SharedExpertOutput", On: OnMLP, Layout: Residual, Mixture: true, Native: "shared_experts.output", Doc: "The shared expert's output, run after the routed ones."},
	MLPOutput:          {Name: "mlp_output", Field: "MLPOutput", On: OnMLP, Layout: Residual, Native: "output", Doc: "What the MLP adds to the residual stream."},
	LayerOutput:        {Name: "layer_output", Field: "LayerOutput", On: OnLayer, Layout: Residual, Native: "output", Doc: "The residual stream leaving the block."},

	FinalNormOutput: {Name: "final_norm_output", Field: "FinalNormOutput", On: OnModel, Layout: Residual, Native: "norm.output", Doc: "The stream after the final norm, read by lm_head."},
	LMHeadOutput:    {Name: "lm_head_output", Field: "LMHeadOutput", On: OnModel, Layout: LogitsLayout, Native: "lm_head.output", Doc: "The head's logits before anything done past it."},
	Logits:          {Name: "logits", Field: "Logits", On: OnModel, Layout: LogitsLayout, Doc: "What the model returns: a score for every token of the vocabulary."},
	NextTokenProbs:  {Name: "next_token_probs", Field: "NextTokenProbs", On: OnModel, Layout: Probs, Derived: true, Doc: "The distribution of the next token at the last position, from the logits.", NoGrad: "it is derived; take the gradient of what it follows from"},
	InputSize:       {Name: "input_size", Field: "InputSize", On: OnModel, Layout: Size, Derived: true, Doc: "Batch and sequence length of this call.", NoGrad: "a size is whole numbers"},
}

// Info is the vocabulary's entry for n.
func (n Name) Info() *Info { return &table[n] }

// String is the snake_case name.
func (n Name) String() string { return table[n].Name }

// All lists every name in the order a forward meets them.
func All() []Name {
	all := make([]Name, names)
	for i := range all {
		all[i] = Name(i)
	}
	return all
}

package gonterp

import (
	"fmt"

	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/tokenizer"
	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/trace"
)

// Message is one turn of a Chat.
type Message = tokenizer.Message

// Chat is a conversation; as a prompt it is rendered by the model's chat template
// up to where the assistant begins to speak.
type Chat []Message

// inputs are the prompts of a pass as token ids, to be padded on the left.
type inputs struct {
	rows    [][]int
	labels  [][]string // token texts; nil without a tokenizer
	width   int
	padding []int // of each row, before its first token

	// At a later step of a generation keys are those of all steps.
	keys      int // of a row, padding included
	keyLabels [][]string
}

// encode turns any kind of prompt into token ids.
func (c *core) encode(prompt any, bos bool) (*inputs, error) {
	var rows [][]int
	switch p := prompt.(type) {
	case string:
		ids, err := c.ids(p, bos)
		if err != nil {
			return nil, err
		}
		rows = [][]int{ids}
	case []string:
		for _, text := range p {
			ids, err := c.ids(text, bos)
			if err != nil {
				return nil, err
			}
			rows = append(rows, ids)
		}
	case []int:
		rows = [][]int{p}
	case [][]int:
		rows = p
	case Chat:
		ids, err := c.chat(p)
		if err != nil {
			return nil, err
		}
		rows = [][]int{ids}
	case *Tensor:
		return c.fromTensor(p)
	default:
		return nil, promptErrorf("a %T is no prompt. Give a string, []string, token ids as []int or [][]int, or a gonterp.Chat", prompt)
	}
	return c.pack(rows)
}

// pack checks token ids and pads them to one width.
func (c *core) pack(rows [][]int) (*inputs, error) {
	if len(rows) == 0 {
		return nil, promptErrorf("the prompt is empty: a list of no prompts. Give at least one")
	}
	in := &inputs{rows: rows}
	for i, row := range rows {
		if len(row) == 0 {
			return nil, promptErrorf("prompt %d is empty: a pass needs at least one token", i)
		}
		for j, id := range row {
			if id < 0 || id >= c.config.VocabSize {
				return nil, promptErrorf("prompt %d: token id %d at position %d is out of range; the vocabulary has ids 0 to %d", i, id, j, c.config.VocabSize-1)
			}
		}
		in.width = max(in.width, len(row))
		if c.tokenizer != nil {
			in.labels = append(in.labels, c.texts(row))
		}
	}
	for _, row := range rows {
		in.padding = append(in.padding, in.width-len(row))
	}
	in.keys, in.keyLabels = in.width, in.labels
	return in, nil
}

// fromTensor takes ids [seq] or [batch seq].
func (c *core) fromTensor(t *Tensor) (*inputs, error) {
	if t.DType().IsFloat() || t.Dim() < 1 || t.Dim() > 2 {
		return nil, promptErrorf("a %v tensor of shape %v is no prompt. Token ids are whole numbers of shape [seq] or [batch seq]", t.DType(), t.Shape())
	}
	flat, width := t.Ints(), t.Size(t.Dim()-1)
	var rows [][]int
	for len(flat) > 0 {
		row := make([]int, width)
		for i := range row {
			row[i] = int(flat[i])
		}
		rows, flat = append(rows, row), flat[width:]
	}
	return c.pack(rows)
}

func (c *core) needTokenizer() error {
	if c.tokenizer != nil {
		return nil
	}
	return fmt.Errorf("%s cannot read text: %w. Token ids, as []int, need no tokenizer", c.name, c.noTokenizer)
}

func (c *core) ids(text string, bos bool) ([]int, error) {
	if err := c.needTokenizer(); err != nil {
		return nil, err
	}
	if text == "" {
		return nil, promptErrorf("the prompt is empty: \"\". For the begin-of-sequence token alone give its id, as []int{id}")
	}
	return c.tokenizer.Encode(text, bos).IDs, nil
}

func (c *core) chat(chat Chat) ([]int, error) {
	if err := c.needTokenizer(); err != nil {
		return nil, err
	}
	text, err := c.tokenizer.ApplyChat(chat, true)
	if err != nil {
		return nil, err
	}
	return c.ids(text, false)
}

func (c *core) texts(ids []int) []string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = c.tokenizer.Token(id)
	}
	return texts
}

// StrTokens is the prompt cut into its tokens' texts, as a pass would see it.
func (m *Model) StrTokens(prompt any) []string {
	if err := m.needTokenizer(); err != nil {
		panic(err)
	}
	in, err := m.encode(prompt, m.bos)
	if err != nil {
		panic(err)
	}
	if len(in.rows) > 1 {
		panic(promptErrorf("StrTokens takes one prompt, not %d", len(in.rows)))
	}
	return in.labels[0]
}

// Tokens is the prompt as token ids, as a pass would see it.
func (m *Model) Tokens(prompt any) []int {
	in, err := m.encode(prompt, m.bos)
	if err != nil {
		panic(err)
	}
	if len(in.rows) > 1 {
		panic(promptErrorf("Tokens takes one prompt, not %d", len(in.rows)))
	}
	return in.rows[0]
}

// SingleToken is the id of a text that is exactly one token.
func (m *Model) SingleToken(s string) int {
	if err := m.needTokenizer(); err != nil {
		panic(err)
	}
	ids := m.tokenizer.Encode(s, false).IDs
	if len(ids) != 1 {
		panic(promptErrorf("%q is %d tokens, %q, not one", s, len(ids), m.texts(ids)))
	}
	return ids[0]
}

// Decode is the text of token ids.
func (m *Model) Decode(ids ...int) string {
	if err := m.needTokenizer(); err != nil {
		panic(err)
	}
	return m.tokenizer.Decode(ids, false)
}

// tensors are input ids and mask [batch seq], padded on the left. Padding is
// token 0: the mask keeps it from being seen.
func (in *inputs) tensors(device torch.Device) (ids, mask *Tensor) {
	flat, real := make([]int64, 0, len(in.rows)*in.width), make([]int64, 0, len(in.rows)*in.width)
	for _, row := range in.rows {
		for range in.width - len(row) {
			flat, real = append(flat, 0), append(real, 0)
		}
		for _, id := range row {
			flat, real = append(flat, int64(id)), append(real, 1)
		}
	}
	shape := []int{len(in.rows), in.width}
	return torch.FromInts(flat, shape...).ToDevice(device), torch.FromInts(real, shape...).ToDevice(device)
}

// Prompt shows prompt i of the open pass alone: inside its block every value is
// that prompt's rows with the padding cut off, and a write touches only them.
func (m *Model) Prompt(i int) Pass {
	was := -1
	return func(yield func(*Model) bool) {
		o := m.current()
		if o == nil {
			panic(&NoPassError{fmt.Sprintf("Prompt(%d)", i)})
		}
		if yield == nil {
			o.row = was
			return
		}
		if n := len(o.inputs.rows); i < 0 || i >= n {
			panic(promptErrorf("Prompt(%d): this pass has prompts 0 to %d", i, n-1))
		}
		was, o.row = o.row, i
		entered := o.entered
		o.entered = false
		yield(m)
		if !o.entered {
			o.row = was
		}
		o.entered = entered
	}
}

// axes are a value's axes by name. A native value has those that its shape shows.
func (o *openPass) axes(spot trace.Spot, shape []int) []string {
	if l := o.core.plan.Site(spot).Layout; l != nil {
		return l.Axes
	}
	axes := make([]string, len(shape))
	if len(shape) > 1 && shape[0] == len(o.inputs.rows) && shape[1] == o.inputs.width {
		axes[0], axes[1] = point.Tokens.Axes[0], point.Tokens.Axes[1]
	}
	return axes
}

// positions says whether an axis counts the tokens of a prompt.
func positions(axis string) bool { return axis == "seq" || axis == "query" || axis == "key" }

// tokens says where the tokens of a prompt lie on an axis, and their texts; ok is
// false for an axis that does not count tokens.
func (in *inputs) tokens(row int, axis string, size int) (start, n int, texts []string, ok bool) {
	switch {
	case axis == "key" && size == in.keys:
		start, n = in.padding[row], in.keys-in.padding[row]
		if in.keyLabels != nil {
			texts = in.keyLabels[row]
		}
	case (axis == "seq" || axis == "query") && size == in.width:
		n = len(in.rows[row])
		start = in.width - n
		if in.labels != nil {
			texts = in.labels[row]
		}
	default:
		return 0, size, nil, false
	}
	return start, n, texts, true
}

// cut takes the rows of the prompt that is shown, without padding.
func (o *openPass) cut(t *Tensor, spot trace.Spot) *Tensor {
	if o.row < 0 {
		return t
	}
	for d, axis := range o.axes(spot, t.Shape()) {
		if axis == "batch" {
			t = t.Narrow(d, o.row, 1)
		} else if start, n, _, ok := o.inputs.tokens(o.row, axis, t.Size(d)); ok && start > 0 {
			t = t.Narrow(d, start, n)
		}
	}
	return t
}

// widen is the opposite of cut: the whole value with v in the rows shown.
func (o *openPass) widen(v any, spot trace.Spot, p *Point) any {
	if o.row < 0 {
		return v
	}
	whole := o.pass.Read(spot)
	axes := o.axes(spot, whole.Shape())
	idx := make([]any, len(axes))
	batched := false
	for d, axis := range axes {
		idx[d] = torch.All
		if axis == "batch" {
			idx[d], batched = torch.Range(o.row, o.row+1), true
		} else if start, _, _, ok := o.inputs.tokens(o.row, axis, whole.Size(d)); ok {
			idx[d] = torch.Range(start, torch.End)
		}
	}
	if !batched {
		panic(promptErrorf("%s is shared by all prompts, so it cannot be written for Prompt(%d) alone. Write it outside the Prompt block", p.path, o.row))
	}
	return whole.SetAt(v, idx...)
}

// label says where a value came from, so that it can be printed and drawn.
func (o *openPass) label(t *Tensor, p *Point, spot trace.Spot) *Tensor {
	origin := &torch.Origin{Model: o.core.name, Path: p.path}
	site := o.core.plan.Site(spot)
	if site.Layout == nil {
		return t.WithOrigin(origin)
	}
	origin.Layout, origin.Axes = site.Layout.Name, site.Layout.Axes
	origin.Labels = make([][]string, len(origin.Axes))
	row := o.row
	if row < 0 && len(o.inputs.rows) == 1 {
		row = 0
	}
	if row >= 0 && o.inputs.labels != nil {
		for d, axis := range origin.Axes {
			for _, texts := range [][]string{o.inputs.labels[row], o.inputs.keyLabels[row]} {
				if positions(axis) && t.Size(d) == len(texts) {
					origin.Labels[d] = texts
				}
			}
		}
	}
	return t.WithOrigin(origin)
}

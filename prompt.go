package gonterp

import (
	"github.com/gonterp/gonterp/runtime/tokenizer"
	"github.com/gonterp/gonterp/runtime/torch"
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
	return &TokenizerError{c.name, c.noTokenizer}
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

// texts are the texts of token ids, or nil without a tokenizer.
func (c *core) texts(ids []int) []string {
	if c.tokenizer == nil {
		return nil
	}
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = c.tokenizer.Token(id)
	}
	return texts
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

// rowsOf is any kind of prompt as rows of token ids, ready for a pass.
func (m *Model) rowsOf(prompt any) [][]int {
	in, err := m.encode(prompt, m.bos)
	if err != nil {
		panic(err)
	}
	return in.rows
}

// rowOf is a prompt that must be a single one; who asks for it stands in the error.
func (m *Model) rowOf(who string, prompt any) []int {
	rows := m.rowsOf(prompt)
	if len(rows) != 1 {
		panic(promptErrorf("%s takes one prompt, not %d. Call it for each of them", who, len(rows)))
	}
	return rows[0]
}

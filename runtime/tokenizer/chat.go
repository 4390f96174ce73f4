package tokenizer

import (
	"fmt"
	"strings"

	"github.com/ardanlabs/jinja"
	"github.com/gonterp/gonterp/docs"
)

// Message is one turn of a conversation.
type Message struct {
	Role    string // "system", "user" or "assistant"
	Content string
}

// ApplyChat is the conversation as the model was trained to read it, BOS
// included. With addGenerationPrompt it ends where the assistant's answer
// begins. A tokenizer whose model has no way of chatting is an error.
func (t *Tokenizer) ApplyChat(messages []Message, addGenerationPrompt bool) (string, error) {
	text, err := t.conversation(messages, addGenerationPrompt)
	if err != nil {
		return "", fmt.Errorf("%w%s", err, docs.See("prompt"))
	}
	return text, nil
}

func (t *Tokenizer) conversation(messages []Message, addGenerationPrompt bool) (string, error) {
	if t.chatTemplate == "" {
		if _, ok := t.ID(dsml); ok {
			return chatV32(messages, addGenerationPrompt)
		}
		return "", fmt.Errorf("no chat template: neither %s nor %s has one, so this is likely a base model; write the prompt as text", configName, templateName)
	}
	t.compileOnce.Do(func() {
		source, err := literal(t.chatTemplate)
		if err != nil {
			t.compileErr = err
			return
		}
		t.compiled, t.compileErr = jinja.Compile(source)
	})
	if t.compileErr != nil {
		return "", fmt.Errorf("chat template: %w", t.compileErr)
	}
	list := make([]jinja.Value, len(messages))
	for i, m := range messages {
		list[i] = jinja.NewDict()
		list[i].AsDict().Set("role", jinja.NewString(m.Role))
		list[i].AsDict().Set("content", jinja.NewString(m.Content))
	}
	values := map[string]jinja.Value{"messages": jinja.NewList(list), "add_generation_prompt": jinja.NewBool(addGenerationPrompt)}
	for name, token := range t.chatTokens {
		if token != "" {
			values[name] = jinja.NewString(token)
		}
	}
	text, err := t.compiled.RenderValues(values)
	if err != nil {
		return "", fmt.Errorf("chat template: %w", err)
	}
	return text, nil
}

// dsml is a token that only tokenizers since DeepSeek-V3.2 have.
const dsml = "｜DSML｜"

// chatV32 is how DeepSeek-V3.2 writes a conversation without thinking. Its
// release has no template and gives the encoding as a program, whose chat mode
// this is for messages of text.
func chatV32(messages []Message, addGenerationPrompt bool) (string, error) {
	const (
		begin, end      = "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>"
		user, assistant = "<｜User｜>", "<｜Assistant｜></think>"
	)
	var b strings.Builder
	b.WriteString(begin)
	for i, m := range messages {
		last := i == len(messages)-1
		switch m.Role {
		case "system":
			b.WriteString(m.Content)
		case "user":
			b.WriteString(user + m.Content)
			if !last || addGenerationPrompt {
				b.WriteString(assistant)
			}
		case "assistant":
			b.WriteString(m.Content + end)
		default:
			return "", fmt.Errorf("message %d: role %q is not known; known are system, user and assistant", i, m.Role)
		}
	}
	return b.String(), nil
}

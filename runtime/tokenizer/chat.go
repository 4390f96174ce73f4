package tokenizer

import "fmt"

// Message is one turn of a conversation.
type Message struct {
	Role    string // "system", "user" or "assistant"
	Content string
}

// ApplyChat is the conversation as the model was trained to read it. With
// addGenerationPrompt it ends where the assistant's answer begins.
func (t *Tokenizer) ApplyChat(messages []Message, addGenerationPrompt bool) (string, error) {
	if t.chatTemplate == "" {
		return "", fmt.Errorf("no chat template: neither %s nor %s has one", configName, templateName)
	}
	return "", fmt.Errorf("chat templates are not rendered")
}

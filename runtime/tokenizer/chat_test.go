package tokenizer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ardanlabs/jinja"
)

var talk = []Message{{"system", "Be brief."}, {"user", "1+1?"}, {"assistant", "2"}, {"user", "2+2?"}}

func TestChatTemplate(t *testing.T) {
	const template = `{{ bos_token }}{% for message in messages %}{% if message['role'] == 'user' %}User: {{ message['content'] }}

{% elif message['role'] == 'assistant' %}{{ 'Assistant: ' + message['content'] + eos_token }}{% elif message['role'] == 'system' %}{{ message['content'] }}

{% endif %}{% endfor %}{% if add_generation_prompt %}{{ 'Assistant:' }}{% endif %}
`
	dir := t.TempDir()
	data, err := os.ReadFile("testdata/v3/tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{jsonName: data, configName: []byte(deepseek + `,"chat_template":"wrong"}`), templateName: []byte(template)} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tok, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>"
	got, err := tok.ApplyChat(talk, true)
	if want := begin + "Be brief.\n\nUser: 1+1?\n\nAssistant: 2" + end + "User: 2+2?\n\nAssistant:"; err != nil || got != want {
		t.Errorf("%q, %v\nwant %q", got, err, want)
	}
	if ids := tok.Encode(got, true).IDs; ids[0] != 0 || ids[1] == 0 {
		t.Errorf("a rendered conversation begins with %v", ids[:2])
	}
	tok = load(t, "v3", deepseek+`,"chat_template":[{"name":"tool_use","template":"no"},{"name":"default","template":"{{ messages|length }}"}]}`)
	if got, err := tok.ApplyChat(talk, false); err != nil || got != "4" {
		t.Errorf("%q %v", got, err)
	}
}

// TestTemplateWhiteSpace holds the white space around tags against jinja2's
// (tests/tokenizer/golden.py).
func TestTemplateWhiteSpace(t *testing.T) {
	data, err := os.ReadFile("testdata/templates.json")
	if err != nil {
		t.Fatal(err)
	}
	var pairs [][2]string
	if err := json.Unmarshal(data, &pairs); err != nil || len(pairs) < 200 {
		t.Fatalf("%d templates, %v", len(pairs), err)
	}
	for _, p := range pairs {
		source, err := literal(p[0])
		if err != nil {
			t.Errorf("%q: %v", p[0], err)
			continue
		}
		compiled, err := jinja.Compile(source)
		if err != nil {
			t.Errorf("%q: %v", p[0], err)
			continue
		}
		got, err := compiled.Render(map[string]any{"x": "X", "t": true, "l": []any{1, 2}})
		if err != nil || got != p[1] {
			t.Errorf("%q: %q, %v, want %q", p[0], got, err, p[1])
		}
	}
}

func TestChatFaults(t *testing.T) {
	for template, want := range map[string]string{
		`""`:                                   "no chat template",
		`"{% if %}"`:                           "chat template: ",
		`"{{ raise_exception('no system') }}"`: "no system",
	} {
		tok := load(t, "v3", deepseek+`,"chat_template":`+template+`}`)
		if got, err := tok.ApplyChat(talk, false); err == nil || !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), " (gonterp help prompt)") {
			t.Errorf("%s: %q, %v, want %s", template, got, err, want)
		}
	}
}

// TestChatV32 holds to the example of the release's own documentation, in chat
// mode.
func TestChatV32(t *testing.T) {
	got, err := chatV32(talk, true)
	const want = "<｜begin▁of▁sentence｜>Be brief.<｜User｜>1+1?<｜Assistant｜></think>2<｜end▁of▁sentence｜><｜User｜>2+2?<｜Assistant｜></think>"
	if err != nil || got != want {
		t.Errorf("%q, %v\nwant %q", got, err, want)
	}
	if got, _ := chatV32(talk, false); got != strings.TrimSuffix(want, "<｜Assistant｜></think>") {
		t.Errorf("without the prompt: %q", got)
	}
	if _, err := chatV32([]Message{{"tool", "x"}}, true); err == nil || !strings.Contains(err.Error(), `role "tool" is not known`) {
		t.Error(err)
	}
}

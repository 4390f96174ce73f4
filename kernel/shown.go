package kernel

import (
	"encoding/json"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/kernel/message"
)

// shown publishes what a cell shows, during the cell and later.
type shown struct {
	kernel  *kernel
	request *request
	stdin   bool // the front end allows questions
}

func (o *shown) Stream(_ int, name, text string) {
	o.kernel.publish(o.request.Raw, "stream", message.Stream{Name: name, Text: text})
}

func (o *shown) Display(_ int, b interp.Bundle, id string, update bool) {
	typ := "display_data"
	if update {
		typ = "update_display_data"
	}
	o.kernel.publish(o.request.Raw, typ, message.DisplayData{
		Data: values(b.Data), Metadata: values(b.Metadata), Transient: message.Transient{ID: id},
	})
}

func (o *shown) Clear(_ int, wait bool) {
	o.kernel.publish(o.request.Raw, "clear_output", message.ClearOutput{Wait: wait})
}

func (o *shown) Input(prompt string, password bool) (string, error) {
	return o.kernel.ask(o.request, o.stdin, prompt, password)
}

// values gives a bundle's values as JSON.
func values(m map[string]any) message.Data {
	d := message.Data{}
	for k, v := range m {
		raw, ok := v.(json.RawMessage)
		if !ok {
			b, err := json.Marshal(v)
			if err != nil {
				continue
			}
			raw = b
		}
		d[k] = raw
	}
	return d
}

// plain is the text form of a value, for the history.
func plain(b *interp.Bundle) string {
	if b == nil {
		return ""
	}
	var s string
	json.Unmarshal(values(b.Data)["text/plain"], &s)
	return s
}

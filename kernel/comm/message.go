package comm

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/gonterp/gonterp/interp"
)

// A Message came over a Comm.
type Message struct {
	Data     any            // as encoding/json decodes it: objects are map[string]any, numbers float64
	Metadata map[string]any // nil where there is none
	Buffers  [][]byte       // binary parts, as they are

	raw json.RawMessage
}

// Decode puts the data into a value of a type of the caller's, as json.Unmarshal does.
func (m Message) Decode(into any) error { return json.Unmarshal(m.raw, into) }

func received(m interp.CommMessage) Message {
	out := Message{Buffers: m.Buffers, raw: m.Data}
	json.Unmarshal(m.Data, &out.Data)
	json.Unmarshal(m.Metadata, &out.Metadata)
	return out
}

// An Extra is what a message may have beside its data.
type Extra func(*interp.CommMessage) error

// Buffers are binary parts, which are not encoded.
func Buffers(parts ...[]byte) Extra {
	return func(m *interp.CommMessage) error {
		for _, p := range parts {
			m.Buffers = append(m.Buffers, bytes.Clone(p))
		}
		return nil
	}
}

// Metadata says more of a message: a widget's version, say.
func Metadata(of map[string]any) Extra {
	return func(m *interp.CommMessage) (err error) {
		m.Metadata, err = json.Marshal(of)
		return err
	}
}

// send sends a message of data, which encodes as JSON; nil is an empty object.
func send(m interp.CommMessage, data any, extra []Extra) (err error) {
	if data == nil {
		data = struct{}{}
	}
	if m.Data, err = json.Marshal(data); err != nil {
		return fmt.Errorf("the data of a comm: %w", err)
	}
	for _, with := range extra {
		if err := with(&m); err != nil {
			return fmt.Errorf("the metadata of a comm: %w", err)
		}
	}
	return interp.SendComm(m)
}

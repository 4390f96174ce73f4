package message

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Version is the protocol version spoken.
const Version = "5.4"

// A Header identifies a message.
type Header struct {
	ID       string `json:"msg_id"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"` // ISO 8601
	Type     string `json:"msg_type"`
	Version  string `json:"version"`
	Subshell string `json:"subshell_id,omitempty"`
}

// A Message is one message as it arrived.
type Message struct {
	Route   [][]byte // what precedes the delimiter; the peer's identity is not among it
	Header  Header
	Raw     json.RawMessage // the header as it arrived, which answers repeat whole
	Meta    json.RawMessage
	Content json.RawMessage
	Buffers [][]byte
}

// delimiter separates the route from the signed part.
const delimiter = "<IDS|MSG>"

// Why a message is not accepted.
var (
	ErrFrames    = errors.New("not a Jupyter message: there is no <IDS|MSG> frame followed by a signature and four JSON frames")
	ErrSignature = errors.New("the signature does not fit the connection file's key")
	ErrScheme    = errors.New("unknown signature scheme; hmac-sha256 is the one supported")
)

// A Codec signs, checks and numbers the messages of one kernel.
type Codec struct {
	key     []byte
	session string
	count   atomic.Uint64
}

// NewCodec makes a codec for a connection file's key and signature scheme. An
// empty key turns signatures off, as the protocol says.
func NewCodec(key, scheme string) (*Codec, error) {
	if scheme != "" && scheme != "hmac-sha256" {
		return nil, fmt.Errorf("signature_scheme %q: %w", scheme, ErrScheme)
	}
	id := make([]byte, 16)
	rand.Read(id)
	return &Codec{key: []byte(key), session: hex.EncodeToString(id)}, nil
}

func (c *Codec) sign(parts [][]byte) string {
	if len(c.key) == 0 {
		return ""
	}
	h := hmac.New(sha256.New, c.key)
	for _, p := range parts {
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Decode checks and parses the frames of a message. Nothing in them is looked at
// before the signature is known to be right.
func (c *Codec) Decode(frames [][]byte) (*Message, error) {
	at := -1
	for i, f := range frames {
		if string(f) == delimiter {
			at = i
			break
		}
	}
	if at < 0 || len(frames) < at+6 {
		return nil, ErrFrames
	}
	signed := frames[at+2 : at+6]
	if !hmac.Equal([]byte(c.sign(signed)), frames[at+1]) && len(c.key) > 0 {
		return nil, ErrSignature
	}
	m := &Message{Route: frames[:at], Raw: signed[0], Meta: signed[2], Content: signed[3], Buffers: frames[at+6:]}
	if err := json.Unmarshal(signed[0], &m.Header); err != nil {
		return nil, fmt.Errorf("the header of a message: %w", err)
	}
	if !json.Valid(m.Content) {
		return nil, fmt.Errorf("the content of a %s is not JSON", m.Header.Type)
	}
	return m, nil
}

// Read parses the content of a message into v.
func (m *Message) Read(v any) error {
	if err := json.Unmarshal(m.Content, v); err != nil {
		return fmt.Errorf("the content of %s: %w", m.Header.Type, err)
	}
	return nil
}

// Encode makes the signed frames of a new message; parent is the header of the
// message that it answers or belongs to, nil where there is none.
func (c *Codec) Encode(typ string, parent json.RawMessage, content any) [][]byte {
	return c.EncodeWith(typ, parent, nil, content)
}

// EncodeWith is Encode with metadata, where there is some, and binary parts, which
// are not signed.
func (c *Codec) EncodeWith(typ string, parent, metadata json.RawMessage, content any, buffers ...[]byte) [][]byte {
	header := marshal(Header{
		ID:       fmt.Sprintf("%s_%d", c.session, c.count.Add(1)),
		Session:  c.session,
		Username: "kernel",
		Date:     time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"),
		Type:     typ,
		Version:  Version,
	})
	if parent == nil {
		parent = json.RawMessage("{}")
	}
	if metadata == nil {
		metadata = json.RawMessage("{}")
	}
	return append(c.Sign([][]byte{header, parent, metadata, marshal(content)}), buffers...)
}

// Sign makes the frames of a message from header, parent header, metadata and
// content.
func (c *Codec) Sign(parts [][]byte) [][]byte {
	return append([][]byte{[]byte(delimiter), []byte(c.sign(parts))}, parts...)
}

// marshal encodes content that is known to encode. A display value that does not
// is replaced by the reason, so that one bad value takes no other with it.
func marshal(v any) []byte {
	if s, ok := v.(Stream); ok {
		return s.appendJSON(make([]byte, 0, len(s.Text)+len(s.Text)/8+64))
	}
	b, err := json.Marshal(v)
	if err != nil {
		b, _ = json.Marshal(map[string]string{"status": "error", "ename": "EncodingError", "evalue": err.Error()})
	}
	return b
}

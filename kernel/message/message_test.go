package message_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gonterp/gonterp/kernel/message"
)

func codec(t testing.TB, key string) *message.Codec {
	t.Helper()
	c, err := message.NewCodec(key, "hmac-sha256")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEncode(t *testing.T) {
	c := codec(t, "key")
	frames := c.Encode("status", json.RawMessage(`{"msg_id":"7","more":[1]}`), message.Status{State: "busy"})
	if len(frames) != 6 || string(frames[0]) != "<IDS|MSG>" {
		t.Fatalf("frames %q", frames)
	}
	h := hmac.New(sha256.New, []byte("key"))
	for _, f := range frames[2:] {
		h.Write(f)
	}
	if want := hex.EncodeToString(h.Sum(nil)); string(frames[1]) != want {
		t.Errorf("signature %s, want %s", frames[1], want)
	}
	if string(frames[3]) != `{"msg_id":"7","more":[1]}` {
		t.Errorf("the parent header is repeated whole: got %s", frames[3])
	}
	if string(frames[5]) != `{"execution_state":"busy"}` {
		t.Errorf("content %s", frames[5])
	}
	var header message.Header
	if err := json.Unmarshal(frames[2], &header); err != nil {
		t.Fatal(err)
	}
	if d, err := time.Parse(time.RFC3339Nano, header.Date); err != nil || time.Since(d) > time.Minute {
		t.Errorf("date %q: %v", header.Date, err)
	}
	m, err := c.Decode(append([][]byte{[]byte("route")}, append(frames, []byte("buffer"))...))
	if err != nil {
		t.Fatal(err)
	}
	if m.Header != header || len(m.Route) != 1 || len(m.Buffers) != 1 {
		t.Errorf("decoded %+v", m)
	}
}

func TestDecodeRefuses(t *testing.T) {
	c := codec(t, "key")
	good := func() [][]byte { return c.Encode("x", nil, struct{}{}) }
	for name, f := range map[string]struct {
		frames [][]byte
		want   error
	}{
		"nothing":           {nil, message.ErrFrames},
		"no delimiter":      {good()[1:], message.ErrFrames},
		"a frame too few":   {good()[:5], message.ErrFrames},
		"another key":       {codec(t, "other").Encode("x", nil, struct{}{}), message.ErrSignature},
		"no signature":      {codec(t, "").Encode("x", nil, struct{}{}), message.ErrSignature},
		"a changed content": {append(good()[:5], []byte("{ }")), message.ErrSignature},
	} {
		if _, err := c.Decode(f.frames); !errors.Is(err, f.want) {
			t.Errorf("%s: %v, want %v", name, err, f.want)
		}
	}
	for _, parts := range [][4]string{{"{", "{}", "{}", "{}"}, {"[]", "{}", "{}", "{}"}, {"{}", "{}", "{}", "{"}} {
		if _, err := c.Decode(c.Sign([][]byte{[]byte(parts[0]), []byte(parts[1]), []byte(parts[2]), []byte(parts[3])})); err == nil {
			t.Errorf("%q was accepted", parts)
		}
	}
	if _, err := message.NewCodec("key", "hmac-md5"); !errors.Is(err, message.ErrScheme) {
		t.Errorf("hmac-md5: %v", err)
	}
}

// Text is encoded as encoding/json would.
func FuzzStream(f *testing.F) {
	c := codec(f, "")
	for _, s := range []string{"", "a\nb\t\"\\\x00\x1f\x7f", "é𝐚\u2028<&>", "\xff\xc3", "\xed\xa0\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := c.Decode(c.Encode("stream", nil, message.Stream{Name: "stdout", Text: text}))
		if err != nil {
			t.Fatal(err)
		}
		var got, want message.Stream
		if err := m.Read(&got); err != nil {
			t.Fatal(err)
		}
		b, _ := json.Marshal(message.Stream{Name: "stdout", Text: text})
		json.Unmarshal(b, &want)
		if !utf8.ValidString(text) { // how many U+FFFD stand for a run of bad bytes is a matter of taste
			want.Text = strings.ToValidUTF8(text, "\uFFFD")
		}
		if got != want {
			t.Errorf("%q became %q, want %q", text, got.Text, want.Text)
		}
	})
}

func TestEncodingFailureIsSaid(t *testing.T) {
	c := codec(t, "")
	m, err := c.Decode(c.Encode("display_data", nil, map[string]any{"f": func() {}}))
	if err != nil {
		t.Fatal(err)
	}
	var e message.Failure
	if err := m.Read(&e); err != nil || e.Name != "EncodingError" {
		t.Errorf("got %s, %v", m.Content, err)
	}
}

// Without a key every frame reaches the parser.
func FuzzDecode(f *testing.F) {
	c := codec(f, "")
	f.Add([]byte(`{"msg_id":"1","msg_type":"execute_request"}`), []byte("{}"), []byte(`{"code":"x"}`))
	f.Add([]byte(`{"subshell_id":null}`), []byte(`null`), []byte(`[]`))
	f.Fuzz(func(t *testing.T, header, parent, content []byte) {
		m, err := c.Decode([][]byte{[]byte("<IDS|MSG>"), nil, header, parent, []byte("{}"), content})
		if err != nil {
			return
		}
		var r message.ExecuteRequest
		m.Read(&r)
		// What is answered repeats the header, so it must be JSON itself.
		if frames := c.Encode("x", m.Raw, r); !json.Valid(frames[3]) {
			t.Errorf("the parent header %q is not JSON", frames[3])
		}
	})
}

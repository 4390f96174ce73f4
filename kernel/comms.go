package kernel

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/kernel/message"
)

// Comms are the lines between cells and front ends that are open. The worker knows
// what they are for; here they are listed, and closed when the worker is gone.
type comms struct {
	mu   sync.Mutex
	open map[string]string // target by id
}

func (c *comms) add(id, target string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[string]string{}
	}
	c.open[id] = target
}

// remove forgets a comm, and says whether it was there.
func (c *comms) remove(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.open[id]
	delete(c.open, id)
	return ok
}

func (c *comms) has(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.open[id]
	return ok
}

// take empties the list.
func (c *comms) take() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.open
	c.open = nil
	return all
}

// list gives those of a target, or all.
func (c *comms) list(target string) map[string]message.CommInfo {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := map[string]message.CommInfo{}
	for id, of := range c.open {
		if target == "" || of == target {
			found[id] = message.CommInfo{Target: of}
		}
	}
	return found
}

// commKinds are the kinds of interp.CommMessage by message type, without "comm_".
var commKinds = map[string]string{"comm_open": "open", "comm_msg": "message", "comm_close": "close"}

// comm passes a front end's message on to the cells. It comes in the order of its
// lane, as a cell does.
func (k *kernel) comm(r *request) {
	k.begin(r)
	defer k.finish(r)
	var c message.Comm
	err := r.Read(&c)
	if err == nil && c.ID == "" {
		err = errors.New("it has no comm_id")
	}
	if err != nil {
		k.log.Printf("a %s was ignored: %v", r.Header.Type, err)
		return
	}
	m := interp.CommMessage{Kind: commKinds[r.Header.Type], ID: c.ID, Target: c.Target, Data: c.Data, Metadata: r.Meta, Buffers: r.Buffers}
	switch {
	case m.Kind == "open":
		k.comms.add(c.ID, c.Target)
	case !k.comms.has(c.ID):
		return
	case m.Kind == "close":
		k.comms.remove(c.ID)
	}
	out := &shown{kernel: k, request: r}
	failed, err := k.worker.deliver(r.Header.Subshell, m, out)
	if err != nil {
		failed = k.lost(out, int(k.count.Load()), err)
		if k.comms.remove(c.ID) {
			k.closeComm(r.Raw, c.ID)
		}
	}
	if failed != nil {
		k.publish(r.Raw, "error", message.Error{Name: failed.Name, Value: failed.Value, Traceback: traceback(failed)})
	}
}

func (k *kernel) closeComm(parent json.RawMessage, id string) {
	k.publish(parent, "comm_close", message.Comm{ID: id, Data: json.RawMessage("{}")})
}

// Comm publishes a message of the cells'.
func (o *shown) Comm(_ int, m interp.CommMessage) error {
	k, content := o.kernel, message.Comm{ID: m.ID, Data: m.Data}
	if content.Data == nil {
		content.Data = json.RawMessage("{}")
	}
	typ := ""
	switch m.Kind {
	case "open":
		k.comms.add(m.ID, m.Target)
		typ, content.Target = "comm_open", m.Target
	case "message":
		typ = "comm_msg"
	case "close":
		k.comms.remove(m.ID)
		typ = "comm_close"
	default:
		return fmt.Errorf("kernel: no comm message is of kind %q", m.Kind)
	}
	topic := []byte("kernel." + typ)
	k.iopub.Publish(append([][]byte{topic}, k.codec.EncodeWith(typ, o.request.Raw, m.Metadata, content, m.Buffers...)...))
	return nil
}

func (k *kernel) commInfo(r *request) {
	var q message.CommInfoRequest
	if err := r.Read(&q); err != nil {
		k.unreadable(r, err)
		return
	}
	k.reply(r, "comm_info_reply", message.CommInfoReply{Status: "ok", Comms: k.comms.list(q.Target)})
}

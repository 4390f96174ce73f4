package kernel

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/kernel/message"
)

// abortWindow is how long after a failed cell those that were sent with it may come;
// they are aborted with it, so the reply of one that fails sooner waits that long.
const abortWindow = 20 * time.Millisecond

// execute runs a cell and answers. An error aborts the cells queued behind it in its
// lane.
func (k *kernel) execute(r *request, of *lane) {
	k.begin(r)
	defer k.finish(r)
	var c message.ExecuteRequest
	if err := r.Read(&c); err != nil {
		k.unreadable(r, err)
		return
	}
	store := !c.Silent && (c.StoreHistory == nil || *c.StoreHistory)
	count := k.number(store)
	if !c.Silent {
		k.publish(r.Raw, "execute_input", message.ExecuteInput{Code: c.Code, Count: count})
	}
	k.latest.Store(r)
	out := &shown{kernel: k, request: r, stdin: c.AllowStdin == nil || *c.AllowStdin}
	outcome, err := k.worker.run(interp.Cell{Code: c.Code, Silent: !store, Number: count, Shell: r.Header.Subshell}, out)
	if err != nil {
		outcome.Err = k.lost(out, count, err)
	}
	if store {
		if err == nil && outcome.Count > count { // a command that ran several cells
			count = outcome.Count
			k.numbered(count)
		}
		k.history.add(count, c.Code, plain(outcome.Value))
	}
	if outcome.Err != nil && leaves(c.Code) {
		k.leave(r, count)
		return
	}
	if outcome.Err != nil {
		k.failed(r, &c, count, outcome.Err, of)
		return
	}
	payload := []any{}
	if p := payloadOf(c.Code, outcome.Value); p != nil {
		payload = append(payload, p)
	} else if outcome.Value != nil && !c.Silent {
		k.publish(r.Raw, "execute_result", message.ExecuteResult{
			Count: count, Data: values(outcome.Value.Data), Metadata: values(outcome.Value.Metadata),
		})
	}
	k.reply(r, "execute_reply", message.ExecuteReply{
		Status: "ok", Count: count, UserExpressions: k.evaluate(c.UserExpressions, out), Payload: payload,
	})
}

// number is that of the next cell, which one that is stored takes.
func (k *kernel) number(store bool) int {
	if store {
		return int(k.count.Add(1))
	}
	return int(k.count.Load()) + 1
}

// numbered notes that numbers up to n are taken.
func (k *kernel) numbered(n int) {
	for {
		now := k.count.Load()
		if now >= int64(n) || k.count.CompareAndSwap(now, int64(n)) {
			return
		}
	}
}

// failed reports a cell's error and aborts the cells behind it.
func (k *kernel) failed(r *request, c *message.ExecuteRequest, count int, e *interp.CellError, of *lane) {
	traceback := traceback(e)
	k.publish(r.Raw, "error", message.Error{Name: e.Name, Value: e.Value, Traceback: traceback})
	var aborted []*request
	if c.StopOnError == nil || *c.StopOnError {
		time.Sleep(time.Until(r.came.Add(abortWindow)))
		aborted = k.lanes.take(of)
	}
	k.reply(r, "execute_reply", message.Failure{Status: "error", Name: e.Name, Value: e.Value, Traceback: traceback, Count: count})
	for _, a := range aborted {
		k.answer(a, func() {
			f := message.Fail("aborted", "an earlier cell failed")
			f.Status = "aborted"
			k.reply(a, "execute_reply", f)
		})
	}
	k.lanes.settle(of, len(aborted))
}

// traceback is what a front end shows of an error: what it is in red, where it
// is, and what the session says of it, each once.
func traceback(e *interp.CellError) []string {
	lines, rest := []string{"\x1b[31m" + e.Name + "\x1b[0m: " + e.Value}, e.Traceback
	refused := len(e.Diagnostics) == 1 // its traceback is the error again, then the source
	if len(rest) > 0 && (rest[0] == e.Error() || rest[0] == e.Value || refused) {
		rest = rest[1:]
	}
	place := fmt.Sprintf("line %d", e.Line)
	placed := len(e.Diagnostics) > 1 || !refused && strings.Contains(strings.Join(rest, "\n"), place)
	if e.Line > 0 && !placed {
		lines = append(lines, fmt.Sprintf("cell %d, %s, column %d", e.Cell, place, max(e.Column, 1)))
	}
	return append(lines, rest...)
}

// evaluate gives the values of user expressions, each its own error.
func (k *kernel) evaluate(expressions map[string]string, out *shown) map[string]any {
	found := map[string]any{}
	for name, code := range expressions {
		o, err := k.worker.run(interp.Cell{Code: code, Silent: true, Shell: out.request.Header.Subshell}, out)
		switch {
		case err != nil:
			found[name] = message.Fail("worker lost", err.Error())
		case o.Err != nil:
			found[name] = message.Failure{Status: "error", Name: o.Err.Name, Value: o.Err.Value, Traceback: append([]string{}, o.Err.Traceback...)}
		case o.Value == nil:
			found[name] = message.Fail("no value", "the expression has no value")
		default:
			found[name] = message.Expression{Status: "ok", Data: values(o.Value.Data), Metadata: values(o.Value.Metadata)}
		}
	}
	return found
}

// lost makes the error of a cell that the worker could not run.
func (k *kernel) lost(out *shown, count int, err error) *interp.CellError {
	died, ok := errors.AsType[*diedError](err)
	if !ok {
		return &interp.CellError{Name: "worker error", Value: err.Error(), Traceback: []string{"worker error: " + err.Error()}}
	}
	if died.stdout != "" {
		out.Stream(0, "stdout", died.stdout)
	}
	if died.text != "" {
		out.Stream(0, "stderr", died.text)
	}
	return &interp.CellError{Name: "worker died", Value: died.reason, Traceback: []string{
		"worker died: " + died.reason,
		losses(count, k.worker.reloaded()),
	}}
}

// losses says what is gone with a worker that had run cells up to count, and what
// its successor does about it.
func losses(count int, reloaded []string) string {
	what := "Its variables and models are gone"
	if count > 1 {
		what = fmt.Sprintf("The variables and models of cells 1 to %d are gone", count)
	}
	what += "; a new worker takes over"
	if len(reloaded) > 0 {
		what += " and runs again: " + strings.Join(reloaded, "; ")
	}
	return what + ". Run the cells again that made what else you need."
}

// workerEnded tells the front ends of a death that hit no cell, and starts
// counting anew, as the next worker does.
func (k *kernel) workerEnded(d death) {
	count := k.count.Swap(0)
	latest := k.latest.Load()
	for id := range k.comms.take() {
		var parent json.RawMessage
		if latest != nil {
			parent = latest.Raw
		}
		k.closeComm(parent, id)
	}
	if d.idle && latest != nil {
		if d.stdout != "" {
			k.publish(latest.Raw, "stream", message.Stream{Name: "stdout", Text: d.stdout})
		}
		text := d.text + "the worker died: " + d.reason + "\n" + losses(int(count), k.worker.reloaded()) + "\n"
		k.publish(latest.Raw, "stream", message.Stream{Name: "stderr", Text: text})
	}
}

package kernel

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/kernel/message"
)

// abortWindow is how long the reply about a failed cell waits for cells sent
// behind it before the sender could know of the failure; those are aborted with it.
const abortWindow = 20 * time.Millisecond

// execute runs a cell and answers. behind takes the cells queued behind it, which
// an error aborts.
func (k *kernel) execute(r *request, behind func() []*request) {
	k.begin(r)
	defer k.finish(r)
	var c message.ExecuteRequest
	if err := r.Read(&c); err != nil {
		k.unreadable(r, err)
		return
	}
	store := !c.Silent && (c.StoreHistory == nil || *c.StoreHistory)
	count := int(k.count.Load()) + 1
	if !c.Silent {
		k.publish(r.Raw, "execute_input", message.ExecuteInput{Code: c.Code, Count: count})
	}
	k.latest.Store(r)
	out := &shown{kernel: k, request: r, stdin: c.AllowStdin == nil || *c.AllowStdin}
	outcome, err := k.worker.run(interp.Cell{Code: c.Code, Silent: !store}, out)
	if err != nil {
		outcome.Err = k.lost(out, count, err)
	}
	if store {
		if outcome.Count > 0 {
			count = outcome.Count
		}
		if err == nil {
			k.count.Store(int64(count))
		}
		k.history.add(count, c.Code, plain(outcome.Value))
	}
	if outcome.Err != nil && leaves(c.Code) {
		k.leave(r, count)
		return
	}
	if outcome.Err != nil {
		k.failed(r, &c, count, outcome.Err, behind)
		return
	}
	payload := []any{}
	if page, ok := pageOf(&c, outcome.Value); ok {
		payload = append(payload, page)
	} else if outcome.Value != nil && !c.Silent {
		k.publish(r.Raw, "execute_result", message.ExecuteResult{
			Count: count, Data: values(outcome.Value.Data), Metadata: values(outcome.Value.Metadata),
		})
	}
	k.reply(r, "execute_reply", message.ExecuteReply{
		Status: "ok", Count: count, UserExpressions: k.evaluate(c.UserExpressions, out), Payload: payload,
	})
}

// failed reports a cell's error and aborts what is queued behind it.
func (k *kernel) failed(r *request, c *message.ExecuteRequest, count int, e *interp.CellError, behind func() []*request) {
	traceback := traceback(e)
	k.publish(r.Raw, "error", message.Error{Name: e.Name, Value: e.Value, Traceback: traceback})
	var aborted []*request
	if c.StopOnError == nil || *c.StopOnError {
		time.Sleep(abortWindow)
		aborted = behind()
	}
	k.reply(r, "execute_reply", message.Failure{Status: "error", Name: e.Name, Value: e.Value, Traceback: traceback, Count: count})
	for _, a := range aborted {
		k.answer(a, func() {
			f := message.Fail("aborted", "an earlier cell failed")
			f.Status = "aborted"
			k.reply(a, "execute_reply", f)
		})
	}
	k.lanes.settle(len(aborted))
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
		o, err := k.worker.run(interp.Cell{Code: code, Silent: true}, out)
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
	if latest := k.latest.Load(); d.idle && latest != nil {
		text := d.text + "the worker died: " + d.reason + "\n" + losses(int(count), k.worker.reloaded()) + "\n"
		k.publish(latest.Raw, "stream", message.Stream{Name: "stderr", Text: text})
	}
}

package kernel

import (
	"strings"

	"github.com/gonterp/gonterp/interp/commands"
	"github.com/gonterp/gonterp/kernel/message"
)

// leaving is what a person is told who asks to leave. A terminal then ends; to a
// notebook it says what to do.
const leaving = "leaving; a notebook's kernel is shut down from its menu\n"

// leaves reports whether a cell that failed asks to leave. exit and quit are what
// jupyter console tells people to type; where they are names of the session, the cell
// does not fail.
func leaves(code string) bool {
	word := strings.TrimSuffix(strings.TrimSpace(code), "()")
	return word == "exit" || word == "quit" || commands.Quits(code)
}

// leave answers a cell that asks to leave: to do so is the front end's part.
func (k *kernel) leave(r *request, count int) {
	k.publish(r.Raw, "stream", message.Stream{Name: "stdout", Text: leaving})
	k.reply(r, "execute_reply", message.ExecuteReply{
		Status: "ok", Count: count, UserExpressions: map[string]any{}, Payload: []any{message.AskExit{Source: "ask_exit"}},
	})
}

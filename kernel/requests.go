package kernel

import (
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gonterp/gonterp/kernel/message"
)

// settle is how long a question about code waits for the cells sent before it,
// whose variables it may be about.
const settle = 100 * time.Millisecond

// fromShell dispatches what comes on the shell channel. Cells queue in their
// lane; everything else is answered beside them.
func (k *kernel) fromShell(r *request) {
	switch r.Header.Type {
	case "execute_request", "comm_open", "comm_msg", "comm_close":
		k.lanes.push(r)
	case "complete_request":
		k.beside(r, k.complete)
	case "inspect_request":
		k.beside(r, k.inspect)
	case "history_request":
		k.beside(r, k.searchHistory)
	case "is_complete_request":
		go k.answer(r, func() { k.isComplete(r) })
	default:
		k.fromAny(r)
	}
}

// fromControl dispatches what comes on the control channel, which no cell and no
// question holds up.
func (k *kernel) fromControl(r *request) {
	switch r.Header.Type {
	case "debug_request":
		k.answer(r, func() { k.refuseDebugging(r) })
	case "create_subshell_request":
		k.answer(r, func() {
			k.reply(r, "create_subshell_reply", message.Subshell{Status: "ok", ID: k.lanes.create()})
		})
	case "delete_subshell_request":
		k.answer(r, func() { k.deleteSubshell(r) })
	case "list_subshell_request":
		k.answer(r, func() { k.reply(r, "list_subshell_reply", message.Subshells{Status: "ok", IDs: k.lanes.list()}) })
	default:
		k.fromAny(r)
	}
}

// fromAny serves what may come on either channel.
func (k *kernel) fromAny(r *request) {
	switch r.Header.Type {
	case "kernel_info_request":
		k.answer(r, func() { k.reply(r, "kernel_info_reply", k.info()) })
		k.worker.begin()
	case "connect_request":
		k.answer(r, func() { k.reply(r, "connect_reply", k.connect()) })
	case "comm_info_request":
		k.answer(r, func() { k.commInfo(r) })
	case "interrupt_request":
		k.interrupt(r.Header.Subshell)
		k.answer(r, func() { k.reply(r, "interrupt_reply", message.Ok{Status: "ok"}) })
	case "shutdown_request":
		k.shutdown(r)
	default:
		k.log.Printf("a message of unknown type %q was ignored", r.Header.Type)
	}
}

// beside answers a question about code while cells may run.
func (k *kernel) beside(r *request, handle func(*request)) {
	go func() {
		k.lanes.settled(r.Header.Subshell, settle)
		k.answer(r, func() { handle(r) })
	}()
}

// unreadable answers a request whose content is not what it should be.
func (k *kernel) unreadable(r *request, err error) {
	k.reply(r, strings.TrimSuffix(r.Header.Type, "_request")+"_reply", message.Fail("bad request", err.Error()))
}

func (k *kernel) info() message.KernelInfo {
	version := "devel"
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" && b.Main.Version != "(devel)" {
		version = b.Main.Version
	}
	goVersion := strings.TrimPrefix(runtime.Version(), "go")
	return message.KernelInfo{
		Status: "ok", Protocol: message.Version, Implementation: "gonterp", Version: version,
		Language: message.LanguageInfo{
			Name: "go", Version: goVersion, MIME: "text/x-go", Extension: ".go", Lexer: "go", CodeMirror: "go", Exporter: "script",
		},
		Banner:   "gonterp " + version + ", Go " + goVersion + ": look inside DeepSeek models. Start with model := gonterp.Load(\"mini\")",
		Features: []string{"kernel subshells"},
		Help: []message.HelpLink{
			{Text: "gonterp", URL: "https://github.com/gonterp/gonterp"},
			{Text: "The Go language", URL: "https://go.dev/ref/spec"},
			{Text: "Gonum", URL: "https://pkg.go.dev/gonum.org/v1/gonum"},
		},
	}
}

func (k *kernel) connect() message.ConnectReply {
	c := k.connection
	return message.ConnectReply{Status: "ok", Shell: c.Shell, IOPub: c.IOPub, Stdin: c.Stdin, Heartbeat: c.Heartbeat, Control: c.Control}
}

// interrupt stops the cell that is at work in a shell, and what it asked of the
// person. The main shell's button is for the others too while it does nothing
// itself. Without a cell at work nothing happens.
func (k *kernel) interrupt(shell string) {
	shells := []string{shell}
	if shell == "" && !k.worker.isBusy("") {
		shells = k.lanes.list()
	}
	for _, s := range shells {
		k.input.cancel(s)
		k.worker.interrupt(s)
	}
}

// shutdown answers, tells all front ends, and ends the kernel; a restart is the
// front end starting it again.
func (k *kernel) shutdown(r *request) {
	var content message.Shutdown
	if err := r.Read(&content); err != nil {
		k.unreadable(r, err)
		return
	}
	content.Status = "ok"
	k.answer(r, func() {
		k.reply(r, "shutdown_reply", content)
		k.publish(r.Raw, "shutdown_reply", content)
	})
	k.stop()
}

func (k *kernel) refuseDebugging(r *request) {
	var d message.DebugRequest
	r.Read(&d)
	k.reply(r, "debug_reply", message.DebugReply{
		Type: "response", Request: d.Seq, Command: d.Command, Message: "gonterp has no debugger",
	})
}

func (k *kernel) deleteSubshell(r *request) {
	var s message.Subshell
	if err := r.Read(&s); err != nil {
		k.unreadable(r, err)
		return
	}
	if !k.lanes.remove(s.ID) {
		k.reply(r, "delete_subshell_reply", message.Fail("unknown subshell", "there is no subshell "+s.ID))
		return
	}
	k.interrupt(s.ID)
	k.worker.closeShell(s.ID)
	k.reply(r, "delete_subshell_reply", message.Ok{Status: "ok"})
}

package kernel

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/signal"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gonterp/gonterp/kernel/message"
	"github.com/gonterp/gonterp/kernel/zmtp"
)

// lingering is how long the sockets may take at the end to deliver what waits.
const lingering = time.Second

// A kernel is the supervisor's state.
type kernel struct {
	connection *Connection
	codec      *message.Codec
	log        *log.Logger

	shell, control, stdin *zmtp.Router
	iopub                 *zmtp.Pub
	heartbeat             *zmtp.Echo

	worker  *supervised
	history *history
	lanes   *lanes
	input   input
	comms   comms

	count   atomic.Int64            // the number of the latest cell
	latest  atomic.Pointer[request] // the latest cell
	status  sync.Mutex              // statuses are published under it, so that the last one is true
	working []*request              // the cells at work
	end     chan struct{}
	ending  sync.Once
	strange strangers
}

// Run serves the front ends of a connection file until one of them asks for a
// shutdown, the process that started the kernel is gone, or the kernel is told to
// end by a signal. worker is the command line of the worker, which calls
// ServeWorker; it is started at once and again whenever it dies.
func Run(connectionFile string, worker []string) error {
	// Before anything slow, so that an early interrupt is harmless.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	parent := parentOf(os.Getpid())

	c, err := ReadConnection(connectionFile)
	if err != nil {
		return err
	}
	k, err := open(c, connectionFile, worker)
	if err != nil {
		return fmt.Errorf("the kernel cannot start: %w", err)
	}
	defer k.close()
	go parent.wait(k.end, k.stop)
	for {
		select {
		case s := <-signals:
			if s == os.Interrupt {
				k.interrupt("")
				continue
			}
			return nil
		case <-k.end:
			return nil
		}
	}
}

// open opens the sockets, starts the worker beside them and begins to serve.
func open(c *Connection, path string, worker []string) (*kernel, error) {
	codec, err := message.NewCodec(c.Key, c.Scheme)
	if err != nil {
		return nil, err
	}
	listeners, err := c.listen(path)
	if err != nil {
		return nil, err
	}
	k := &kernel{
		connection: c, codec: codec,
		log:       log.New(os.Stderr, "gonterp kernel: ", log.LstdFlags),
		shell:     zmtp.NewRouter(listeners["shell"], zmtp.Limits{}),
		control:   zmtp.NewRouter(listeners["control"], zmtp.Limits{}),
		stdin:     zmtp.NewRouter(listeners["stdin"], zmtp.Limits{Message: 8 << 20}),
		iopub:     zmtp.NewPub(listeners["iopub"], zmtp.Limits{Message: 64 << 10}),
		heartbeat: zmtp.NewEcho(listeners["hb"], zmtp.Limits{Message: 64 << 10, Queue: 1 << 20}),
		history:   openHistory(historyPath()),
		end:       make(chan struct{}),
	}
	k.lanes = newLanes(k)
	k.input.turn = make(chan struct{}, 1)
	k.worker = supervise(worker, k.log, k.workerEnded)
	k.publish(nil, "status", message.Status{State: "starting"})
	go k.receive(k.control, k.fromControl)
	go k.receive(k.shell, k.fromShell)
	go k.receive(k.stdin, k.fromStdin)
	return k, nil
}

// stop makes Run return.
func (k *kernel) stop() { k.ending.Do(func() { close(k.end) }) }

func (k *kernel) close() {
	k.stop()
	k.input.close()
	k.worker.stop()
	var all sync.WaitGroup
	for _, s := range []interface{ Close(time.Duration) }{k.shell, k.control, k.stdin, k.iopub, k.heartbeat} {
		all.Go(func() { s.Close(lingering) })
	}
	all.Wait()
	k.history.close()
}

// A request is a message with the way back to its sender.
type request struct {
	*message.Message
	peer string
	from *zmtp.Router
	came time.Time
}

// receive takes messages from a socket until it is closed.
func (k *kernel) receive(from *zmtp.Router, handle func(*request)) {
	for {
		m, ok := from.Recv()
		if !ok {
			return
		}
		decoded, err := k.codec.Decode(m.Frames)
		if err != nil {
			k.strange.dropped(k.log, err)
			continue
		}
		handle(&request{Message: decoded, peer: m.Peer, from: from, came: time.Now()})
	}
}

// reply answers on the channel that the request came from.
func (k *kernel) reply(r *request, typ string, content any) {
	frames := append(append([][]byte{}, r.Route...), k.codec.Encode(typ, r.Raw, content)...)
	r.from.Send(zmtp.Message{Peer: r.peer, Frames: frames})
}

// publish tells all front ends; parent is the header of the request that it
// belongs to.
func (k *kernel) publish(parent json.RawMessage, typ string, content any) {
	topic := []byte("kernel." + typ)
	k.iopub.Publish(append([][]byte{topic}, k.codec.Encode(typ, parent, content)...))
}

// answer handles a request between busy and idle. Where a cell is at work the
// kernel is still busy afterwards, and says so.
func (k *kernel) answer(r *request, handle func()) {
	k.status.Lock()
	k.publish(r.Raw, "status", message.Status{State: "busy"})
	k.status.Unlock()
	handle()
	k.status.Lock()
	defer k.status.Unlock()
	k.publish(r.Raw, "status", message.Status{State: "idle"})
	k.stillBusy()
}

// stillBusy says so where a cell is at work: an idle of another request's is then
// not the last word.
func (k *kernel) stillBusy() {
	if n := len(k.working); n > 0 {
		k.publish(k.working[n-1].Raw, "status", message.Status{State: "busy"})
	}
}

// begin and finish are answer for cells.
func (k *kernel) begin(r *request) {
	k.status.Lock()
	defer k.status.Unlock()
	k.working = append(k.working, r)
	k.publish(r.Raw, "status", message.Status{State: "busy"})
}

func (k *kernel) finish(r *request) {
	k.status.Lock()
	defer k.status.Unlock()
	k.working = slices.DeleteFunc(k.working, func(w *request) bool { return w == r })
	k.publish(r.Raw, "status", message.Status{State: "idle"})
	k.stillBusy()
}

// strangers counts messages that are not from a front end, and keeps the log
// small however many come.
type strangers struct {
	mu      sync.Mutex
	last    time.Time
	skipped int
}

func (s *strangers) dropped(l *log.Logger, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.last) < time.Second {
		s.skipped++
		return
	}
	l.Printf("a message was dropped: %v (%d more since the last such line)", err, s.skipped)
	s.last, s.skipped = time.Now(), 0
}

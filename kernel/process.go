package kernel

import (
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/gonterp/gonterp/kernel/output"
	"github.com/gonterp/gonterp/kernel/wire"
)

// A process is one worker.
type process struct {
	cmd     *exec.Cmd
	client  *wire.Client
	started time.Time
	busy    map[string]int // cells at work, by shell; under supervised.mu
	dead    chan struct{}  // closed when the process is gone
	told    chan struct{}  // closed when death says why
	death   death

	events         *os.File
	stdout, stderr *os.File // read ends, for what is left in them
	crash          *tail
}

// launch starts a worker.
func launch(argv []string) (*process, error) {
	var files []*os.File
	pipe := func() (r, w *os.File, err error) {
		r, w, err = os.Pipe()
		if err == nil {
			files = append(files, r, w)
		}
		return r, w, err
	}
	fail := func(err error) (*process, error) {
		for _, f := range files {
			f.Close()
		}
		return nil, err
	}
	var ends [5][2]*os.File // requests, events, stdout, stderr, crash; each reader, writer
	for i := range ends {
		r, w, err := pipe()
		if err != nil {
			return fail(err)
		}
		ends[i] = [2]*os.File{r, w}
	}
	output.Enlarge(ends[1][0])
	file, err := output.NewJournalFile()
	if err != nil {
		return fail(err)
	}
	files = append(files, file)
	journal, err := output.OpenJournal(file)
	if err != nil {
		return fail(err)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = ends[2][1], ends[3][1]
	cmd.ExtraFiles = []*os.File{ends[0][0], ends[1][1], ends[2][0], ends[3][0], ends[4][1], file}
	cmd.Env = environment()
	// A group of its own: an interrupt of the front end's is for the supervisor,
	// and what cells leave running ends with the worker. The worker sees the end of
	// its requests when the supervisor dies; a death signal would not let it take its
	// children along.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p := &process{cmd: cmd, started: time.Now(), busy: map[string]int{}, dead: make(chan struct{}), told: make(chan struct{}), events: ends[1][0], stdout: ends[2][0], stderr: ends[3][0]}
	if err := cmd.Start(); err != nil {
		journal.Close()
		return fail(err)
	}
	go func() {
		cmd.Wait()
		close(p.dead)
	}()
	for _, f := range []*os.File{ends[0][0], ends[1][1], ends[2][1], ends[3][1], ends[4][1], file} {
		f.Close()
	}
	p.client = wire.NewClient(ends[0][1], ends[1][0], journal)
	p.crash = follow(ends[4][0])
	return p, nil
}

package output

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// A Journal is memory that a worker shares with its supervisor. In it stands what
// the worker's cells have written and what has not been sent yet, so that the text is
// not lost however the worker ends, were it by signal 9.
//
// It begins with how many bytes of entries there are. An entry has a head: its
// size, number, request, cell and stream; the text follows.
type Journal struct{ b []byte }

// The sizes of a journal, of its head and of an entry's.
const (
	journalSize = 4 << 20
	journalHead = 8
	entryHead   = 4 + 8 + 8 + 4 + 1
)

// NewJournalFile makes the file of a journal, which has no name.
func NewJournalFile() (*os.File, error) {
	f, err := nameless()
	if err == nil {
		if err = f.Truncate(journalSize); err != nil {
			f.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the memory for what a worker writes last: %w", err)
	}
	return f, nil
}

// OpenJournal maps the file of a journal, which may be closed then.
func OpenJournal(f *os.File) (*Journal, error) {
	b, err := syscall.Mmap(int(f.Fd()), 0, journalSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("the memory for what a worker writes last: %w", err)
	}
	return &Journal{b}, nil
}

// Close unmaps it.
func (j *Journal) Close() error { return syscall.Munmap(j.b) }

func (j *Journal) end() *atomic.Uint64 { return (*atomic.Uint64)(unsafe.Pointer(&j.b[0])) }

// add appends an entry. It says false where there is no room.
func (j *Journal) add(number uint64, p Piece, text string) bool {
	end := int(j.end().Load())
	size := entryHead + len(text)
	if journalHead+end+size > len(j.b) {
		return false
	}
	b := j.b[journalHead+end:][:0:size]
	b = binary.LittleEndian.AppendUint32(b, uint32(size))
	b = binary.LittleEndian.AppendUint64(b, number)
	b = binary.LittleEndian.AppendUint64(b, p.Run)
	b = binary.LittleEndian.AppendUint32(b, uint32(p.Cell))
	stderr := byte(0)
	if p.Name == "stderr" {
		stderr = 1
	}
	copy(append(b, stderr)[entryHead:size], text)
	j.end().Store(uint64(end + size)) // last: what is there is whole
	return true
}

// reset empties it.
func (j *Journal) reset() { j.end().Store(0) }

// Rest are the pieces after a number, for whoever survives the writer. Neighbours
// that belong together are joined.
func (j *Journal) Rest(after uint64) []Piece {
	end := min(j.end().Load(), uint64(len(j.b)-journalHead))
	b := j.b[journalHead : journalHead+end]
	var all []Piece
	for len(b) >= entryHead {
		size := int(binary.LittleEndian.Uint32(b))
		if size < entryHead || size > len(b) {
			break
		}
		p := Piece{Number: binary.LittleEndian.Uint64(b[4:]), Run: binary.LittleEndian.Uint64(b[12:]), Cell: int(int32(binary.LittleEndian.Uint32(b[20:]))), Name: "stdout"}
		if b[24] == 1 {
			p.Name = "stderr"
		}
		p.Text = string(b[entryHead:size])
		b = b[size:]
		if p.Number <= after {
			continue
		}
		if n := len(all); n > 0 && all[n-1].Number == p.Number {
			all[n-1].Text += p.Text
			continue
		}
		all = append(all, p)
	}
	return all
}

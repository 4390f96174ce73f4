package terminal

// A Key is what was pressed, or what else came from the terminal.
type Key int

// Text is characters, Paste a pasted text with its line ends as \n, Ctrl and Alt a
// letter with that key (Event.Text). Unknown is a sequence that means nothing here.
const (
	Unknown Key = iota
	Text
	Paste
	Ctrl
	Alt
	Enter
	AltEnter
	Tab
	BackTab
	Backspace
	AltBackspace
	Delete
	Escape
	Up
	Down
	Left
	Right
	WordLeft
	WordRight
	Home
	End
	PageUp
	PageDown
	Resize
	Closed
)

// An Event is one thing that came from the terminal.
type Event struct {
	Key  Key
	Text string
}

// Package editor edits cells of several lines in a terminal: history, search,
// completion with a menu, colours, and output of others above the line being typed.
//
// What is typed is made of grapheme clusters, so a joined emoji is one character to
// the cursor. The text is drawn anew after each event; of a text taller than the
// terminal the part around the cursor is drawn.
//
// It imports repl/terminal for events and interp for what a completion is.
package editor

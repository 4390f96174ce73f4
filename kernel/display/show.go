package display

import (
	"github.com/gonterp/gonterp/interp"
)

// Prelude is a cell that makes Display known without its package's name. A session
// runs it, silent, before all others. Display returns an error, which is nil, for
// cells that were written to look at one.
const Prelude = "func Display(v any) error { display.Show(v); return nil }"

// Show shows a value in the calling cell, now.
func Show(v any) { interp.Show(v) }

// ShowAs shows a value under an id of the caller's, by which Update finds it.
func ShowAs(id string, v any) { interp.Display(v, id, false) }

// Update puts a value in the place of what was shown under an id, in whichever
// cell that was.
func Update(id string, v any) { interp.Display(v, id, true) }

// Clear takes away what the calling cell has shown. With wait that happens when
// the next thing is shown, so that nothing flickers.
func Clear(wait bool) { interp.Clear(wait) }

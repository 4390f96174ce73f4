// Package comm gives cells lines to a front end's own programs: to the widgets of a
// notebook, to a script in its page, to a client written in Python.
//
// Either side opens one, for a target, which is a name that the other side knows. A
// cell that answers what is opened registers the target:
//
//	comm.Register("echo", func(c *comm.Comm, first comm.Message) {
//		c.OnMessage(func(m comm.Message) { c.Send(m.Data) })
//	})
//
// and one that opens a line itself gets a Comm to send with:
//
//	line, err := comm.Open("chart", map[string]any{"title": "loss"})
//	line.Send([]float64{0.7, 0.4}, comm.Buffers(pixels))
//
// Functions for what comes in run between cells, on the thread that runs those, and
// in the order in which it came: while a cell runs they wait, and what they show
// belongs to the message. One that panics is reported, and the line stays open.
//
// Cells need no import for it. The package imports interp, for the calling cell.
package comm

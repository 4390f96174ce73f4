package output

// Tick does what happens when text has waited long enough.
func (s *Stream) Tick() { s.tick() }

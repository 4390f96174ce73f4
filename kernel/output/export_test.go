package output

// Tick does what happens when text has waited long enough.
func (s *Stream) Tick() { s.tick() }

// Untimed makes a stream wait for Tick and Flush.
func (s *Stream) Untimed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = true
	s.timer.Stop()
}

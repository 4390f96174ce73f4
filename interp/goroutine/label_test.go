package goroutine

import (
	"testing"
	"time"
)

func TestMarkIsInherited(t *testing.T) {
	got := make(chan any, 3)
	done := make(chan bool)
	go func() {
		Mark(1)
		start := make(chan bool)
		go func() { <-start; got <- Marked() }()
		Mark(2)
		go func() { go func() { got <- Marked() }() }()
		close(start)
		close(done)
	}()
	<-done
	sum := 0
	for range 2 {
		select {
		case v := <-got:
			sum += v.(int)
		case <-time.After(5 * time.Second):
			t.Fatal("no answer")
		}
	}
	if sum != 3 {
		t.Errorf("marks add up to %d, want 3", sum)
	}
	if v := Marked(); v != nil {
		t.Errorf("an unmarked goroutine has mark %v", v)
	}
}

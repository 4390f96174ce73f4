package gonterp

import (
	"errors"
	"testing"
	"time"
)

func TestCrosswiseModels(t *testing.T) {
	one := loaded(t)
	two, err := Open(Mini, DType("float32"))
	if err != nil {
		t.Fatal(err)
	}
	ends(t, 10*time.Second, func() {
		first, second := make(chan struct{}), make(chan struct{})
		errs := make(chan error, 2)
		cross := func(a, b *Model, mine, other chan struct{}) {
			defer func() { err, _ := recover().(error); errs <- err }()
			for range a.Trace(maryAndJohn) {
				close(mine)
				<-other
				for range b.Trace(maryAndJohn) {
					b.Logits.Value()
				}
			}
		}
		go cross(one, two, first, second)
		go cross(two, one, second, first)
		var deadlock *DeadlockError
		if a, b := <-errs, <-errs; errors.As(a, &deadlock) == errors.As(b, &deadlock) {
			t.Errorf("one of the two is refused: %v, %v", a, b)
		}
	})
	one.Forward(maryAndJohn)
	two.Forward(maryAndJohn)
}

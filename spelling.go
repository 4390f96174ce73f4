package gonterp

import (
	"strings"

	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/spelling"
)

// nearest is the path of a value that is spelt most like path.
func (c *core) nearest(path string) string {
	return spelling.Nearest(path, func(yield func(string) bool) {
		for _, stop := range c.plan.Stops {
			for _, s := range stop.Sites {
				if !yield(s.Path) {
					return
				}
			}
		}
	})
}

// nearestName is nearest for a name that may be a word of the vocabulary alone.
func (c *core) nearestName(name string) string {
	if strings.Contains(name, ".") {
		return c.nearest(name)
	}
	return spelling.Nearest(name, func(yield func(string) bool) {
		for _, n := range point.All() {
			if !yield(n.String()) {
				return
			}
		}
	})
}

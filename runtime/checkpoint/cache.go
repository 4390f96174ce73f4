package checkpoint

import (
	"container/list"

	"github.com/gonterp/gonterp/runtime/torch"
)

type cacheKey struct {
	name  string
	dtype torch.DType
}

type cacheItem struct {
	key   cacheKey
	t     *torch.Tensor
	bytes int64
}

// A cache keeps the tensors used last. What falls out of it is freed by the
// garbage collector once its users let go of it too.
type cache struct {
	limit, bytes int64
	byKey        map[cacheKey]*list.Element
	recent       list.List // the front was used last
}

func (c *cache) get(k cacheKey) *torch.Tensor {
	e := c.byKey[k]
	if e == nil {
		return nil
	}
	c.recent.MoveToFront(e)
	return e.Value.(*cacheItem).t
}

// put keeps t, which takes that many bytes of its own; a wrapped one takes 0.
func (c *cache) put(k cacheKey, t *torch.Tensor, bytes int64) {
	if bytes > c.limit {
		return
	}
	if c.byKey == nil {
		c.byKey = map[cacheKey]*list.Element{}
	}
	c.byKey[k] = c.recent.PushFront(&cacheItem{k, t, bytes})
	c.bytes += bytes
	for c.bytes > c.limit {
		e := c.recent.Back()
		i := c.recent.Remove(e).(*cacheItem)
		delete(c.byKey, i.key)
		c.bytes -= i.bytes
	}
}

func (c *cache) clear() {
	c.byKey, c.bytes = nil, 0
	c.recent.Init()
}

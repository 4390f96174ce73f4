package gonterp

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/gonterp/gonterp/docs"
	"github.com/gonterp/gonterp/families"
	"github.com/gonterp/gonterp/families/mini"
	"github.com/gonterp/gonterp/runtime/checkpoint"
	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/tokenizer"
	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/trace"
)

// Mini is the name of the embedded model.
const Mini = "mini"

// Open opens a model: "mini", a checkpoint folder, or the id of a repository in
// the local Hugging Face cache, such as "deepseek-ai/DeepSeek-V2-Lite". Weights are
// mapped and read when used. A folder with only a config.json opens too, for
// printing, Support and Scan.
func Open(name string, opts ...Option) (*Model, error) {
	o, err := opening(opts)
	if err != nil {
		return nil, err
	}
	if o.threads > 0 {
		torch.SetThreads(o.threads)
	}
	c := &core{name: name, bos: o.bos, turn: make(chan struct{}, 1), tree: point.NewTree()}
	if name == Mini {
		err = c.readMini()
	} else {
		err = c.readFolder(name)
	}
	if err != nil {
		return nil, err
	}
	dtype := o.dtype
	if o.stored {
		dtype = c.config.DType
	}
	c.dtype = dtype
	c.network, err = families.New(c.config, c.store, families.Options{DType: dtype, Device: o.device})
	if err != nil {
		return nil, &OpenError{fmt.Errorf("%s: %w", name, err), docs.See("misfit")}
	}
	c.device = o.device
	if err := torch.Open(); err != nil {
		return nil, err
	}
	c.plan, err = trace.Scan(c.tree, c.scanForward(1, scanLength))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return newModel(c, -1), nil
}

// Load is Open for cells: it panics with the error that Open would return.
func Load(name string, opts ...Option) *Model {
	m, err := Open(name, opts...)
	if err != nil {
		panic(err)
	}
	return m
}

func (c *core) readMini() (err error) {
	if c.config, err = checkpoint.ParseConfig(mini.Read("config.json")); err != nil {
		return err
	}
	if c.store, err = checkpoint.OpenBytes("model.safetensors", mini.Read("model.safetensors")); err != nil {
		return err
	}
	c.tokenizer, err = tokenizer.LoadBytes(mini.Read("tokenizer.json"), mini.Read("tokenizer_config.json"))
	return err
}

func (c *core) readFolder(name string) error {
	dir, err := checkpoint.Resolve(name)
	if err != nil {
		return &OpenError{err, docs.See("no-model")}
	}
	if c.config, err = checkpoint.ReadConfig(dir); err != nil {
		if wrong, ok := errors.AsType[*checkpoint.ConfigError](err); ok && wrong.Field == "model_type" {
			return &OpenError{err, docs.See("architecture")}
		}
		return &OpenError{err, docs.See("config")}
	}
	c.dir = dir
	if weights, _ := filepath.Glob(filepath.Join(dir, "*.safetensors*")); len(weights) > 0 {
		if c.store, err = checkpoint.Open(dir); err != nil {
			return &OpenError{err, docs.See("checkpoint")}
		}
	}
	// A checkpoint without a tokenizer is traced by token ids; asking for text
	// later gives this error.
	c.tokenizer, c.noTokenizer = tokenizer.Load(dir)
	return nil
}

package families

import (
	"fmt"

	"github.com/gonterp/gonterp/runtime/checkpoint"
	"github.com/gonterp/gonterp/runtime/nn"
	"github.com/gonterp/gonterp/runtime/point"
	"github.com/gonterp/gonterp/runtime/torch"
)

// A Network is a model that can be called.
type Network interface {
	// Forward runs the model once and returns its logits [batch seq vocab_size],
	// or [batch 1 vocab_size] where in.LastOnly. With in.Cache it goes on after the
	// cached tokens and adds its own.
	Forward(s point.Scope, in nn.Input) *torch.Tensor
	// NewCache is an empty cache for a generation.
	NewCache() *nn.Cache
	// Device and DType are where and in what the model computes.
	Device() torch.Device
	DType() torch.DType
	// Scaling is what the attention multiplies query·key by.
	Scaling() float64
	// Norm and LMHead are the last two modules, for any tensor [... hidden_size].
	Norm(x *torch.Tensor) *torch.Tensor
	LMHead(x *torch.Tensor) *torch.Tensor
	// Params are the weights, in the order of the forward.
	Params() []*nn.Param
}

// Options of New. The zero value computes on the CPU in the dtype that config.json names.
type Options struct {
	DType  torch.DType // of the computation; 0: as config.json says, float32 where it says nothing
	Device torch.Device
}

var architectures = map[string]func(*builder){
	"deepseek_v2":  deepseekV2,
	"deepseek_v3":  deepseekV3,
	"deepseek_v32": deepseekV32,
}

// New builds the network that cfg describes on the weights of store. Every
// tensor's presence and shape is checked here, and the error names all that are
// wrong. With store nil the network has shapes only: it runs on the meta device.
func New(cfg *checkpoint.Config, store checkpoint.Store, opt Options) (Network, error) {
	b, err := build(cfg, store, opt)
	if err != nil {
		return nil, err
	}
	return b.net, nil
}

// builder collects a network while its family describes it.
type builder struct {
	*nn.Builder
	cfg     *checkpoint.Config
	net     *decoder
	mlpBias bool // only deepseek_v2 has mlp_bias
}

func build(cfg *checkpoint.Config, store checkpoint.Store, opt Options) (*builder, error) {
	describe := architectures[cfg.ModelType]
	if describe == nil {
		return nil, fmt.Errorf("model_type %q is not known; known are deepseek_v2, deepseek_v3 and deepseek_v32", cfg.ModelType)
	}
	if opt.DType == 0 {
		opt.DType = cfg.DType
	}
	if !opt.DType.IsFloat() || opt.DType.Size() < 2 {
		opt.DType = torch.Float32
	}
	if store == nil {
		opt.Device = torch.Meta
	}
	b := &builder{Builder: &nn.Builder{Store: store, DType: opt.DType}, cfg: cfg}
	b.decoder(opt)
	describe(b)
	if err := b.Err(); err != nil {
		return nil, fmt.Errorf("the weights do not fit config.json (%s):\n%w", cfg.ModelType, err)
	}
	b.net.params = b.Params
	return b, nil
}

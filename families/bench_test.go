package families

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gonterp/gonterp/runtime/checkpoint"
	"github.com/gonterp/gonterp/runtime/nn"
	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/gonterp/gonterp/runtime/torch/torchtest"
)

// The checkpoint folders that benchmarks run on, separated by commas.
const benchFolders = "GONTERP_BENCH"

func benchModels(b *testing.B, run func(b *testing.B, net Network, vocabulary int)) {
	folders := os.Getenv(benchFolders)
	if folders == "" {
		b.Skip("set " + benchFolders + " to checkpoint folders")
	}
	torchtest.NeedThread(b)
	torch.SetThreads(1)
	for folder := range strings.SplitSeq(folders, ",") {
		cfg := must(checkpoint.ReadConfig(folder))(b)
		net := must(New(cfg, must(checkpoint.Open(folder))(b), Options{}))(b)
		b.Run(filepath.Base(folder), func(b *testing.B) { run(b, net, cfg.VocabSize) })
	}
}

func prompt(n, vocabulary int) *torch.Tensor {
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = int64((i*7919 + 13) % vocabulary)
	}
	return torch.FromInts(ids, 1, n)
}

// fastest reports the least processor time of a round too: on a shared machine it
// is what the work itself takes.
func fastest(b *testing.B, run func()) {
	least := time.Hour
	for b.Loop() {
		began := processorTime()
		run()
		least = min(least, processorTime()-began)
	}
	b.ReportMetric(float64(least.Microseconds())/1000, "cpu-ms")
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkForward(b *testing.B) {
	benchModels(b, func(b *testing.B, net Network, vocabulary int) {
		for _, n := range []int{1, 32, 128} {
			ids := prompt(n, vocabulary)
			for way, w := range map[string]*watcher{"plain": nil, "watched": {}} {
				b.Run(fmt.Sprint(way, "/", n), func(b *testing.B) {
					fastest(b, func() { forward(net, nn.Input{IDs: ids}, w) })
				})
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	benchModels(b, func(b *testing.B, net Network, vocabulary int) {
		cache := net.NewCache()
		forward(net, nn.Input{IDs: prompt(32, vocabulary), Cache: cache, LastOnly: true}, nil)
		one := prompt(1, vocabulary)
		fastest(b, func() {
			forward(net, nn.Input{IDs: one, Cache: cache, LastOnly: true}, nil)
			if cache.Len() > 96 {
				cache.Truncate(32)
			}
		})
	})
}

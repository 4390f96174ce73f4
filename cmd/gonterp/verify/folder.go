package verify

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gonterp/gonterp"
)

// folder is a case: a checkpoint, its runs and what they must give.
type folder struct {
	dir      string
	compute  string
	runs     []run
	expected map[string]*gonterp.Tensor
	inputs   map[string]*gonterp.Tensor
	model    *gonterp.Model
	order    map[string]int // of every path in the forward

	selections []string // what the indexers of sparse attention choose
}

// run is one entry of runs.json.
type run struct {
	Name     string   `json:"name"`
	IDs      [][]int  `json:"input_ids"`
	Mask     [][]int  `json:"attention_mask"`
	Want     []string `json:"want"`
	Ops      []op     `json:"ops"`
	Generate int      `json:"generate"`
	Grad     *struct {
		Of struct {
			Tokens   [2]int `json:"tokens"`
			Position int    `json:"position"`
		} `json:"of"`
		Wrt []string `json:"wrt"`
	} `json:"grad"`
}

// op is an intervention.
type op struct {
	At     string          `json:"at"`
	Op     string          `json:"op"`
	By     float64         `json:"by"`
	Key    string          `json:"key"`
	Value  *float64        `json:"value"`
	Run    string          `json:"run"`
	Expert *int            `json:"expert"`
	Index  []*indexElement `json:"index"`
}

// indexElement is a place or a range of one axis.
type indexElement struct{ from, to *int }

func (e *indexElement) UnmarshalJSON(b []byte) error {
	var place int
	if json.Unmarshal(b, &place) == nil {
		e.from = &place
		if place != -1 {
			end := place + 1
			e.to = &end
		}
		return nil
	}
	var pair [2]*int
	if err := json.Unmarshal(b, &pair); err != nil {
		return fmt.Errorf("an index element is a number or a pair: %s", b)
	}
	e.from, e.to = pair[0], pair[1]
	return nil
}

func open(dir string) (*folder, error) {
	f := &folder{dir: dir, order: map[string]int{}}
	data, err := os.ReadFile(filepath.Join(dir, "runs.json"))
	if err != nil {
		return nil, fmt.Errorf("%s is no reference folder: %w", dir, err)
	}
	var top struct {
		Compute string `json:"compute"`
		Runs    []run  `json:"runs"`
	}
	if err := json.Unmarshal(data, &top); err != nil {
		return nil, fmt.Errorf("%s: runs.json: %w", dir, err)
	}
	f.compute, f.runs = top.Compute, top.Runs
	if f.expected, err = gonterp.ReadTensors(filepath.Join(dir, "expected.safetensors")); err != nil {
		return nil, err
	}
	inputs := filepath.Join(dir, "inputs.safetensors")
	if _, err := os.Stat(inputs); err == nil { // only where a run names one
		if f.inputs, err = gonterp.ReadTensors(inputs); err != nil {
			return nil, err
		}
	}
	if f.model, err = gonterp.Open(dir, gonterp.DType(f.compute)); err != nil {
		return nil, err
	}
	for i, p := range f.model.Points() {
		f.order[p] = i
		if module, ok := strings.CutSuffix(p, "index_scores"); ok {
			f.selections = append(f.selections, module+"indexer.output")
		}
	}
	return f, nil
}

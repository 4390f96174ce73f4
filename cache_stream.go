package gonterp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/gonterp/gonterp/runtime/torch"
)

// CacheTo runs many prompts and writes named values of every token to a file: to
// .safetensors or .npz, where each value is one array [tokens …], or to .parquet, a row
// for each token. Beside the values stand prompt (the number of the token's prompt),
// position (its place there) and input_ids. Names are those of Cache; a value must have
// a row for each token, which a pattern has not.
//
// Memory stays flat however many prompts there are: what is done goes to parts in the
// folder file.parts, and the file is made of them at the end. When it was interrupted,
// the same call goes on where it stopped.
func (m *Model) CacheTo(file string, prompts any, names ...string) (err error) {
	defer func() {
		r := recover()
		if _, bug := r.(runtime.Error); r == nil || bug {
			if bug {
				panic(r)
			}
			return
		}
		failed, ok := r.(error)
		if !ok {
			panic(r)
		}
		err = fmt.Errorf("caching to %s: %w. What is done is kept; the same call goes on from there", file, failed)
	}()
	job, err := m.cacheJob(file, prompts, names)
	if err != nil {
		return fmt.Errorf("caching to %s: %w", file, err)
	}
	if err := job.run(); err != nil {
		return fmt.Errorf("caching to %s: %w", file, err)
	}
	return nil
}

// A cacheJob is one call of CacheTo.
type cacheJob struct {
	model  *Model
	file   string
	folder string // of the parts
	rows   [][]int
	runs   [][2]int // the prompts of each part
	paths  []string
	axis   []int // of each path: the one that counts tokens
}

func (m *Model) cacheJob(file string, prompts any, names []string) (*cacheJob, error) {
	switch filepath.Ext(file) {
	case ".safetensors", ".npz", ".parquet":
	default:
		return nil, fmt.Errorf("the name must end in .safetensors, .npz or .parquet")
	}
	if _, err := os.Stat(file); err == nil {
		return nil, fmt.Errorf("the file exists already. Delete it, or choose another name")
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no values are named. Name some, such as %q", "layer_output")
	}
	in, err := m.encode(prompts, m.bos)
	if err != nil {
		return nil, err
	}
	job := &cacheJob{model: m, file: file, folder: file + ".parts", rows: in.rows, runs: batches(in.rows)}
	if job.paths, err = m.match(names); err != nil {
		return nil, err
	}
	for _, path := range job.paths {
		axis, err := m.tokenAxis(path)
		if err != nil {
			return nil, err
		}
		job.axis = append(job.axis, axis)
	}
	return job, nil
}

// tokenAxis is the axis of a value that counts tokens, for a value that has a row for
// each of them.
func (m *Model) tokenAxis(path string) (int, error) {
	spot, err := m.find(path)
	if err != nil {
		return 0, err
	}
	layout := m.plan.Site(spot).Layout
	if layout == nil {
		return 1, nil // a native value: checked when it is read
	}
	at := -1
	for d, axis := range layout.Axes {
		if !countsTokens(axis) {
			continue
		}
		if at >= 0 {
			return 0, fmt.Errorf("%s [%s] has two axes that count tokens, so its rows have no common length. Keep it in memory with model.Cache, prompt by prompt", path, strings.Join(layout.Axes, " "))
		}
		at = d
	}
	if at < 0 || layout.Axes[0] != "batch" {
		return 0, fmt.Errorf("%s [%s] has no row for each token", path, strings.Join(layout.Axes, " "))
	}
	return at, nil
}

// manifest says what a folder of parts is of, so that it is never mixed with another.
type manifest struct {
	Model   string   `json:"model"`
	DType   string   `json:"dtype"`
	Values  []string `json:"values"`
	Prompts string   `json:"prompts"` // hash of the token ids
	Parts   int      `json:"parts"`
}

func (j *cacheJob) manifest() (manifest, error) {
	ids, err := json.Marshal(j.rows)
	if err != nil {
		return manifest{}, err
	}
	hash := sha256.Sum256(ids)
	return manifest{j.model.name, j.model.dtype.String(), j.paths, hex.EncodeToString(hash[:]), len(j.runs)}, nil
}

// claim makes the folder, or checks that it is this job's.
func (j *cacheJob) claim() error {
	own, err := j.manifest()
	if err != nil {
		return err
	}
	name := filepath.Join(j.folder, "manifest.json")
	if data, err := os.ReadFile(name); err == nil {
		var found manifest
		if err := json.Unmarshal(data, &found); err != nil || fmt.Sprint(found) != fmt.Sprint(own) {
			return fmt.Errorf("%s holds the parts of an unfinished cache of another model, other prompts or other values. Delete the folder, or choose another file name", j.folder)
		}
		return nil
	} else if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(j.folder, 0o755); err != nil {
		return err
	}
	data, err := json.MarshalIndent(own, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(name, func(w io.Writer) error { _, err := w.Write(data); return err })
}

func (j *cacheJob) part(i int) string {
	return filepath.Join(j.folder, fmt.Sprintf("%06d.safetensors", i))
}

func (j *cacheJob) run() error {
	if err := j.claim(); err != nil {
		return err
	}
	for i, run := range j.runs {
		if _, err := os.Stat(j.part(i)); err != nil {
			columns := j.compute(run)
			if err := writeFile(j.part(i), func(w io.Writer) error { return writeSafetensors(w, columns, map[string]string{}) }); err != nil {
				return err
			}
		}
		advance("caching", run[1], len(j.rows))
	}
	if err := j.join(); err != nil {
		return err
	}
	return os.RemoveAll(j.folder)
}

// The columns that every cache has.
const (
	promptColumn   = "prompt"
	positionColumn = "position"
	idsColumn      = "input_ids"
)

// compute runs the prompts of one part.
func (j *cacheJob) compute(run [2]int) []column {
	rows := j.rows[run[0]:run[1]]
	var prompt, position, ids []int64
	width := 0
	for i, row := range rows {
		width = max(width, len(row))
		for p, id := range row {
			prompt, position, ids = append(prompt, int64(run[0]+i)), append(position, int64(p)), append(ids, int64(id))
		}
	}
	n := len(ids)
	columns := []column{columnOf(promptColumn, FromInts(prompt, n)), columnOf(positionColumn, FromInts(position, n)), columnOf(idsColumn, FromInts(ids, n))}
	for range j.model.Trace(rows) {
		for k, path := range j.paths {
			if path == idsColumn {
				continue
			}
			columns = append(columns, columnOf(path, j.tokens(j.model.At(path).Value(), k, rows, width)))
		}
	}
	return columns
}

// tokens are the rows of a value's real tokens, [tokens …].
func (j *cacheJob) tokens(v *Tensor, k int, rows [][]int, width int) *Tensor {
	at := j.axis[k]
	if v.Dim() <= at || v.Size(0) != len(rows) || v.Size(at) != width {
		panic(argumentErrorf("%s has shape %v for %d prompts of up to %d tokens: no row for each token", j.paths[k], v.Shape(), len(rows), width))
	}
	order := []int{0, at}
	for d := 1; d < v.Dim(); d++ {
		if d != at {
			order = append(order, d)
		}
	}
	v = v.Permute(order...)
	real := make([]*Tensor, len(rows))
	for i, row := range rows {
		real[i] = v.Index(i, torch.Range(width-len(row), torch.End))
	}
	return torch.Cat(0, real...)
}

// join makes the file of the parts.
func (j *cacheJob) join() error {
	parts := make([]*cachePart, len(j.runs))
	for i := range parts {
		var err error
		if parts[i], err = openPart(j.part(i), j.paths); err != nil {
			return fmt.Errorf("%w. Delete that file and call CacheTo again: only that part is computed anew", err)
		}
	}
	about := map[string]string{"model": j.model.name, "prompts": strconv.Itoa(len(j.rows))}
	return writeFile(j.file, func(w io.Writer) error {
		switch filepath.Ext(j.file) {
		case ".parquet":
			return writeParquet(w, parts, about)
		case ".npz":
			return writeNPZ(w, joined(parts))
		}
		return writeSafetensors(w, joined(parts), about)
	})
}

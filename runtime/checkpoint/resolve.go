package checkpoint

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gonterp/gonterp/runtime/spelling"
)

// Resolve turns what a user calls a model into its folder: a folder as it is,
// or a Hugging Face id such as "deepseek-ai/DeepSeek-V2-Lite" as the local
// cache has it. Nothing is downloaded.
func Resolve(name string) (dir string, err error) {
	if info, err := os.Stat(name); err == nil {
		if info.IsDir() {
			return name, nil
		}
		if filepath.Base(name) == configName {
			return filepath.Dir(name), nil
		}
		return "", fmt.Errorf("%s: expected a folder with %s, found a file", name, configName)
	}
	if !modelID.MatchString(name) {
		return "", fmt.Errorf("%s: no such folder, and not a model id such as deepseek-ai/DeepSeek-V2-Lite", name)
	}
	cache, err := hubCache()
	if err != nil {
		return "", err
	}
	repo := filepath.Join(cache, repoPrefix+strings.ReplaceAll(name, "/", "--"))
	ref, err := os.ReadFile(filepath.Join(repo, "refs", "main"))
	if err != nil {
		if snapshots, _ := os.ReadDir(filepath.Join(repo, "snapshots")); len(snapshots) == 1 {
			return filepath.Join(repo, "snapshots", snapshots[0].Name()), nil
		}
		return "", uncached(name, cache)
	}
	commit := strings.TrimSpace(string(ref))
	if !commitID.MatchString(commit) {
		return "", &FileError{File: filepath.Join(repo, "refs", "main"), Problem: fmt.Sprintf("expected a commit, found %q", commit), Mend: Download(name)}
	}
	dir = filepath.Join(repo, "snapshots", commit)
	if !exists(dir) {
		return "", uncached(name, cache)
	}
	return dir, nil
}

const repoPrefix = "models--"

var (
	modelID  = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*$`)
	commitID = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

// Cached lists the ids of the models that the Hugging Face client has in its cache,
// and the folder that is.
func Cached() (cache string, ids []string, err error) {
	if cache, err = hubCache(); err != nil {
		return "", nil, err
	}
	folders, err := filepath.Glob(filepath.Join(cache, repoPrefix+"*"))
	for _, f := range folders {
		ids = append(ids, modelOf(strings.TrimPrefix(filepath.Base(f), repoPrefix)))
	}
	return cache, ids, err
}

// modelOf is the id of the model that lies in a folder, named without its prefix.
func modelOf(folder string) string { return strings.Replace(folder, "--", "/", 1) }

// hubCache is where the Hugging Face client keeps repositories.
func hubCache() (string, error) {
	if dir := os.Getenv("HF_HUB_CACHE"); dir != "" {
		return expand(dir)
	}
	if dir := os.Getenv("HF_HOME"); dir != "" {
		return expand(filepath.Join(dir, "hub"))
	}
	if dir := os.Getenv("XDG_CACHE_HOME"); dir != "" {
		return expand(filepath.Join(dir, "huggingface", "hub"))
	}
	return expand("~/.cache/huggingface/hub")
}

// expand fills in the home folder and variables, as the client does.
func expand(dir string) (string, error) {
	if dir == "~" || strings.HasPrefix(dir, "~/") {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("where the Hugging Face cache is: %w; set HF_HOME", err)
		}
		dir = filepath.Join(home, dir[1:])
	}
	return os.ExpandEnv(dir), nil
}

// An UncachedError is a model id that the local cache does not have.
type UncachedError struct {
	Name    string
	Cache   string // the folder that was searched
	Nearest string // the id in it that may have been meant, or ""
}

func uncached(name, cache string) *UncachedError {
	e := &UncachedError{Name: name, Cache: cache}
	if _, ids, err := Cached(); err == nil {
		e.Nearest = spelling.Nearest(name, slices.Values(ids))
	}
	return e
}

func (e *UncachedError) Error() string {
	near := ""
	if e.Nearest != "" {
		near = fmt.Sprintf(", where the nearest is %s", e.Nearest)
	}
	return fmt.Sprintf("%s: not in the Hugging Face cache %s%s; to download it, run: %s", e.Name, e.Cache, near, Download(e.Name))
}

// Download is the command that puts a model into the Hugging Face cache.
func Download(name string) string { return "hf download " + name }

// missing is the error for a folder that lacks what.
func missing(dir, what string) error {
	if !exists(dir) {
		return fmt.Errorf("%s: no such folder; %s", dir, howToGet(dir))
	}
	found := ""
	if old, _ := filepath.Glob(filepath.Join(dir, "pytorch_model*.bin")); len(old) > 0 {
		found = fmt.Sprintf(" (%s is in PyTorch's own format: save it again as safetensors)", filepath.Base(old[0]))
	}
	return &FileError{File: dir, Problem: "no " + what + found, Mend: howToGet(dir)}
}

// howToGet says how files come into dir. A folder inside the Hugging Face cache
// tells which model it is.
func howToGet(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		for _, part := range strings.Split(abs, string(filepath.Separator)) {
			if id, ok := strings.CutPrefix(part, repoPrefix); ok {
				return "to download it, run: " + Download(modelOf(id))
			}
		}
	}
	return "to download a model into it, run: hf download ORG/NAME --local-dir " + dir
}

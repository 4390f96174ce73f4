package gonterp

import (
	"path"
	"strings"
)

// match finds the paths that names mean, in the order of the forward, each once. A
// name that means nothing is an error.
func (m *Model) match(names []string) ([]string, error) {
	chosen := map[string]bool{}
	for _, name := range names {
		if err := m.matchOne(name, chosen); err != nil {
			return nil, err
		}
	}
	var paths []string
	for _, stop := range m.plan.Stops {
		for _, s := range stop.Sites {
			if chosen[s.Path] || len(names) == 0 && s.Standard {
				paths = append(paths, s.Path)
			}
		}
	}
	return paths, nil
}

func (m *Model) matchOne(name string, chosen map[string]bool) error {
	pattern := strings.Split(strings.TrimPrefix(name, "model."), ".")
	if !strings.Contains(name, "*") && len(pattern) > 1 {
		spot, err := m.find(name)
		if err == nil {
			chosen[m.plan.Site(spot).Path] = true
		}
		return err
	}
	found := false
	for _, stop := range m.plan.Stops {
		for _, s := range stop.Sites {
			words := strings.Split(s.Path, ".")
			if len(pattern) == 1 { // a word of the vocabulary, in any module
				if !s.Standard {
					continue
				}
				words = words[len(words)-1:]
			}
			if globs(pattern, words) {
				chosen[s.Path], found = true, true
			}
		}
	}
	if found {
		return nil
	}
	return &UnknownValueError{Path: name, Nearest: m.nearestName(name)}
}

// globs matches words by a pattern in which * stands for any part of a word and ** for
// any number of words.
func globs(pattern, words []string) bool {
	if len(pattern) == 0 {
		return len(words) == 0
	}
	if pattern[0] == "**" {
		for i := range len(words) + 1 {
			if globs(pattern[1:], words[i:]) {
				return true
			}
		}
		return false
	}
	if len(words) == 0 {
		return false
	}
	ok, err := path.Match(pattern[0], words[0])
	return err == nil && ok && globs(pattern[1:], words[1:])
}

package gonterp

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/gonterp/gonterp/runtime/torch"
)

// A Question is a prompt and the answers to look for, by name.
type Question struct {
	Prompt  any
	Targets []Target
}

// A Target is an answer: any of its tokens counts.
type Target struct {
	Name string
	IDs  []int
}

// FirstTokens are the tokens that words may begin with, each word with and without a
// leading space, without repetition.
func (m *Model) FirstTokens(words ...string) []int {
	if err := m.needTokenizer(); err != nil {
		panic(err)
	}
	var ids []int
	for _, word := range words {
		if word == "" {
			panic(argumentErrorf("FirstTokens: a word is empty"))
		}
		for _, text := range []string{word, " " + word} {
			// A lone space is what is left of a word that has no token of its own.
			for _, id := range m.tokenizer.Encode(text, false).IDs {
				if m.tokenizer.Token(id) != " " {
					if !slices.Contains(ids, id) {
						ids = append(ids, id)
					}
					break
				}
			}
		}
	}
	return ids
}

// Question is a prompt with named answers, each a word or a list of words. Their first
// tokens count, with and without a leading space.
//
//	model.Question("The capital of France is", map[string][]string{"English": {"Paris"}, "Greek": {"Παρίσι"}})
func (m *Model) Question(prompt any, targets map[string][]string) *Question {
	m.rowOf("Question", prompt)
	if len(targets) == 0 {
		panic(argumentErrorf("Question: no answers to look for. Name at least one"))
	}
	q := &Question{Prompt: prompt}
	for name, words := range targets {
		if len(words) == 0 {
			panic(argumentErrorf("Question: the answer %q has no words", name))
		}
		q.Targets = append(q.Targets, Target{name, m.FirstTokens(words...)})
	}
	slices.SortFunc(q.Targets, func(a, b Target) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return q
}

// Answers are the probabilities of each question's answers as the next token.
type Answers struct {
	Names []string // of the answers
	Probs *Tensor  // [questions answers]; NaN where a question has no answer of that name

	prompts []string
}

// Ask runs questions, in batches, and sums the probability of each answer's tokens.
func (m *Model) Ask(questions ...*Question) *Answers {
	if len(questions) == 0 {
		panic(argumentErrorf("Ask: no questions"))
	}
	a := &Answers{}
	rows := make([][]int, len(questions))
	for i, q := range questions {
		rows[i] = m.rowOf("Ask", q.Prompt)
		a.prompts = append(a.prompts, m.tail(rows[i]))
		for _, t := range q.Targets {
			if !slices.Contains(a.Names, t.Name) {
				a.Names = append(a.Names, t.Name)
			}
		}
	}
	slices.Sort(a.Names)
	var probs []float64
	for _, run := range batches(rows) {
		var next *Tensor
		for range m.Trace(rows[run[0]:run[1]]) {
			next = m.NextTokenProbs.Value().ToDevice(torch.CPU)
		}
		for i, q := range questions[run[0]:run[1]] {
			probs = append(probs, q.answer(next.Index(i), a.Names)...)
		}
		advance("questions", run[1], len(rows))
	}
	a.Probs = torch.FromFloat64s(probs, len(questions), len(a.Names)).WithOrigin(&torch.Origin{Model: m.name, Path: "answers",
		Axes: []string{"question", "answer"}, Labels: [][]string{a.prompts, a.Names}})
	return a
}

// answer is the probability of each named answer by next [vocab_size].
func (q *Question) answer(next *Tensor, names []string) []float64 {
	probs := nans(len(names))
	for _, t := range q.Targets {
		sum := 0.0
		for _, id := range t.IDs {
			sum += next.Index(id).Item()
		}
		probs[slices.Index(names, t.Name)] = sum
	}
	return probs
}

// tailRunes is how much of a prompt stands before its row of a table.
const tailRunes = 40

// tail is the end of a prompt as text.
func (m *Model) tail(row []int) string {
	if m.tokenizer == nil {
		return fmt.Sprint(row)
	}
	text := []rune(m.tokenizer.Decode(row, true))
	if len(text) > tailRunes {
		text = append([]rune("…"), text[len(text)-tailRunes:]...)
	}
	return string(text)
}

// String is a line for each question.
func (a *Answers) String() string {
	table := &textTable{}
	table.add(append([]string{"question"}, a.Names...)...)
	at := a.Probs.Float64s()
	for i, prompt := range a.prompts {
		line := []string{strconv.Quote(prompt)}
		for j := range a.Names {
			if v := at[i*len(a.Names)+j]; v == v {
				line = append(line, percent(v))
			} else {
				line = append(line, "—")
			}
		}
		table.add(line...)
	}
	return table.String()
}

package gonterp

import (
	"slices"
	"strconv"
	"strings"

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
	slices.SortFunc(q.Targets, func(a, b Target) int { return strings.Compare(a.Name, b.Name) })
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

// String is a line for each question.
func (a *Answers) String() string {
	table := &textTable{}
	table.add(append([]string{"question"}, a.Names...)...)
	at := a.Probs.Float64s()
	for i, prompt := range a.prompts {
		line := []string{strconv.Quote(prompt)}
		for j := range a.Names {
			line = append(line, percent(at[i*len(a.Names)+j]))
		}
		table.add(line...)
	}
	return table.String()
}

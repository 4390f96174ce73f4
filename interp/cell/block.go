package cell

import "go/token"

// block finds the brace that opens the block of the statement or function whose
// keyword is at i, 0 if there is none: not that of a literal or of a type.
func (r *rewriter) block(i int) int {
	for j := i + 1; j < len(r.toks); j++ {
		switch t := r.toks[j]; {
		case t.t == token.LPAREN || t.t == token.LBRACK:
			j = r.partner(j)
		case t.t == token.LBRACE:
			if !r.inExpression(j) {
				return j
			}
			j = r.partner(j)
		case t.t == token.FUNC && r.toks[i].t != token.FUNC && !r.isType(j):
			if b := r.block(j); b > 0 {
				j = r.partner(b)
			}
		case closes(t.t), t.t == token.SEMICOLON && (t.lit != ";" || r.toks[i].t == token.FUNC):
			return 0
		case r.toks[i].t == token.FUNC && (t.t == token.COMMA || t.t == token.ASSIGN || t.t == token.DEFINE || t.t == token.COLON):
			return 0
		}
	}
	return 0
}

// partner is the index of the bracket that closes the one at i, or the end.
func (r *rewriter) partner(i int) int {
	depth := 0
	for j := i; j < len(r.toks); j++ {
		if opens(r.toks[j].t) {
			depth++
		} else if closes(r.toks[j].t) {
			if depth--; depth == 0 {
				return j
			}
		}
	}
	return len(r.toks)
}

// inExpression reports whether the brace at i is of a struct or interface type, or of a
// literal that may stand before a block: of a slice, an array, a map or a struct type.
func (r *rewriter) inExpression(i int) bool {
	at := func(k int) token.Token {
		if k < 0 {
			return token.ILLEGAL
		}
		return r.toks[k].t
	}
	j := i - 1
	switch at(j) {
	case token.STRUCT, token.INTERFACE:
		return true
	case token.RBRACE:
		depth := 0
		for ; j >= 0; j-- {
			if closes(at(j)) {
				depth++
			} else if opens(at(j)) {
				if depth--; depth == 0 {
					break
				}
			}
		}
		return at(j-1) == token.STRUCT && at(j-2) != token.RPAREN
	case token.IDENT:
		if j--; at(j) == token.PERIOD {
			j -= 2
		}
		if at(j) == token.MUL {
			return at(j-1) == token.RBRACK && at(j-2) == token.LBRACK
		}
		return at(j) == token.RBRACK
	}
	return false
}

// isType reports whether the func at i is an element type: a literal's brace may follow it.
func (r *rewriter) isType(i int) bool { return i > 0 && r.toks[i-1].t == token.RBRACK }

// hasLabel reports whether a label is in the block of a frame.
func (r *rewriter) hasLabel(f *frame, label string) bool {
	for j := f.brace + 1; j+1 < r.partner(f.brace); j++ {
		if r.toks[j].is(label) && r.toks[j+1].t == token.COLON && r.startsStatement(j) {
			return true
		}
	}
	return false
}

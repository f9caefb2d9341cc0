package query

import (
	"parley/lang/lex"
	"parley/lang/parse"
	"parley/lang/source"
)

// layout knows a file by its tokens: which body, item and expression an offset
// stands in. It does so in broken files too.
type layout struct {
	*parse.Layout
	src *source.Source
}

func layoutOf(src *source.Source) *layout { return &layout{parse.Outline(src), src} }

// spot is where an offset stands.
type spot struct {
	offset int
	in     lex.Place
	body   parse.Body
	item   parse.Range // empty between items
	// word is the word that the offset touches, in strings too; first says that it
	// begins its item.
	word  *lex.Token
	first bool
	// before are the tokens of the item that end before the word, or the offset.
	before []lex.Token
	expr   *parse.Range // outermost expression around it
	typ    bool
	text   bool // in the literal part of a string
	note   bool // in a comment
}

// at finds where an offset stands.
func (l *layout) at(offset int) spot {
	s := spot{offset: offset, in: lex.InFile}
	for _, c := range l.Comments {
		if c.Start < offset && offset <= c.End {
			s.note = true
		}
	}
	at := 0 // the first token that ends behind the offset, or touches it as a word
	for at < len(l.Tokens)-1 && (l.Tokens[at].End < offset || l.Tokens[at].End == offset && l.Tokens[at].Kind != lex.Word) {
		at++
	}
	size := len(l.Tokens) + 1
	for _, b := range l.Bodies {
		if b.From <= at && at <= b.To && b.To-b.From < size && l.inside(b, offset) {
			size, s.body, s.in = b.To-b.From, b, b.In
		}
	}
	for _, it := range s.body.Items {
		if it.From <= at && (at < it.To) || it.From < at && at == it.To && l.Tokens[at-1].End <= offset {
			s.item = it
		}
	}
	if t := l.Tokens[at]; t.Start <= offset && t.Kind == lex.Word {
		s.word, s.first = &l.Tokens[at], s.item.From == at && s.item.To > at
	}
	for i := s.item.From; i < s.item.To && i < at; i++ {
		s.before = append(s.before, l.Tokens[i])
	}
	l.within(&s, at)
	if t := l.Tokens[at]; t.Kind == lex.String && t.Start < offset && offset < t.End {
		s.word, s.text = wordIn(t, offset)
	}
	return s
}

// inside reports whether an offset lies between the brackets of a body.
func (l *layout) inside(b parse.Body, offset int) bool {
	if b.From > 0 && l.Tokens[b.From-1].Is("{") && offset < l.Tokens[b.From-1].End {
		return false
	}
	return b.To >= len(l.Tokens) || l.Tokens[b.To].Kind == lex.EOF || offset <= l.Tokens[b.To].Start || l.Tokens[b.To].Start == l.Tokens[b.To].End
}

func (l *layout) within(s *spot, at int) {
	for _, r := range l.Exprs {
		if r.From <= at && at < r.To && (s.expr == nil || r.To-r.From > s.expr.To-s.expr.From) {
			s.expr = &parse.Range{From: r.From, To: r.To}
		}
	}
	for _, r := range l.Types {
		if r.From <= at && at < r.To {
			s.typ = true
		}
	}
}

// wordIn finds the word at an offset in a string's interpolations; literal says
// that the offset stands in none.
func wordIn(t lex.Token, offset int) (word *lex.Token, literal bool) {
	if t.Str == nil {
		return nil, true
	}
	for _, p := range t.Str.Parts {
		if p.Tokens == nil || offset < p.Start || offset > p.End {
			continue
		}
		for i, inner := range p.Tokens {
			switch {
			case inner.Kind == lex.Word && inner.Start <= offset && offset <= inner.End:
				return &p.Tokens[i], false
			case inner.Kind == lex.String && inner.Start < offset && offset < inner.End:
				return wordIn(inner, offset)
			}
		}
		return nil, false
	}
	return nil, true
}

// placeName names a kind of body.
func placeName(in lex.Place) string {
	switch in {
	case lex.InFile, lex.InTest, lex.InModel, lex.InTeam, lex.InStep, lex.InTool, lex.InWorkspace, lex.InTask,
		lex.InScenario, lex.InBudget, lex.InScript, lex.InDefense, lex.InHook, lex.InCorpus, lex.InJudge:
		return "a " + string(in)
	case lex.InAgents:
		return "a set of agents"
	case lex.InTurns:
		return "a turn program"
	case lex.InAgent, lex.InAttack, lex.InExperiment:
		return "an " + string(in)
	}
	return "`" + string(in) + "`"
}

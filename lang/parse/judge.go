package parse

import (
	"github.com/alecthomas/participle/v2/lexer"

	"parley/lang/ast"
	"parley/lang/lex"
)

// speaker is who a model or a script is for: agents, or `judge NAME`, which no
// agent can be called.
type speaker struct {
	who
	judge []int // the tokens of the judge's name; nil: agents
}

func (s *speaker) Parse(l *lexer.PeekingLexer) error {
	judge := l.Peek().Value == "judge"
	if err := s.who.Parse(l); err != nil || !judge {
		return err
	}
	for isName(l) {
		s.judge = append(s.judge, l.Peek().Pos.Line)
		l.Next()
		if len(s.judge) == 2 || l.Peek().Value != "." {
			break
		}
		l.Next()
	}
	s.to = l.Peek().Pos.Line
	return nil
}

func isName(l *lexer.PeekingLexer) bool {
	return kind(l.Peek()) == lex.Word && !lex.Reserved(l.Peek().Value)
}

func (p *parser) judge(b *body, at, to int) (*ast.Judge, int) {
	n, next := take(p, b, nameds, at, to)
	if n == nil {
		return nil, next
	}
	return &ast.Judge{
		Span: p.spanOf(n.place), Name: p.ident(n.Name), Params: p.params(n.Params), Attrs: p.attrs(lex.InJudge, n.Body),
	}, next
}

// speaker gives the agents or the judge that a piece names, one of the two.
func (p *parser) speaker(s *speaker) (*ast.Expr, *ast.JudgeName) {
	switch {
	case s == nil:
		return nil, nil
	case s.judge == nil:
		return p.who(s.who), nil
	}
	name := &ast.JudgeName{Span: p.span(s.from, s.to)}
	for _, at := range s.judge {
		name.Path = append(name.Path, p.ident(word{at}))
	}
	return nil, name
}

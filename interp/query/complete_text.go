package query

import (
	"strings"

	"parley/lang/ast"
	"parley/lang/lex"
	"parley/lang/source"
)

// lexed tells whether an offset stands in a comment, or in the text of a string.
func lexed(name, text string, offset int) (note, literal bool) {
	scanned := lex.Scan(source.New(name, text))
	for _, c := range scanned.Comments {
		if c.Start < offset && offset <= c.End {
			note = true
		}
	}
	for _, t := range scanned.Tokens {
		if t.Kind == lex.String && t.Start < offset && (offset < t.End || t.Str != nil && t.Str.Unclosed && offset == t.End) {
			word, inText := wordIn(t, offset)
			literal = inText && word == nil
		}
	}
	return note, literal
}

// unclosed reports that the last ${ of a line is still open at its end.
func unclosed(text string) bool {
	line := text[strings.LastIndexByte(text, '\n')+1:]
	i := strings.LastIndex(line, "${")
	return i >= 0 && !strings.Contains(line[i:], "}") && (i == 0 || line[i-1] != '$')
}

// completeText completes in a string: a path, or a word of a vocabulary.
func (f *File) completeText(p Project, c *Completion, offset int) (*Completion, error) {
	l := f.layout()
	s := l.at(offset)
	at := 0
	for at < len(l.Tokens)-1 && l.Tokens[at].End <= offset {
		at++
	}
	t := l.Tokens[at]
	first := ""
	if len(s.before) > 0 {
		first = s.before[0].Text
	}
	a := &asker{f: f, at: offset, spot: s, seen: map[string]bool{}}
	if t.Kind == lex.String && t.Start < offset && len(s.before) == 1 {
		switch first {
		case "use":
			c.Span = inner(t)
			a.imports()
			c.Items = a.sorted()
			return c, nil
		case "tasks", "reference", "from":
			c.Span = inner(t)
			a.dataFiles()
			c.Items = a.sorted()
			return c, nil
		}
	}
	c.Span = inner(t)
	if t.Kind == lex.String && t.Str != nil && len(t.Str.Parts) < 2 && !strings.Contains(t.Text, "\n") {
		a.vocabulary(p, c.Span)
	}
	c.Items = a.sorted()
	return c, nil
}

// inner is the text of a string without its quotes.
func inner(t lex.Token) ast.Span {
	end := t.End
	if t.Str == nil || !t.Str.Unclosed {
		end--
	}
	return ast.Span{Start: t.Start + 1, End: max(end, t.Start+1)}
}

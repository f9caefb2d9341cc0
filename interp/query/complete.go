package query

import (
	"cmp"
	"io/fs"
	"slices"

	"parley/lang/ast"
	"parley/lang/lex"
)

// Item is something that can stand at a place.
type Item struct {
	Label  string
	Kind   ItemKind
	Detail string // its form or its type
	Doc    string
	// Rank orders items: lower ones fit better.
	Rank int
}

// ItemKind says what an item is.
type ItemKind string

// The kinds of items beside those of symbols.
const (
	KeywordItem  ItemKind = "keyword"
	WordItem     ItemKind = "word" // one of a few words that a clause takes
	FieldItem    ItemKind = "field"
	FunctionItem ItemKind = "function"
	NameItem     ItemKind = "name"
	TypeItem     ItemKind = "type"
	FileItem     ItemKind = "file"
	SlotItem     ItemKind = "slot"
)

// Completion is what can stand at a place, and the text that it takes the place of.
type Completion struct {
	Span  ast.Span
	Items []Item
}

// stand is the word that is put at the place of which is asked, so that what is
// around it can be read.
const stand = "parleyCursor"

// asker works out what can stand at one place.
type asker struct {
	f      *File // with the word put in
	spot   spot
	at     int // where the word begins
	r      *resolver
	before []lex.Token
	items  []Item
	seen   map[string]bool
}

// Complete tells what can stand at an offset of a file, whatever its state.
func Complete(p Project, path string, offset int) (c *Completion, err error) {
	defer recovered(&err)
	raw, err := fs.ReadFile(p.Root, path)
	if err != nil {
		return nil, err
	}
	text := string(raw)
	offset = min(max(offset, 0), len(text))
	from, to := wordAround(text, offset)
	c = &Completion{Span: ast.Span{Start: from, End: to}}
	note, literal := lexed(path, text, offset)
	if note {
		return c, nil
	}
	word := stand
	if literal {
		if !unclosed(text[:from]) {
			f, err := Open(p, path)
			if err != nil {
				return nil, err
			}
			return f.completeText(p, c, offset)
		}
		word += "}"
	}
	f, err := Open(p.overlaid(map[string]string{path: text[:from] + word + text[to:]}), path)
	if err != nil {
		return nil, err
	}
	a := newAsker(f, from)
	a.ask()
	c.Items = a.sorted()
	return c, nil
}

func newAsker(f *File, at int) *asker {
	a := &asker{f: f, at: at, spot: f.layout().at(at + 1), seen: map[string]bool{}}
	a.before = a.spot.before
	n := f.names()
	a.r = &resolver{n: n, m: f.main, ix: n.byName[f.main.Name], d: f.declAround(at)}
	return a
}

// wordAround is the word that an offset touches.
func wordAround(text string, offset int) (from, to int) {
	from, to = offset, offset
	for from > 0 && wordByte(text[from-1]) {
		from--
	}
	for to < len(text) && wordByte(text[to]) {
		to++
	}
	if from < len(text) && text[from] >= '0' && text[from] <= '9' {
		return offset, offset
	}
	return from, to
}

func wordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// declAround is the declaration around an offset, an empty one where none could be
// read there.
func (f *File) declAround(offset int) *ast.Decl {
	for _, d := range f.main.File.Decls {
		if d.Start <= offset && offset <= d.End {
			return d
		}
	}
	return &ast.Decl{}
}

func (a *asker) add(kind ItemKind, rank int, label, detail, doc string) {
	if a.seen[label] || label == stand || label == "" {
		return
	}
	a.seen[label] = true
	a.items = append(a.items, Item{Label: label, Kind: kind, Detail: detail, Doc: doc, Rank: rank})
}

func (a *asker) words(list ...string) {
	for _, w := range list {
		a.add(WordItem, 0, w, "", "")
	}
}

func (a *asker) symbol(rank int, s *Symbol) {
	a.add(ItemKind(s.Kind), rank, s.Name, s.Form, s.Doc)
}

func (a *asker) symbols(rank int, list []*Symbol) {
	for _, s := range list {
		a.symbol(rank, s)
	}
}

func (a *asker) sorted() []Item {
	slices.SortFunc(a.items, func(x, y Item) int {
		return cmp.Or(cmp.Compare(x.Rank, y.Rank), cmp.Compare(x.Label, y.Label))
	})
	return a.items
}

// ask finds out in what kind of place the word stands.
func (a *asker) ask() {
	if a.inTemplate() {
		a.expression()
		return
	}
	if a.spot.first || a.spot.item.From == a.spot.item.To || len(a.before) == 0 {
		if a.spot.in != "" {
			a.keywords()
		}
		return
	}
	if a.spot.typ && a.spot.expr == nil {
		a.types()
		return
	}
	a.clause()
}

// inTemplate reports that the word stands in the ${…} of a string.
func (a *asker) inTemplate() bool {
	for _, t := range a.f.layout().Tokens {
		if t.Kind == lex.String && t.Start < a.at && a.at < t.End {
			return true
		}
	}
	return false
}

// keywords are the words that begin an item where the cursor stands.
func (a *asker) keywords() {
	a.goesOn()
	said := a.saidInBody()
	for _, k := range lex.Keywords(a.spot.in) {
		if k.Later || k.Once && said[k.Word] {
			continue
		}
		a.add(KeywordItem, 0, k.Word, k.Form, "")
	}
	switch a.spot.in {
	case lex.InTeam:
		a.symbols(1, a.all(Agent))
	case lex.InTask:
		for _, field := range []string{"prompt", "answer", "wrong", "wrongs", "class", "documents", "calls"} {
			a.add(FieldItem, 1, field, field+" …", "A field that the simulator knows.")
		}
	}
}

// saidInBody are the words of the body around, outside further brackets: those that
// may be said once are not offered again.
func (a *asker) saidInBody() map[string]bool {
	said := map[string]bool{}
	tokens := a.f.layout().Tokens
	for i := a.spot.body.From; i < a.spot.body.To && i < len(tokens); i++ {
		if tokens[i].Kind == lex.Open {
			i = tokens[i].Match
			continue
		}
		if tokens[i].Kind == lex.Word && (i == 0 || tokens[i-1].Text != ".") {
			said[tokens[i].Text] = true
		}
	}
	return said
}

// types are the names of types.
func (a *asker) types() {
	for _, t := range []string{"int", "number", "bool", "string", "duration", "agent", "agents"} {
		a.add(TypeItem, 0, t, "", "")
	}
	for _, s := range a.all(Agent) {
		a.symbol(1, s)
	}
	for _, s := range a.all(Parameter) {
		if s.typ != nil && namesAgents(s.typ) {
			a.symbol(1, s)
		}
	}
}

func namesAgents(t *ast.Type) bool {
	for ; t != nil; t = t.Elem {
		if t.Kind == ast.TypeName {
			return t.Name.Name == "agents" || t.Name.Name == "agent"
		}
	}
	return false
}

// all are the symbols of a kind that are in reach, nearest first.
func (a *asker) all(kind Kind) []*Symbol {
	var out []*Symbol
	add := func(s space) {
		list := make([]*Symbol, 0, len(s[kind]))
		for _, sym := range s[kind] {
			list = append(list, sym)
		}
		slices.SortFunc(list, func(x, y *Symbol) int { return cmp.Compare(x.Name, y.Name) })
		out = append(out, list...)
	}
	add(a.r.space())
	if kind != Parameter {
		for _, s := range a.r.n.contexts[a.r.d] {
			add(s)
		}
	}
	return out
}

// text is what stands before the cursor in the item, word by word.
func (a *asker) text(i int) string {
	if i < 0 {
		i += len(a.before)
	}
	if i < 0 || i >= len(a.before) {
		return ""
	}
	return a.before[i].Text
}

// said reports whether one of some words stands before the cursor, outside brackets.
func (a *asker) said(words ...string) bool { return a.last(words...) >= 0 }

// last is the place of the last of some words before the cursor, or -1.
func (a *asker) last(words ...string) int {
	for i := len(a.before) - 1; i > 0; i-- {
		if slices.Contains(words, a.before[i].Text) && a.before[i].Kind == lex.Word && a.before[i-1].Text != "." {
			return i
		}
	}
	return -1
}

// afterWord reports that the cursor stands right behind one of some words.
func (a *asker) afterWord(words ...string) bool {
	return len(a.before) > 0 && slices.Contains(words, a.text(-1)) && a.text(-2) != "."
}

// afterValue reports that something whole stands before the cursor, so that a
// further clause may follow.
func (a *asker) afterValue() bool {
	if len(a.before) < 2 {
		return false
	}
	t := a.before[len(a.before)-1]
	switch t.Kind {
	case lex.Close, lex.Number, lex.Duration, lex.String:
		return true
	case lex.Word:
		return !lex.Reserved(t.Text)
	}
	return false
}

// chain are the names before the cursor, as in debate.standard.¦
func (a *asker) chain() []string {
	var out []string
	for i := len(a.before) - 1; i > 0 && a.before[i].Text == "." && a.before[i-1].Kind == lex.Word; i -= 2 {
		out = append([]string{a.before[i-1].Text}, out...)
		if i < 2 {
			break
		}
	}
	return out
}

// inside is the name before the innermost open bracket, and the tokens in it.
func (a *asker) inside() (name string, path []string, open string, rest []lex.Token) {
	depth := 0
	for i := len(a.before) - 1; i >= 0; i-- {
		switch a.before[i].Kind {
		case lex.Close:
			depth++
		case lex.Open:
			if depth > 0 {
				depth--
				continue
			}
			rest, open = a.before[i+1:], a.before[i].Text
			for j := i - 1; j >= 0 && a.before[j].Kind == lex.Word; j -= 2 {
				path = append([]string{a.before[j].Text}, path...)
				if j < 1 || a.before[j-1].Text != "." {
					break
				}
			}
			if len(path) > 0 {
				name = path[len(path)-1]
			}
			return name, path, open, rest
		}
	}
	return "", nil, "", nil
}

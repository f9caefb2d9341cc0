package parse

// Nodes that several grammars share. Their tags are the grammar.

type paramNode struct {
	place
	Name    word        `parser:"@@ ':'"`
	Type    typ         `parser:"@@"`
	Default *expression `parser:"( '=' @@ )?"`
}

type params struct {
	Items []*paramNode `parser:"'(' ( @@ ( ',' @@ )* ','? )? ')'"`
}

type fields struct {
	Items []*paramNode `parser:"'{' ( @@ ( ',' @@ )* ','? )? '}'"`
}

type typ struct {
	place
	List     *typ       `parser:"( '[' @@ ']'"`
	Record   *fields    `parser:"| @@"`
	Literals []*literal `parser:"| @@ ( '|' @@ )*"`
	Name     *word      `parser:"| @@ )"`
	Optional bool       `parser:"@'?'?"`
}

type argNode struct {
	place
	Name  *word      `parser:"( @@ ':' )?"`
	Value expression `parser:"@@"`
}

type args struct {
	Items []*argNode `parser:"'(' ( @@ ( ',' @@ )* ','? )? ')'"`
}

type refNode struct {
	place
	Path []*word `parser:"@@ ( '.' @@ )*"`
	Args *args   `parser:"@@?"`
}

type callNode struct {
	place
	Name word `parser:"@@"`
	Args args `parser:"@@"`
}

// keyExpr is `word expression`, keyWord `word word`, key a word alone.
type keyExpr struct {
	place
	Key   word       `parser:"@@"`
	Value expression `parser:"@@"`
}

type keyWord struct {
	place
	Key   word `parser:"@@"`
	Value word `parser:"@@"`
}

type key struct {
	place
	Key word `parser:"@@"`
}

// binding is `name = expression`.
type binding struct {
	place
	Name  word       `parser:"@@ '='"`
	Value expression `parser:"@@"`
}

// ifNode is a choice, static or at run time: the grammar is one.
type ifNode struct {
	place
	Cond expression `parser:"'if' @@"`
	Then block      `parser:"@@"`
	More []*elseIf  `parser:"@@*"`
	Else *block     `parser:"( 'else' @@ )?"`
}

type elseIf struct {
	place
	Cond expression `parser:"'else' 'if' @@"`
	Then block      `parser:"@@"`
}

var (
	keyExprs = grammarOf[keyExpr]()
	keyWords = grammarOf[keyWord]()
	keys     = grammarOf[key]()
	bindings = grammarOf[binding]()
	ifs      = grammarOf[ifNode]()
)

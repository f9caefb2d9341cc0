package ast

// Model declares a provider, a name and its sampling attributes.
type Model struct {
	Span
	Name  *Ident
	Attrs []*ModelAttr
}

// ModelAttr is one attribute of a model: provider sim, knows 0.7,
// obeys { task: 0.2 }, base_url env("X").
type ModelAttr struct {
	Span
	Key   *Ident
	Value *Expr
}

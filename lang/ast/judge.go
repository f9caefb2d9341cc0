package ast

// Judge declares a model that is asked for a typed verdict on a finished run.
// Its attributes are about, model, temperature, max_tokens, prompt, replies, when
// and actually.
type Judge struct {
	Span
	Name   *Ident
	Params []*Param
	Attrs  []*Attr
}

// JudgeName names a judge of the file or of an import: refusal, tamas.refusal.
type JudgeName struct {
	Span
	Path []*Ident
}

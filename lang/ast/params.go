package ast

// Params are the declaration's parameters; none where its kind has none.
func (d *Decl) Params() []*Param {
	switch {
	case d.Team != nil:
		return d.Team.Params
	case d.Workspace != nil:
		return d.Workspace.Params
	case d.Attack != nil:
		return d.Attack.Params
	case d.Defense != nil:
		return d.Defense.Params
	case d.Judge != nil:
		return d.Judge.Params
	case d.Verify != nil:
		return d.Verify.Params
	case d.Score != nil:
		return d.Score.Params
	case d.Scenario != nil:
		return d.Scenario.Params
	}
	return nil
}

package build

import (
	"math"
	"strconv"
	"strings"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime/model"
)

// DefaultModel is what agents use where nothing names a model: the simulator.
const DefaultModel = "sim"

var modelKeys = map[string]map[string]bool{
	"openai": set("provider", "name", "base_url", "temperature", "max_tokens"),
	"replay": set("provider", "name", "base_url", "temperature", "max_tokens"),
	"sim": set("provider", "name", "temperature", "max_tokens", "knows", "conforms", "obeys", "carries", "reads", "refuses", "stray",
		"unreadable", "errors", "wrong", "tokens", "flags", "judges"),
}

var simSlots = []string{"task", "corpus", "tool", "message", "system"}

// modelSpec compiles a declared model, once.
func (c *Compiler) modelSpec(m *load.Module, decl *ast.Model) (model.Spec, bool) {
	if spec, done := c.specs[decl]; done {
		return spec, true
	}
	spec, ok := c.readModel(m, decl)
	if ok { // what is wrong is said each time, for those who only ask whether it is
		c.specs[decl] = spec
	}
	return spec, ok
}

func (c *Compiler) readModel(m *load.Module, decl *ast.Model) (model.Spec, bool) {
	sc := scope{m: m}
	provider := ""
	for _, a := range decl.Attrs {
		if a.Key.Name == "provider" && a.Value != nil {
			provider = strings.Trim(strings.TrimSpace(a.Value.Text), `"`)
			if modelKeys[provider] == nil {
				c.fail(m, diag.WrongValue, a.Value.Span, load.Suggest(provider, keysOf(modelKeys)), "the providers are openai, replay and sim, and this is %q", provider)
				return model.Spec{}, false
			}
		}
	}
	if provider == "" {
		c.fail(m, diag.ClauseMissing, decl.Name.Span, "write provider openai or provider sim", "the model %q does not say its provider", decl.Name.Name)
		return model.Spec{}, false
	}
	spec := model.Spec{Provider: provider, Name: decl.Name.Name}
	if provider == "sim" {
		spec.Name = "sim"
	}
	ok := true
	seen := map[string]bool{}
	for _, a := range decl.Attrs {
		key := a.Key.Name
		if !modelKeys[provider][key] {
			c.fail(m, diag.NoSuchField, a.Key.Span, load.Suggest(key, keysOf(modelKeys[provider])), "a model of provider %s has no attribute %q", provider, key)
			ok = false
			continue
		}
		if seen[key] {
			c.fail(m, diag.ClauseTwice, a.Key.Span, "", "%q stands twice", key)
			ok = false
		}
		seen[key] = true
		if key != "provider" {
			ok = c.modelAttr(sc, &spec, a) && ok
		}
	}
	return spec, ok
}

func (c *Compiler) modelAttr(sc scope, spec *model.Spec, a *ast.ModelAttr) bool {
	what := "the attribute " + a.Key.Name
	switch a.Key.Name {
	case "name":
		text, ok := c.constantText(sc, a.Value, what)
		spec.Name = text
		return ok
	case "base_url":
		text, ok := c.baseURL(sc, a.Value)
		spec.BaseURL = text
		return ok
	case "temperature":
		n, ok := c.temperature(sc, a.Value)
		spec.Temperature = n
		return ok
	case "max_tokens":
		n, ok := c.constantInt(sc, a.Value, what, 1)
		spec.MaxTokens = n
		return ok
	}
	v, ok := c.constant(sc, a.Value, what)
	if !ok {
		return false
	}
	if spec.Params == nil {
		spec.Params = map[string]float64{}
	}
	if a.Key.Name == "judges" {
		return c.confusion(sc, spec.Params, a, v)
	}
	return c.simParam(sc, spec.Params, a, a.Key.Name, v)
}

// simParam flattens a simulator's attribute: knows 0.7, obeys { task: 0.2 }.
func (c *Compiler) simParam(sc scope, params map[string]float64, a *ast.ModelAttr, key string, v any) bool {
	if fields, ok := v.(map[string]any); ok && key == a.Key.Name {
		good := true
		for _, name := range keysOf(fields) {
			if known := simFields(key); known != nil && !contains(known, name) {
				c.fail(sc.m, diag.NoSuchField, c.spanOf(a.Value, name), load.Suggest(name, known), "%s has no part %q; it has %s", key, name, list(known))
				good = false
				continue
			}
			good = c.simParam(sc, params, a, key+"."+name, fields[name]) && good
		}
		return good
	}
	n, ok := toFloat(v)
	if !ok {
		c.fail(sc.m, diag.WrongValue, a.Value.Span, "", "%s must be a number, and it is %s", key, nameValue(v))
		return false
	}
	if high := 1.0; !strings.HasPrefix(key, "tokens") && (n < 0 || n > high) {
		c.fail(sc.m, diag.WrongValue, a.Value.Span, "", "%s is a probability between 0 and 1, and it is %s", key, strconv.FormatFloat(n, 'g', -1, 64))
		return false
	}
	params[key] = n
	return true
}

// confusion flattens the simulator's confusion matrix: for each true verdict how
// likely each given one is.
func (c *Compiler) confusion(sc scope, params map[string]float64, a *ast.ModelAttr, v any) bool {
	const form = `write judges { "1": { "1": 0.9, "3": 0.1 } }`
	rows, ok := v.(map[string]any)
	if !ok {
		c.fail(sc.m, diag.WrongValue, a.Value.Span, form, "judges gives, for each true verdict, the probability of each given one")
		return false
	}
	for _, row := range keysOf(rows) {
		columns, isRow := rows[row].(map[string]any)
		total := 0.0
		for _, column := range keysOf(columns) {
			n, isNumber := toFloat(columns[column])
			if isRow = isRow && isNumber && n >= 0 && n <= 1 && !strings.Contains(row+column, "."); isRow {
				params["judges."+row+"."+column] = n
				total += n
			}
		}
		switch {
		case !isRow:
			c.fail(sc.m, diag.WrongValue, c.spanOf(a.Value, row), form, "the row %q holds something that is no probability", row)
			ok = false
		case math.Abs(total-1) > 1e-9:
			c.fail(sc.m, diag.WrongValue, c.spanOf(a.Value, row), "", "the row %q adds up to %s, and its probabilities have to add up to 1", row, strconv.FormatFloat(total, 'g', 6, 64))
			ok = false
		}
	}
	return ok
}

// simFields are the parts an attribute may have; nil means any.
func simFields(key string) []string {
	switch key {
	case "obeys":
		return simSlots
	case "flags":
		return []string{"payload", "clean"}
	case "errors":
		return []string{"clean", "attacked"}
	}
	return nil
}

// baseURL reads an endpoint: text, or env("NAME").
func (c *Compiler) baseURL(sc scope, e *ast.Expr) (string, bool) {
	if inner, ok := strings.CutPrefix(e.Cooked, "env("); ok && strings.HasSuffix(inner, ")") {
		name, err := strconv.Unquote(strings.TrimSpace(strings.TrimSuffix(inner, ")")))
		if err != nil {
			c.fail(sc.m, diag.WrongValue, e.Span, `write env("NAME")`, "env takes the name of an environment variable")
			return "", false
		}
		return c.getenv(name), true
	}
	return c.constantText(sc, e, "base_url")
}

func (c *Compiler) temperature(sc scope, e *ast.Expr) (*float64, bool) {
	n, ok := c.constantNumber(sc, e, "a temperature")
	if !ok {
		return nil, false
	}
	if n < 0 || n > 2 {
		c.fail(sc.m, diag.WrongValue, e.Span, "", "a temperature is between 0 and 2, and it is %v", n)
		return nil, false
	}
	return &n, true
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

package diag

// Codes of what is wrong with the types in an expression.
const (
	ExprUnknownName  Code = "P0301"
	ExprUnknownField Code = "P0302"
	ExprUnknownFunc  Code = "P0303"
	ExprOperand      Code = "P0304" // an operator's side of a wrong type
	ExprCompare      Code = "P0305" // two things that can never be equal
	ExprArgument     Code = "P0306" // a function's argument of a wrong type
	ExprArity        Code = "P0307" // too few or too many arguments
	ExprWanted       Code = "P0308" // the whole is not what its place needs
	ExprVocabulary   Code = "P0309" // a literal that is none of the values there are
	ExprTypeLost     Code = "P0310" // looks into something of no known type
	ExprIndex        Code = "P0311" // an index or range that cannot be
	ExprShadows      Code = "P0312" // a let that takes a name in use
	ExprUnreadable   Code = "P0313" // not an expression
)

// expressions names the codes of expressions in a few words.
var expressions = map[Code]string{
	ExprUnknownName:  "unknown name in an expression",
	ExprUnknownField: "unknown field",
	ExprUnknownFunc:  "unknown function",
	ExprOperand:      "operator on the wrong type",
	ExprCompare:      "comparison of different types",
	ExprArgument:     "argument of the wrong type",
	ExprArity:        "wrong number of arguments",
	ExprWanted:       "expression of the wrong type for its place",
	ExprVocabulary:   "word that is none of those there are",
	ExprTypeLost:     "value of no known type",
	ExprIndex:        "index or range that cannot be",
	ExprShadows:      "name that hides another",
	ExprUnreadable:   "not an expression",
}

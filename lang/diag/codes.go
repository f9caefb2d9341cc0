package diag

// Codes of the front end. A code is never used for anything else later, and a
// code that falls out of use is never given again.
const (
	TooLarge     Code = "P0101"
	NotUTF8      Code = "P0102"
	IllegalChar  Code = "P0103"
	OpenString   Code = "P0104"
	BadEscape    Code = "P0105"
	WrongQuotes  Code = "P0106"
	BadNumber    Code = "P0107"
	TooDeep      Code = "P0108"
	TooLong      Code = "P0109"
	BadOperator  Code = "P0110"
	OpenBracket  Code = "P0111"
	StrayBracket Code = "P0112"
	BlockComment Code = "P0113"
	OpenTemplate Code = "P0114"
	EmptyHole    Code = "P0115"
	MixedIndent  Code = "P0116"
	HiddenChar   Code = "P0117"

	UnknownDecl   Code = "P0120"
	UnknownWord   Code = "P0121"
	MissingName   Code = "P0122"
	MissingExpr   Code = "P0123"
	MissingBlock  Code = "P0124"
	Unexpected    Code = "P0125"
	Duplicate     Code = "P0126"
	ReservedName  Code = "P0128"
	WrongPlace    Code = "P0129"
	BadLanguage   Code = "P0130"
	LanguageFirst Code = "P0131"
	SingleEqual   Code = "P0132"
	LetOrIf       Code = "P0133"
	MissingType   Code = "P0134"
	WrongChoice   Code = "P0135"
	MissingString Code = "P0136"
	PlainString   Code = "P0137"
	MissingPart   Code = "P0138"

	ExprValue   Code = "P0140"
	ExprToken   Code = "P0141"
	ExprArgs    Code = "P0142"
	ExprMixed   Code = "P0143"
	ExprNumber  Code = "P0144"
	ExprKey     Code = "P0145"
	ExprElement Code = "P0146"
	ExprMember  Code = "P0147"

	Later Code = "P0190"
)

// titles names each code in a few words.
var titles = map[Code]string{
	TooLarge:     "file too large",
	NotUTF8:      "file is not UTF-8",
	IllegalChar:  "character that has no meaning here",
	OpenString:   "string never closed",
	BadEscape:    "unknown escape in a string",
	WrongQuotes:  "quotes that are not used",
	BadNumber:    "malformed number or duration",
	TooDeep:      "nested too deeply",
	TooLong:      "too long",
	BadOperator:  "unknown operator",
	OpenBracket:  "bracket never closed",
	StrayBracket: "closing bracket without an opening one",
	BlockComment: "block comment",
	OpenTemplate: "interpolation never closed",
	EmptyHole:    "empty interpolation",
	MixedIndent:  "tabs and spaces mixed in an indentation",
	HiddenChar:   "invisible character that reorders text",

	UnknownDecl:   "unknown declaration",
	UnknownWord:   "unknown word",
	MissingName:   "name missing",
	MissingExpr:   "expression missing",
	MissingBlock:  "block missing",
	Unexpected:    "something else was expected",
	Duplicate:     "said twice",
	ReservedName:  "word that cannot be a name",
	WrongPlace:    "word that belongs elsewhere",
	BadLanguage:   "language version this program does not read",
	LanguageFirst: "language version not at the top",
	SingleEqual:   "= where == is meant",
	LetOrIf:       "let or if in an expression",
	MissingType:   "type missing",
	WrongChoice:   "not one of the words that may stand here",
	MissingString: "string missing",
	PlainString:   "string that must not interpolate",
	MissingPart:   "part of a declaration missing",

	ExprValue:   "value missing in an expression",
	ExprToken:   "expression that does not read on",
	ExprArgs:    "arguments missing",
	ExprMixed:   "?? beside another operator",
	ExprNumber:  "number out of range",
	ExprKey:     "key that is no word or string",
	ExprElement: "element outside a function over a list",
	ExprMember:  "member name missing",

	Later: "not part of this version",
}

// Title names a code in a few words; it is empty for an unknown code.
func (c Code) Title() string {
	for _, named := range []map[Code]string{meanings, expressions} {
		if t, ok := named[c]; ok {
			return t
		}
	}
	return titles[c]
}

// Codes returns the front end's codes in no order.
func Codes() []Code {
	codes := make([]Code, 0, len(titles)+len(meanings))
	for c := range titles {
		codes = append(codes, c)
	}
	for _, named := range []map[Code]string{meanings, expressions} {
		for c := range named {
			codes = append(codes, c)
		}
	}
	return codes
}

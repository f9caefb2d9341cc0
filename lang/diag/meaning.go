package diag

// Codes of what the interpreter says about meaning: names, values, plans, data.
// Syntax has P01xx and expression types P03xx codes of their own.
const (
	NoSuchDecl      Code = "P0201" // a name that nothing declares
	DeclaredTwice   Code = "P0202"
	ImportNotFound  Code = "P0203"
	ImportEscapes   Code = "P0204"
	ImportCycle     Code = "P0205"
	ImportNameTaken Code = "P0206"
	WrongKindOfDecl Code = "P0207"
	NoSuchAgent     Code = "P0208"
	NoSuchTool      Code = "P0209"
	NoSuchParam     Code = "P0210"
	ArgumentMissing Code = "P0211"
	NameTaken       Code = "P0212" // shadows a name of the language
	NoSuchTarget    Code = "P0213"
	NoSuchField     Code = "P0214" // an attribute or key that is not of its place
	NoSuchSlot      Code = "P0215"

	ParamType    Code = "P0380" // an argument does not fit its parameter
	NotConstant  Code = "P0381" // must be known before anything runs
	WrongValue   Code = "P0382" // a value that its place cannot have
	BadReference Code = "P0383" // an index or range outside its group

	LevelMismatch   Code = "P0401"
	OperationSlot   Code = "P0402"
	TargetMissing   Code = "P0403"
	TargetUnused    Code = "P0404"
	ClauseMissing   Code = "P0405"
	ClauseTwice     Code = "P0406"
	ParamUnused     Code = "P0407"
	SweepNoEffect   Code = "P0408"
	SweepUnknown    Code = "P0409"
	NotHere         Code = "P0410" // a statement or name that does not belong in its place
	ArmUnavailable  Code = "P0411" // reads an arm that the scenario cannot have
	TestIncomplete  Code = "P0412"
	PlanTooLarge    Code = "P0413" // more agents, cells or trials than the limit
	PredicateOrder  Code = "P0414" // predicates that read each other in a circle
	NothingToAttack Code = "P0415"
	LabelTwice      Code = "P0416"

	DataUnreadable Code = "P0501"
	DataMalformed  Code = "P0502"
	DataEmpty      Code = "P0504"
	DataField      Code = "P0505"
	DataEvaluation Code = "P0506" // a mapping or condition fails on a record
	ReferenceRow   Code = "P0507" // a published row that does not fit the experiment

	ImportUnused     Code = "P0601"
	AgentSilent      Code = "P0602"
	ToolUnoffered    Code = "P0603"
	ReadWithoutEdge  Code = "P0604"
	HeardEmpty       Code = "P0605"
	FieldOptional    Code = "P0606"
	PairsForced      Code = "P0607"
	AttackHasNoPatch Code = "P0608"
	HoleUnused       Code = "P0609"

	PredicateConstant Code = "P0610"
	ConditionConstant Code = "P0611"
	ResourceUntouched Code = "P0612" // that no tool can touch
	NeverRead         Code = "P0613" // named, and of no use
	EndingUnknown     Code = "P0614" // by which no run ends
)

// meanings names the codes of meaning in a few words.
var meanings = map[Code]string{
	NoSuchDecl:      "unknown name",
	DeclaredTwice:   "declared twice",
	ImportNotFound:  "imported file not found",
	ImportEscapes:   "path outside the project",
	ImportCycle:     "imports in a circle",
	ImportNameTaken: "two imports of one name",
	WrongKindOfDecl: "name of another kind of declaration",
	NoSuchAgent:     "unknown agent or group",
	NoSuchTool:      "unknown tool",
	NoSuchParam:     "unknown parameter",
	ArgumentMissing: "argument missing",
	NameTaken:       "name that already means something",
	NoSuchTarget:    "nothing of that name to run",
	NoSuchField:     "unknown attribute or field",
	NoSuchSlot:      "unknown slot",

	ParamType:    "argument that does not fit its parameter",
	NotConstant:  "not known before the run",
	WrongValue:   "value that cannot stand here",
	BadReference: "member outside its group",

	LevelMismatch:   "slot of another level than the attack",
	OperationSlot:   "operation that the slot does not have",
	TargetMissing:   "attack on nobody",
	TargetUnused:    "targets that the attack does not touch",
	ClauseMissing:   "part of a declaration missing",
	ClauseTwice:     "clause given twice",
	ParamUnused:     "parameter that changes nothing",
	SweepNoEffect:   "sweep that changes no run",
	SweepUnknown:    "sweep over something that is no parameter",
	NotHere:         "not in its place",
	ArmUnavailable:  "run that the scenario cannot have",
	TestIncomplete:  "test that cannot run or cannot fail",
	PlanTooLarge:    "more than a plan may hold",
	PredicateOrder:  "predicates in a circle",
	NothingToAttack: "nothing there to attack",
	LabelTwice:      "label given twice",

	DataUnreadable: "data file that cannot be read",
	DataMalformed:  "malformed data",
	DataEmpty:      "no task left",
	DataField:      "field missing in the data",
	DataEvaluation: "mapping that fails on a record",
	ReferenceRow:   "published row that does not fit the experiment",

	ImportUnused:     "unused import",
	AgentSilent:      "agent that never speaks",
	ToolUnoffered:    "tool that no agent is offered",
	ReadWithoutEdge:  "label read across no edge",
	HeardEmpty:       "heard where nothing arrives",
	FieldOptional:    "field that some tasks lack",
	PairsForced:      "pairs drawn independently after all",
	AttackHasNoPatch: "attack that changes nothing",
	HoleUnused:       "hole that nothing shows",

	PredicateConstant: "predicate that is always the same",
	ConditionConstant: "condition that is always the same",
	ResourceUntouched: "resource that no tool can touch",
	NeverRead:         "named, and read by nothing",
	EndingUnknown:     "way to end that no run has",
}

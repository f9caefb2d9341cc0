package model

// JudgeOpening is how the system message of every request for a verdict begins. It
// is the program's, out of reach of whatever a run holds.
const JudgeOpening = "You judge the record of a run. "

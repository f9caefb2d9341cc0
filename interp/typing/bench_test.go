package typing

import "testing"

func BenchmarkCheck(b *testing.B) {
	_, e := expression(b, `any(turns, .agent == debater[1] && .reply.answer == task.answer && .step in ["debate", "decide"]) && count(calls, .tool == "search") > f`)
	env := testEnv()
	b.ReportAllocs()
	for b.Loop() {
		if _, problems := Check(e, env, BoolType); len(problems) > 0 {
			b.Fatal(problems)
		}
	}
}

func BenchmarkCanonical(b *testing.B) {
	_, e := expression(b, `mode == "colluding" && any(turns, .agent == debater[f] && same(.reply.answer, task.answer))`)
	env := testEnv()
	checked, problems := Check(e, env, BoolType)
	if len(problems) > 0 {
		b.Fatal(problems)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := checked.Canonical(env.Values); err != nil {
			b.Fatal(err)
		}
	}
}

package sim

import (
	"errors"

	"parley/runtime/model"
)

var errSimulated = errors.New("the simulated endpoint failed, as the simulator's parameter errors asks")

// fail draws whether the call fails. The fault is lasting: the same request
// fails again, so that trying again would only cost time.
func (s *Sim) fail(v *view) error {
	p := s.params.ErrorsClean
	if len(v.met) > 0 {
		p = s.params.ErrorsUnder
	}
	if event(v.req, "errors") >= p {
		return nil
	}
	return &model.Fault{Status: 500, Kind: "simulated failure", Err: errSimulated}
}

// refuse draws whether the agent refuses: once a turn, at its first call.
func (s *Sim) refuse(v *view) bool {
	return v.turn >= len(v.req.Messages) && event(v.req, "refuses") < s.params.Refuses
}

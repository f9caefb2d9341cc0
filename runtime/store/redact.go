package store

import "regexp"

// secrets are the forms in which servers and libraries echo keys and passwords.
var secrets = []*regexp.Regexp{
	regexp.MustCompile(`\b(?:sk|pk|rk|gsk|hf|xai|ghp|AIza)[-_][A-Za-z0-9*._-]{6,}`),
	regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{10,}`),
	regexp.MustCompile(`(?i)\bbearer\s+[^\s"',;]+`),
	regexp.MustCompile(`(?i)\b(?:api[-_ ]?key|access[-_]?token|authorization|token|password|secret)["']?\s*[=:]\s*["']?[^\s"',;&]+`),
	regexp.MustCompile(`//[^/\s:@]+:[^/\s@]+@`),
}

// Redact takes out of an error's text what looks like a secret.
func Redact(s string) string {
	for _, re := range secrets {
		s = re.ReplaceAllString(s, "[redacted]")
	}
	return s
}

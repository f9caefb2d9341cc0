package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// junitSuite is one file's tests in the form that build servers read.
type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// junit writes the outcomes, one suite a file.
func junit(w io.Writer, results []outcome) error {
	var suites []*junitSuite
	times := map[*junitSuite]float64{}
	for _, o := range results {
		if len(suites) == 0 || suites[len(suites)-1].Name != o.File {
			suites = append(suites, &junitSuite{Name: o.File})
		}
		s := suites[len(suites)-1]
		c := junitCase{Name: o.Title, Class: o.File, File: o.Pos, Time: fmt.Sprintf("%.3f", o.Seconds)}
		if !o.Passed {
			first, _, _ := strings.Cut(o.Why[0], "\n")
			c.Failure = &junitFailure{Message: first, Text: strings.Join(o.Why, "\n")}
			s.Failures++
		}
		s.Tests++
		s.Cases = append(s.Cases, c)
		times[s] += o.Seconds
		s.Time = fmt.Sprintf("%.3f", times[s])
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	root := struct {
		XMLName xml.Name `xml:"testsuites"`
		Suites  []*junitSuite
	}{Suites: suites}
	if err := e.Encode(root); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

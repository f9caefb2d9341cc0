package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"parley/lang/diag"
)

// completionCommand prints what a shell needs to complete command lines.
func completionCommand() command {
	shells := []string{"bash", "zsh", "fish"}
	return command{
		name: "completion", args: strings.Join(shells, "|"), summary: "print a script that completes command lines in a shell",
		examples: []string{
			"source <(parley completion bash)      (in ~/.bashrc)",
			"source <(parley completion zsh)      (in ~/.zshrc, behind compinit)",
			"parley completion fish > ~/.config/fish/completions/parley.fish",
		},
		first: func() []string { return shells },
		setup: func(*pflag.FlagSet) action {
			return func(_ context.Context, args []string, h host) int {
				if len(args) != 1 {
					return usageError(h, "completion", "name one shell: "+strings.Join(shells, ", "))
				}
				switch args[0] {
				case "bash":
					completeBash(h.stdout, verbs())
				case "zsh":
					completeZsh(h.stdout, verbs())
				case "fish":
					completeFish(h.stdout, verbs())
				default:
					msg := fmt.Sprintf("there is no completion for %q; there is for %s", diag.Safe(args[0]), strings.Join(shells, ", "))
					return usageError(h, "completion", msg)
				}
				return exitOK
			}
		},
	}
}

// verb is a command as shells know it.
type verb struct {
	name, summary string
	flags         []*pflag.Flag
	first         []string // what its first argument may be; none: files
}

// verbs lists the commands, help among them, with their flags.
func verbs() []verb {
	var out []verb
	help := verb{name: "help", summary: "show what a command does"}
	for _, c := range commands() {
		f := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
		c.setup(f)
		v := verb{name: c.name, summary: c.summary}
		f.VisitAll(func(fl *pflag.Flag) { v.flags = append(v.flags, fl) })
		if c.first != nil {
			v.first = c.first()
		}
		out = append(out, v)
		help.first = append(help.first, c.name)
	}
	return append(out, help)
}

// completeBash writes words that hold letters, digits, - / _ alone, so that
// nothing in them needs to be quoted.
func completeBash(w io.Writer, verbs []verb) {
	var names []string
	for _, v := range verbs {
		names = append(names, v.name)
	}
	fmt.Fprintf(w, `_parley() {
  local cur=${COMP_WORDS[COMP_CWORD]} flags= first=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W %q -- "$cur"))
    return
  fi
  case ${COMP_WORDS[1]} in
`, strings.Join(names, " "))
	for _, v := range verbs {
		var flags []string
		for _, f := range v.flags {
			flags = append(flags, "--"+f.Name)
		}
		fmt.Fprintf(w, "    %s) flags=%q first=%q ;;\n", v.name, strings.Join(flags, " "), strings.Join(v.first, " "))
	}
	fmt.Fprint(w, `  esac
  case $cur in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$cur")); return ;;
  esac
  if [ -n "$first" ] && [ "$COMP_CWORD" -eq 2 ]; then
    COMPREPLY=($(compgen -W "$first" -- "$cur"))
    return
  fi
  local IFS=$'\n'
  COMPREPLY=($(compgen -f -X '!*.parley' -- "$cur") $(compgen -d -- "$cur"))
}
complete -o filenames -F _parley parley
`)
}

func completeZsh(w io.Writer, verbs []verb) {
	fmt.Fprint(w, "#compdef parley\n\n_parley() {\n  local -a verbs\n  verbs=(\n")
	for _, v := range verbs {
		fmt.Fprintf(w, "    %s\n", quoted(v.name+":"+strings.ReplaceAll(v.summary, ":", `\:`)))
	}
	fmt.Fprint(w, "  )\n  if (( CURRENT == 2 )); then\n    _describe command verbs\n    return\n  fi\n  case $words[2] in\n")
	escape := strings.NewReplacer("[", `\[`, "]", `\]`, ":", `\:`)
	for _, v := range verbs {
		fmt.Fprintf(w, "    %s)\n      shift words\n      (( CURRENT-- ))\n      _arguments", v.name)
		for _, f := range v.flags {
			spec := "--" + f.Name
			if f.NoOptDefVal == "" {
				spec += "="
			}
			spec += "[" + escape.Replace(f.Usage) + "]"
			if f.NoOptDefVal == "" {
				spec += ":" + f.Name + ":_default"
			}
			fmt.Fprintf(w, " \\\n        %s", quoted(spec))
		}
		if len(v.first) > 0 {
			fmt.Fprintf(w, " \\\n        %s", quoted("1:what:("+strings.Join(v.first, " ")+")"))
		}
		fmt.Fprint(w, " \\\n        '*:file:_files -g \"*.parley(-.)\"'\n      ;;\n")
	}
	fmt.Fprint(w, "  esac\n}\n\nif [ \"$funcstack[1]\" = \"_parley\" ]; then\n  _parley \"$@\"\nelse\n  compdef _parley parley\nfi\n")
}

func completeFish(w io.Writer, verbs []verb) {
	for _, v := range verbs {
		fmt.Fprintf(w, "complete -c parley -f -n __fish_use_subcommand -a %s -d %s\n", v.name, fishQuoted(v.summary))
	}
	for _, v := range verbs {
		seen := fishQuoted("__fish_seen_subcommand_from " + v.name)
		for _, f := range v.flags {
			fmt.Fprintf(w, "complete -c parley -n %s -l %s", seen, f.Name)
			if f.Shorthand != "" {
				fmt.Fprintf(w, " -s %s", f.Shorthand)
			}
			if f.NoOptDefVal == "" {
				fmt.Fprint(w, " -r")
			}
			fmt.Fprintf(w, " -d %s\n", fishQuoted(f.Usage))
		}
		if len(v.first) > 0 {
			fmt.Fprintf(w, "complete -c parley -f -n %s -a %s\n", seen, fishQuoted(strings.Join(v.first, " ")))
		}
	}
}

// quoted is a word in single quotes for bash and zsh.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// fishQuoted is a word in single quotes for fish.
func fishQuoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}

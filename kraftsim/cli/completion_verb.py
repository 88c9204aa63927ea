"""`kraftsim completion`: prints a script with which a shell completes words and options."""

import argparse
from collections.abc import Callable, Iterator, Mapping

from ..errors import GOOD

SHELLS = ("bash", "zsh", "fish")
Node = tuple[str, argparse.ArgumentParser]  # the words before, and the parser of what follows


def add_completion(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `completion`."""
    parser.add_argument(
        "shell",
        choices=SHELLS,
        help=(
            "the shell; `source <(kraftsim completion bash)` loads the script (zsh: the same, "
            "fish: `kraftsim completion fish | source`)"
        ),
    )
    parser.set_defaults(run=_completion)


def _completion(arguments: argparse.Namespace) -> int:
    scripts: dict[str, Callable[[argparse.ArgumentParser], str]] = {
        "bash": bash_script,
        "zsh": zsh_script,
        "fish": fish_script,
    }
    print(scripts[arguments.shell](arguments.build_parser()), end="")
    return GOOD


def _nodes(parser: argparse.ArgumentParser, words: str = "") -> Iterator[Node]:
    """Yields every place of the command line at which a word can follow."""
    yield words, parser
    for word, subparser in _subparsers(parser).items():
        yield from _nodes(subparser, f"{words} {word}".strip())


def _subparsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    return {
        word: subparser
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for word, subparser in action.choices.items()
    }


def _followers(parser: argparse.ArgumentParser) -> dict[str, str]:
    """Returns the words and options that can follow, with their help texts."""
    texts: dict[str, str] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            texts |= {listed.dest: listed.help or "" for listed in action._choices_actions}
        elif not action.option_strings:
            texts |= {str(choice): action.help or "" for choice in action.choices or ()}
        else:
            texts |= {
                option: action.help or ""
                for option in action.option_strings
                if option.startswith("--")
            }
    return texts


def _choices(parser: argparse.ArgumentParser) -> dict[str, list[str]]:
    """Returns the values of each option that accepts only some."""
    return {
        option: [str(choice) for choice in action.choices]
        for action in parser._actions
        if action.choices is not None and action.option_strings
        for option in action.option_strings
    }


BASH = """\
# Completion of kraftsim for bash; made by: kraftsim completion bash
_kraftsim() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local place="" word words=""
  [[ $current == = ]] && current=""
  [[ $previous == = ]] && previous=${{COMP_WORDS[COMP_CWORD-2]}}
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "${{place:+$place }}$word" in
      {places}) place="${{place:+$place }}$word" ;;
    esac
  done
  case "$place" in
{words}
  esac
  case "$place $previous" in
{values}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _kraftsim kraftsim
"""


def bash_script(parser: argparse.ArgumentParser) -> str:
    """Returns the script for bash."""
    nodes = list(_nodes(parser))
    return BASH.format(
        places="|".join(f'"{words}"' for words, _ in nodes if words),
        words="\n".join(
            f'    "{words}") words="{" ".join(_followers(node))}" ;;' for words, node in nodes
        ),
        values="\n".join(
            f'    "{words} {option}") words="{" ".join(choices)}" ;;'
            for words, node in nodes
            for option, choices in _choices(node).items()
        ),
    )


ZSH = """\
#compdef kraftsim
# Completion of kraftsim for zsh; made by: kraftsim completion zsh
_kraftsim() {{
  local place="" word previous=${{words[CURRENT-1]}}
  local -a verbs options
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    case "${{place:+$place }}$word" in
      ({places}) place="${{place:+$place }}$word" ;;
    esac
  done
  if [[ ${{words[CURRENT]}} == --*=* ]]; then
    previous=${{words[CURRENT]%%=*}}
    compset -P 1 '*='
  fi
  case "$place $previous" in
{values}
  esac
  case "$place" in
{words}
  esac
  if [[ ${{words[CURRENT]}} == -* ]]; then
    _describe -o option options
  elif (( $#verbs )); then
    _describe word verbs
  else
    _files
  fi
}}
(( $+functions[compdef] )) || {{ autoload -U compinit && compinit }}
compdef _kraftsim kraftsim
"""


def zsh_script(parser: argparse.ArgumentParser) -> str:
    """Returns the script for zsh."""
    nodes = list(_nodes(parser))
    return ZSH.format(
        places="|".join(f'"{words}"' for words, _ in nodes if words),
        words="\n".join(_zsh_words(words, _followers(node)) for words, node in nodes),
        values="\n".join(
            f'    ("{words} {option}") compadd -- {" ".join(choices)}; return ;;'
            for words, node in nodes
            for option, choices in _choices(node).items()
        ),
    )


def _zsh_words(words: str, texts: Mapping[str, str]) -> str:
    """Returns a case of the script: what can follow the words, as `word:help text`."""
    options = [_zsh_quoted(word, text) for word, text in texts.items() if word.startswith("-")]
    verbs = [_zsh_quoted(word, text) for word, text in texts.items() if not word.startswith("-")]
    return f'    ("{words}") verbs=({" ".join(verbs)}) options=({" ".join(options)}) ;;'


def _zsh_quoted(word: str, text: str) -> str:
    quoted = text.replace("'", "'\\''")
    return f"'{word}:{quoted}'"


FISH = """\
# Completion of kraftsim for fish; made by: kraftsim completion fish
function __kraftsim_at
    set -l place ""
    for word in (commandline -opc)[2..]
        set -l next (string trim -- "$place $word")
        if contains -- $next {places}
            set place $next
        end
    end
    test "$place" = "$argv[1]"
end
"""


def fish_script(parser: argparse.ArgumentParser) -> str:
    """Returns the script for fish."""
    nodes = list(_nodes(parser))
    lines = [FISH.format(places=" ".join(f"'{words}'" for words, _ in nodes if words))]
    for words, node in nodes:
        at = f"complete -c kraftsim -n \"__kraftsim_at '{words}'\""
        choices = _choices(node)
        for follower, text in _followers(node).items():
            described = text.replace("\\", "\\\\").replace("'", "\\'")
            if follower.startswith("--"):
                values = f" -x -a '{' '.join(choices[follower])}'" if follower in choices else ""
                lines.append(f"{at} -l {follower[2:]}{values} -d '{described}'\n")
            else:
                lines.append(f"{at} -f -a {follower} -d '{described}'\n")
    return "".join(lines)

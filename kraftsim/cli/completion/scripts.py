"""The completion scripts of bash, zsh and fish, written from the places of the command line."""

from collections.abc import Mapping, Sequence

from .places import Place

BASH = """\
# Completion of kraftsim for bash; made by: kraftsim completion bash
_kraftsim() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local place="" word words="" options=""
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
  [[ $current == -* ]] && words=$options
  case "$place $previous" in
{values}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _kraftsim kraftsim
"""


def bash_script(places: Sequence[Place]) -> str:
    """Returns the script for bash, which offers files where it has no word to offer."""
    return BASH.format(
        places="|".join(f'"{place.words}"' for place in places if place.words),
        words="\n".join(_bash_words(place) for place in places),
        values="\n".join(
            f'    "{place.words} {option}") words="{" ".join(values)}" ;;'
            for place in places
            for option, values in place.values.items()
        ),
    )


def _bash_words(place: Place) -> str:
    """Returns a case of the script: options are offered at once only if no word can follow."""
    options = " ".join(place.options)
    words = " ".join(place.followers) or ("" if place.takes_files else options)
    return f'    "{place.words}") words="{words}" options="{options}" ;;'


ZSH = """\
#compdef kraftsim
# Completion of kraftsim for zsh; made by: kraftsim completion zsh
_kraftsim() {{
  local place="" word previous=${{words[CURRENT-1]}} files=0
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
  if [[ ${{words[CURRENT]}} == -* ]] || (( ! $#verbs && ! files )); then
    _describe -o option options
    return
  fi
  if (( $#verbs )); then
    _describe word verbs
  fi
  if (( files )); then
    _files
  fi
}}
(( $+functions[compdef] )) || {{ autoload -U compinit && compinit }}
compdef _kraftsim kraftsim
"""


def zsh_script(places: Sequence[Place]) -> str:
    """Returns the script for zsh."""
    return ZSH.format(
        places="|".join(f'"{place.words}"' for place in places if place.words),
        words="\n".join(_zsh_words(place) for place in places),
        values="\n".join(
            f'    ("{place.words} {option}") {_zsh_values(values)}; return ;;'
            for place in places
            for option, values in place.values.items()
        ),
    )


def _zsh_values(values: Sequence[str]) -> str:
    return f"compadd -- {' '.join(values)}" if values else "_files"


def _zsh_words(place: Place) -> str:
    """Returns a case of the script: what can follow the words, as `word:help text`."""
    verbs, options = _zsh_quoted(place.followers), _zsh_quoted(place.options)
    files = int(place.takes_files)
    return f'    ("{place.words}") verbs=({verbs}) options=({options}) files={files} ;;'


def _zsh_quoted(texts: Mapping[str, str]) -> str:
    return " ".join(
        "'{}:{}'".format(word, text.replace("'", "'\\''")) for word, text in texts.items()
    )


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


def fish_script(places: Sequence[Place]) -> str:
    """Returns the script for fish."""
    named = " ".join(f"'{place.words}'" for place in places if place.words)
    return FISH.format(places=named) + "".join(_fish_lines(place) for place in places)


def _fish_lines(place: Place) -> str:
    at = f"complete -c kraftsim -n \"__kraftsim_at '{place.words}'\""
    lines = [] if place.takes_files else [f"{at} -f\n"]
    for follower, text in place.followers.items():
        lines.append(f"{at} -a {follower} -d '{_fish_quoted(text)}'\n")
    for option, text in place.options.items():
        values = _fish_values(place.values[option]) if option in place.values else ""
        lines.append(f"{at} -l {option[2:]}{values} -d '{_fish_quoted(text)}'\n")
    return "".join(lines)


def _fish_values(values: Sequence[str]) -> str:
    """Returns the flags of an option that takes a value: any value, or one of these."""
    return f" -x -a '{' '.join(values)}'" if values else " -r"


def _fish_quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")

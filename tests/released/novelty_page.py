"""Renders docs/novelties.md: what each release brought, with the verdict of each novelty."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from textwrap import wrap

from tests.released.novelty_table import Kind, Novelty, novelties
from tests.released.novelty_verdicts import Judged, Verdict, judge, verdicts
from tests.released.releases import RELEASES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "novelties.md"
WIDTH = 110
LONGEST_SHOWN = 160

INTRODUCTION = """\
# What each release of Kafka brought

Written by `python -m tests.released.novelties` from the jars of Kafka {releases}, and from
`novelties.toml`, which holds the verdicts; do not edit this page.

A novelty is what a release has and the release before lacks: a text in a class of the control plane
or in a class beside it that checks requests and configurations, a configuration key of any class of
Kafka, a message or record, a field of one, or its versions. `{{}}` stands for a value that Kafka
puts into a text. A text is new if some words between its values are in no class of the release
before; a text that only moved to another class is not listed. The comparison begins with {oldest}.
Each novelty has a verdict:

- **Missing**: kraftsim lacks it, and should have it.
- **Rule**: kraftsim does it. The number leads to the rule book; [fidelity.md](fidelity.md) lists
  the tests of each rule.
- **Tests**: kraftsim does it, and no rule states it; the named tests hold it.
- **Difference**: kraftsim does something else, on purpose, as the named row says.
- **Not ours**: only a part of Kafka uses it that kraftsim does not have, or only its log shows it.
"""
_KINDS: Mapping[Kind, str] = {
    Kind.TEXT: "texts",
    Kind.KEY: "configuration keys",
    Kind.MESSAGE: "new messages",
    Kind.VERSIONS: "versions of messages",
    Kind.FIELD: "new fields",
}
_ANSWERS: Mapping[str, Callable[[Verdict], bool]] = {
    "Missing": lambda verdict: bool(verdict.missing),
    "Rules": lambda verdict: bool(verdict.rules),
    "Tests": lambda verdict: bool(verdict.tests),
    "Differences": lambda verdict: bool(verdict.difference),
    "Not ours": lambda verdict: bool(verdict.absent),
}
_Rows = list[tuple[Verdict, list[Novelty]]]


def render() -> str:
    """Returns the page of the table and of the verdicts in the tree."""
    return page(judge(novelties(), verdicts()))


def page(judged: Judged) -> str:
    releases = sorted(RELEASES)
    names = f"{', '.join(releases[:-1])} and {releases[-1]}"
    lines = INTRODUCTION.format(releases=names, oldest=releases[0]).splitlines()
    lines += ["", *_counts(judged, releases[:0:-1])]
    for release in releases[:0:-1]:
        lines += ["", f"## Kafka {release}"]
        unread = [novelty for novelty in judged.unread if novelty.release == release]
        if unread:
            lines += ["", "### Unread", "", *_list(unread)]
        for title, holds in _ANSWERS.items():
            lines += _part(title, _rows(judged, release, holds))
    return "\n".join(lines) + "\n"


def _rows(judged: Judged, release: str, holds: Callable[[Verdict], bool]) -> _Rows:
    """Returns the verdicts of a kind, with the novelties of a release that they are about."""
    rows: _Rows = []
    for verdict, found in judged.rows.items():
        of_release = [novelty for novelty in found if novelty.release == release]
        if of_release and holds(verdict):
            rows.append((verdict, of_release))
    return rows


def _counts(judged: Judged, releases: Iterable[str]) -> Iterator[str]:
    yield f"| release | {' | '.join(_KINDS.values())} | {' | '.join(_ANSWERS).lower()} |"
    yield "|---" * (1 + len(_KINDS) + len(_ANSWERS)) + "|"
    for release in releases:
        by_answer = [
            sum(len(found) for _, found in _rows(judged, release, holds))
            for holds in _ANSWERS.values()
        ]
        kinds = Counter(
            novelty.kind
            for found in (*judged.rows.values(), judged.unread)
            for novelty in found
            if novelty.release == release
        )
        figures = [*(kinds[kind] for kind in _KINDS), *by_answer]
        yield f"| {release} | {' | '.join(map(str, figures))} |"


def _part(title: str, rows: _Rows) -> list[str]:
    if not rows:
        return []
    lines = ["", f"### {title}", ""]
    for verdict, found in rows:
        lines += [*_wrapped(_heading(verdict)), "", *_list(found), ""]
    return lines[:-1]


def _heading(verdict: Verdict) -> str:
    if verdict.rules:
        links = ", ".join(f"[{rule}](rules.md#{_anchor(rule)})" for rule in verdict.rules)
        head = f"**Rule {links}**"
    elif verdict.tests:
        head = f"**{', '.join(f'`{test}`' for test in verdict.tests)}**"
    elif verdict.difference:
        head = f"**[{verdict.difference}](fidelity.md#{verdict.difference})**"
    else:
        head = f"**{verdict.missing or verdict.absent}**"
    return f"{head}. {verdict.why}" if verdict.why else head


def _anchor(rule: str) -> str:
    return rule.replace(".", "").lower()


def _list(found: Iterable[Novelty]) -> Iterator[str]:
    """Yields a list item for each class, or for each set of classes that hold the same texts."""
    by_classes: dict[tuple[str, ...], list[Novelty]] = {}
    for novelty in found:
        by_classes.setdefault(novelty.classes, []).append(novelty)
    for classes, held in by_classes.items():
        yield f"- {', '.join(classes)}"
        yield from (f"  - `{_shown(novelty.text)}`" for novelty in held)


def _shown(text: str) -> str:
    text = text.replace("`", "'")
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN].rstrip('…')}…"


def _wrapped(text: str) -> list[str]:
    return wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)

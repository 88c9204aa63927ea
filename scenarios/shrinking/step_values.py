"""Plans whose steps have fewer words and nodes, and shorter, rounder times."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from ..document.scenario import Scenario
from ..document.step import Step
from ..language.amounts import Amount
from ..language.positions import changed, found
from ..language.reading import Problem
from .search import Failure, Reduction

MILLISECOND_US, SECOND_US = 1_000, 1_000_000
ONCE = {"trigger": "at", "until": None, "times": None}
PERIOD = "every"
SPARING = ("replicated",)  # without such a word a fault may break what the properties presume
Words = Mapping[str, Any]


def bare_steps(plan: Scenario, failure: Failure) -> Reduction:
    """Leaves out what steps say, their ids, and that they are optional."""
    yield replace(plan, do=tuple(replace(s, say="", id="", optional=False) for s in plan.do))
    yield replace(plan, do=tuple(replace(s, say="", optional=False) for s in plan.do))


def simpler_steps(plan: Scenario, failure: Failure) -> Reduction:
    """Simplifies one step after the other: done once, with fewer words and nodes."""
    yield from _each(plan, lambda step: (*_done_once(step), *_with_fewer_words(step)))


def shorter_times(plan: Scenario, failure: Failure) -> Reduction:
    """Shortens the times of one step after the other."""
    yield from _each(plan, _shortened)


def _each(
    plan: Scenario, simpler: Callable[[Step], Iterator[Step] | tuple[Step, ...]]
) -> Reduction:
    """Replaces each step by the first simpler step that keeps the failure, until none does."""
    steps = list(plan.do)
    for number in range(len(steps)):
        is_simpler = True
        while is_simpler:
            is_simpler = False
            for step in simpler(steps[number]):
                others = (*steps[:number], step, *steps[number + 1 :])
                if (yield replace(plan, do=others)):
                    steps[number], is_simpler = step, True
                    break


def _done_once(step: Step) -> Iterator[Step]:
    if step.trigger == "every":
        yield replace(step, **ONCE)  # type: ignore[arg-type]  # the values of the fields' types


def _with_fewer_words(step: Step) -> Iterator[Step]:
    """Yields the step without one word of its verb, or without one member of a list of nodes."""
    document: Any = step.to_document()
    words: Words = document[step.word] or {}
    for smaller in _smaller(words):
        try:
            yield Step.from_document(document | {step.word: smaller}, ())
        except Problem:  # the word is required, or another word needs it
            continue


def _smaller(words: Words) -> Iterator[Words]:
    for key, value in words.items():
        if key in SPARING:
            continue
        yield {kept: words[kept] for kept in words if kept != key}
        if isinstance(value, list):
            for place in range(len(value)):
                left = value[:place] + value[place + 1 :]
                yield {**words, key: left if left else value[0]}


def _shortened(step: Step) -> Iterator[Step]:
    """Yields the step with one of its times in whole seconds, or halved.

    A shorter period would make the step do more.
    """
    for number, (path, amount) in enumerate(found(Amount, step)):
        for shorter in () if path[-1] == PERIOD else _shorter(amount):
            numbers = count()
            try:
                yield changed(
                    Amount,
                    step,
                    lambda amount: shorter if next(numbers) == number else amount,  # noqa: B023  # called at once
                )
            except Problem:  # below the least value of the word, or above another
                continue


def _shorter(amount: Amount) -> Iterator[Amount]:
    us = amount.fixed_us or 0
    for unit in (SECOND_US, MILLISECOND_US):
        for wanted in (int(us / 2), us):
            rounded = int(wanted / unit) * unit
            if rounded and abs(rounded) < abs(us):
                yield Amount(fixed_us=rounded)

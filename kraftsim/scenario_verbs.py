"""`kraftsim scenario ...`: run, list, show, lint and begin scenario files.

Exit codes: 0 good, 1 failed, 2 usage or a broken file, 3 vacuous, 130 interrupted.
"""

import argparse
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import FAILED, GOOD, VACUOUS, CommandError
from .explore_verb import add_explore
from .mutant_verbs import add_mutants

if TYPE_CHECKING:
    from kraftsim.scenarios.run import Result

    from .scenario_files import ScenarioFile

# These two prove that a run can end otherwise: each is as it should be when it does.
CANARIES = {"campaign-canary": "fail", "vacuous-fault": "vacuous"}


def add_scenario_verbs(
    verbs: "argparse._SubParsersAction[argparse.ArgumentParser]",
    parser_class: type[argparse.ArgumentParser],
) -> argparse.ArgumentParser:
    parent = verbs.add_parser("scenario", help="chaos in virtual time: run, list, show, lint, new")
    words = parent.add_subparsers(metavar="VERB", parser_class=parser_class)
    _add_run(words)
    _add_list(words)
    show = words.add_parser("show", help="the plan that a seed gives, without running it")
    show.add_argument("scenario", metavar="FILE|NAME")
    show.add_argument("--seed", type=int, metavar="N", help="the first pin, unless given")
    show.set_defaults(run=_show)
    why = verbs.add_parser("explain", help="what led to a fence, an unfence or an election")
    why.add_argument("scenario", metavar="FILE|NAME")
    why.add_argument("--seed", type=int, metavar="N", help="the first pin, unless given")
    why.add_argument("--event", type=int, metavar="SEQ", help="by its number; listed unless given")
    why.set_defaults(run=_explain)
    lint = words.add_parser("lint", help="check files without running them")
    lint.add_argument("scenarios", nargs="+", metavar="FILE|NAME")
    lint.set_defaults(run=_lint)
    _add_shrink(words)
    add_explore(words)
    add_mutants(words)
    new = words.add_parser("new", help="a commented file to begin with")
    new.add_argument("name", metavar="NAME")
    new.set_defaults(run=_new)
    return parent


def _add_run(words: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    one = words.add_parser("run", help="run scenarios and judge them")
    one.add_argument("scenarios", nargs="*", metavar="FILE|NAME")
    one.add_argument("--all", action="store_true", help="the whole library")
    one.add_argument("--tag", action="append", default=[], metavar="T", help="those with a tag")
    one.add_argument("--seed", type=int, metavar="N", help="the first pin, unless given")
    one.add_argument("--seeds", type=_seeds, metavar="A..B", help="from A on, before B")
    one.add_argument("--until-failure", action="store_true", help="end with the first that fails")
    one.add_argument("--time-limit", type=float, metavar="S", help="begin none after so long")
    one.add_argument("--junit", type=Path, metavar="F", help="write the verdicts as JUnit XML")
    one.add_argument("--smoke", action="store_true", help="in small, as the files' smoke: says")
    one.add_argument("--json", action="store_true", help="print one JSON object a run")
    one.set_defaults(run=_run)


def _add_list(words: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    one = words.add_parser("list", help="the library")
    one.add_argument("--tag", action="append", default=[], metavar="T", help="those with a tag")
    one.add_argument("--json", action="store_true", help="print JSON")
    one.set_defaults(run=_list)


def _add_shrink(words: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    one = words.add_parser("shrink", help="from a failing run to a smaller file that fails alike")
    one.add_argument("scenario", metavar="FILE|NAME")
    one.add_argument("--seed", type=int, metavar="N", help="the first pin, unless given")
    one.add_argument("--out", type=Path, metavar="F", help="where to write it; NAME-small.yaml")
    one.add_argument("--time-limit", type=float, default=60.0, metavar="S", help="60 unless given")
    one.set_defaults(run=_shrink)


def _seeds(text: str) -> range:
    first, dots, last = text.partition("..")
    if not dots or not first.isdecimal() or not last.isdecimal() or int(first) >= int(last):
        raise argparse.ArgumentTypeError(f"expected A..B with A before B, got {text!r}")
    return range(int(first), int(last))


# run


def _run(given: argparse.Namespace) -> int:
    from .pins import drifts
    from .story import story, verdict

    files = list(_chosen(given))
    _expect_sound(files)
    results = []
    for file, result in _results(given, files):
        results.append(result)
        drifted = [] if given.smoke else list(drifts(file, result))
        if given.json:
            _print_json(result, drifted)
        elif len(files) == 1 and given.seeds is None:
            print(*story(file.scenario, result, is_small=given.smoke), sep="\n")
        else:
            print(*verdict(result, is_small=given.smoke), sep="\n")
        if not given.json:
            print(*(f"  drifted: {one}\n" for one in drifted), sep="", end="")
        if given.until_failure and not _is_as_expected(result, given):
            break
    if not results:
        raise CommandError("nothing was run: expected scenarios with that tag, and time for one")
    if given.junit is not None:
        _write_junit(given.junit, results)
    return _exit_code(results, given)


def _chosen(given: argparse.Namespace) -> "Iterator[ScenarioFile]":
    from .scenario_files import find, library, read_file

    names = [*given.scenarios, *(library() if given.all or given.tag else ())]
    if not names:
        raise CommandError(
            "expected a file, a name, --tag or --all; `kraftsim scenario list` helps"
        )
    for name in dict.fromkeys(names):
        file = read_file(find(name))
        is_named = name in given.scenarios or given.all
        if is_named or set(given.tag) & set(file.scenario.tags):
            yield _in_small(file) if given.smoke else file


def _expect_sound(files: "list[ScenarioFile]") -> None:
    """What lint would say is said before anything runs."""
    from kraftsim.scenarios.lint import complaints

    for file in files:
        for complaint in complaints(file.scenario):
            raise CommandError(f"{file.path}: {complaint}")


def _in_small(file: "ScenarioFile") -> "ScenarioFile":
    from kraftsim.scenarios.reading import Problem
    from kraftsim.scenarios.smoke import in_small

    try:
        return replace(file, scenario=in_small(file.scenario))
    except Problem as problem:
        raise CommandError(f"{file.path}: {problem.place}: {problem.what}") from None


def _results(
    given: argparse.Namespace, files: "Iterable[ScenarioFile]"
) -> "Iterator[tuple[ScenarioFile, Result]]":
    from kraftsim.scenarios.run import LimitError, run

    ends = None if given.time_limit is None else time.monotonic() + given.time_limit
    for file in files:
        for seed in _seeds_of(given, file):
            if ends is not None and time.monotonic() >= ends:
                print(f"the time limit of {given.time_limit:g} s is over", file=sys.stderr)
                return
            try:
                yield file, run(file.scenario, seed)
            except (LimitError, ValueError) as error:
                raise CommandError(f"{file.path}: seed {seed}: {error}") from None


def _seeds_of(given: argparse.Namespace, file: "ScenarioFile") -> range:
    if given.seeds is not None:
        seeds: range = given.seeds
        return seeds
    pins = file.scenario.pins
    seed = given.seed if given.seed is not None else pins[0].seed if pins else 1
    return range(seed, seed + 1)


def _is_as_expected(result: "Result", given: argparse.Namespace) -> bool:
    """A canary is as it should be when it does what it is there for, and nobody asked for it."""
    return result.verdict == (CANARIES.get(result.scenario, "pass") if given.all else "pass")


def _exit_code(results: "list[Result]", given: argparse.Namespace) -> int:
    verdicts = {one.verdict for one in results if not _is_as_expected(one, given)}
    if not verdicts:
        return GOOD if all(one.verdict == "pass" or given.all for one in results) else FAILED
    return FAILED if verdicts != {"vacuous"} else VACUOUS


def _print_json(result: "Result", drifted: list[str]) -> None:
    import json

    document = {
        "scenario": result.scenario,
        "seed": result.seed,
        "verdict": result.verdict,
        "digest": result.digest,
        "violations": [
            {"number": one.number, "property": one.name, "what": one.what, "t_us": one.t_us}
            | {"seq": one.seq}
            for one in result.violations
        ],
        "vacuous": list(result.vacuous),
        "drifted": drifted,
        "effects": dict(result.effects),
        "exercised": dict(result.exercised),
        "events": result.events,
        "virtual_us": result.virtual_us,
    }
    print(json.dumps(document), flush=True)


def _write_junit(path: Path, results: "list[Result]") -> None:
    from xml.etree.ElementTree import Element, ElementTree, SubElement

    failures = sum(one.verdict == "fail" for one in results)
    suite = Element("testsuite", name="kraftsim", tests=str(len(results)), failures=str(failures))
    for one in results:
        case = SubElement(suite, "testcase", classname=one.scenario, name=f"seed {one.seed}")
        if one.verdict == "fail":
            why = "; ".join(f"{broken.name}: {broken.what}" for broken in one.violations)
            SubElement(case, "failure", message=why)
        elif one.verdict == "vacuous":
            SubElement(case, "skipped", message="; ".join(one.vacuous))
    ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


# list, show, lint, new


def _list(given: argparse.Namespace) -> int:
    import json

    from .scenario_files import library, read_file

    scenarios = [read_file(path).scenario for path in library().values()]
    wanted = [one for one in scenarios if not given.tag or set(given.tag) & set(one.tags)]
    if given.json:
        rows = [{"name": one.name, "title": one.title, "tags": list(one.tags)} for one in wanted]
        print(json.dumps(rows))
        return GOOD
    width = max((len(one.name) for one in wanted), default=0)
    for one in wanted:
        print(f"{one.name:<{width}}  {one.title}")
    return GOOD


def _show(given: argparse.Namespace) -> int:
    from .pins import pinned_plan
    from .scenario_files import find, read_file, written

    file = read_file(find(given.scenario))
    given.seeds = None
    print(written(pinned_plan(file.scenario, _seeds_of(given, file)[0])), end="")
    return GOOD


def _explain(given: argparse.Namespace) -> int:
    from kraftsim.scenarios.explain import explain

    from .scenario_files import find, read_file

    file = read_file(find(given.scenario))
    given.seeds = None
    rows, chains = explain(file.scenario, _seeds_of(given, file)[0])
    if given.event is None:
        for row in rows:
            who = row.detail.get("leader_id", row.broker_id)
            print(f"{row.seq:6}  {row.t_us / 1e6:9.3f} s  {row.kind.replace('_', ' ')}: {who}")
        return GOOD
    if given.event not in chains:
        known = ", ".join(str(one) for one in list(chains)[:20])
        raise CommandError(f"event {given.event} cannot be explained: expected one of {known}")
    print(*chains[given.event], sep="\n")
    return GOOD


def _lint(given: argparse.Namespace) -> int:
    from kraftsim.scenarios.lint import complaints

    from .scenario_files import find, read_file

    found = 0
    for name in given.scenarios:
        path = find(name)
        try:
            scenario = read_file(path).scenario
        except CommandError as error:
            print(error)
            found += 1
            continue
        for complaint in complaints(scenario):
            print(f"{path}: {complaint}")
            found += 1
    return FAILED if found else GOOD


def _shrink(given: argparse.Namespace) -> int:
    from kraftsim.scenarios.run import run
    from kraftsim.scenarios.shrink import shrink, signature

    from .pins import pinned_plan
    from .scenario_files import find, read_file, written

    file = read_file(find(given.scenario))
    given.seeds = None
    seed = _seeds_of(given, file)[0]
    ends = time.monotonic() + given.time_limit
    shrunk = shrink(file.scenario, seed, may_go_on=lambda: time.monotonic() < ends)
    path = given.out or Path(f"{file.scenario.name}-small.yaml")
    path.write_text(written(pinned_plan(shrunk.scenario, seed, shrunk.result.digest)), "utf-8")
    _expect_same(run(read_file(path).scenario, seed), shrunk.result)
    cluster = shrunk.scenario.cluster
    print(
        f"{path}: {len(shrunk.scenario.do)} steps, {cluster.controllers} controllers, "
        f"{cluster.brokers} brokers, {shrunk.result.events} events; {shrunk.tried} runs"
    )
    print(f"fails with {signature(shrunk.result)}: kraftsim scenario run {path} --seed {seed}")
    return GOOD


def _expect_same(again: "Result", result: "Result") -> None:
    """The file is proven by running what was read from it."""
    assert again.digest == result.digest, (again.digest, result.digest)
    assert again.violations == result.violations, (again.violations, result.violations)


def _new(given: argparse.Namespace) -> int:
    from .scenario_start import START

    path = Path(f"{given.name}.yaml")
    if path.exists():
        raise CommandError(f"{path} exists")
    path.write_text(START.replace("NAME", given.name), "utf-8")
    print(f"{path}: edit it, then: kraftsim scenario run {path}")
    return GOOD

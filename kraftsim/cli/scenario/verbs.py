"""`kraftsim scenario ...`: runs, lists, shows, checks, shrinks and creates scenario files.

Exit codes: 0 success, 1 failure, 2 usage or an invalid file, 3 vacuous, 130 interrupted.
"""

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from kraftsim.controller.core.errors import Impossible

from ...errors import FAILED, GOOD, CommandError, UsageError
from ...printable import printable
from .. import help_texts
from ..output import add_output, is_data, print_data
from ..progress import Progress
from ..terminal import GAP, print_wrapped, width
from .explore import add_explore
from .hunt import add_hunt
from .mutants import add_mutants
from .runs import add_allow_code, add_cell, add_run, seed_of
from .shrink_progress import add_tries, new_path, shrinking, write_new

if TYPE_CHECKING:
    from kraftsim.scenarios.document.scenario import Scenario
    from kraftsim.scenarios.running.run import Result

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,99}")


def add_scenario_verbs(parent: argparse.ArgumentParser) -> None:
    """Adds the verbs of `scenario` to its parser."""
    subverbs = parent.add_subparsers(metavar="VERB")
    add_run(subverbs)
    _add_list(subverbs)
    show = subverbs.add_parser(
        "show", help="print a scenario with the values and nodes that a seed selects"
    )
    show.add_argument("scenario", metavar="FILE|NAME", help=help_texts.SCENARIO)
    show.add_argument("--seed", type=int, metavar="N", help=help_texts.SEED)
    add_cell(show)
    add_output(show)
    show.set_defaults(run=_show)
    lint = subverbs.add_parser("lint", help="check scenario files without running them")
    lint.add_argument("scenarios", nargs="+", metavar="FILE|NAME", help=help_texts.SCENARIO)
    add_output(lint)
    lint.set_defaults(run=_lint)
    _add_shrink(subverbs)
    add_explore(subverbs)
    add_hunt(subverbs)
    add_mutants(subverbs)
    schema = subverbs.add_parser(
        "schema", help="print the JSON Schema of scenario files, for editors"
    )
    add_output(schema)
    schema.set_defaults(run=_schema)
    new = subverbs.add_parser("new", help="write a commented scenario file into the current folder")
    new.add_argument(
        "name", metavar="NAME", help="name of the scenario: small letters, digits and hyphens"
    )
    add_output(new)
    new.set_defaults(run=_new)


def _add_list(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = verbs.add_parser("list", help="list the scenarios of the library")
    parser.add_argument("--tag", action="append", default=[], metavar="T", help=help_texts.TAG)
    add_output(parser)
    parser.set_defaults(run=_list)


def _add_shrink(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = verbs.add_parser(
        "shrink", help="reduce a failing scenario to the smallest that breaks the same property"
    )
    parser.add_argument("scenario", metavar="FILE|NAME", help=help_texts.SCENARIO)
    parser.add_argument("--seed", type=int, metavar="N", help=help_texts.SEED)
    parser.add_argument(
        "--out",
        type=Path,
        metavar="F",
        help="new file to write (default: the name of FILE or NAME with -small, numbered if taken)",
    )
    add_tries(parser)
    add_cell(parser)
    parser.add_argument(
        "--mutant",
        metavar="NAME",
        help="shrink to a scenario that fails with this planted bug and passes without it",
    )
    add_allow_code(parser)
    add_output(parser)
    parser.set_defaults(run=_shrink)


# list, show, lint, new


def _list(arguments: argparse.Namespace) -> int:
    from ...files.scenario_files import expect_known_tags, library, read_file

    expect_known_tags(arguments.tag)
    scenarios = [read_file(path).scenario for path in library().values()]
    listed = [
        scenario
        for scenario in scenarios
        if not arguments.tag or set(arguments.tag) & set(scenario.tags)
    ]
    if is_data(arguments):
        rows = [
            {"name": scenario.name, "title": scenario.title, "tags": list(scenario.tags)}
            for scenario in listed
        ]
        print_data(arguments, rows)
        return GOOD
    _print_titles(listed, is_wide=arguments.output == "wide")
    return GOOD


def _print_titles(listed: "list[Scenario]", *, is_wide: bool) -> None:
    """Prints names and titles in two columns, if these take at most half of a terminal."""
    names = max((len(scenario.name) for scenario in listed), default=0)
    columns = width()
    if not is_wide and columns is not None and 2 * names > columns:
        names = 0
    indent = names + len(GAP) if names else 2 * len(GAP)
    for scenario in listed:
        line = f"{scenario.name:<{names}}{GAP}{scenario.title}"
        print_wrapped(line, indent=indent, is_wide=is_wide)


def _show(arguments: argparse.Namespace) -> int:
    from kraftsim.scenarios.running.run import bound_by

    from ...files.pins import pinned_plan
    from ...files.scenario_files import find, read_sound, written

    file = read_sound(find(arguments.scenario), arguments.cell)
    seed = seed_of(arguments, file)
    text = written(pinned_plan(file.scenario, seed, bound_by(file.scenario, seed)))
    if is_data(arguments):
        import yaml

        print_data(arguments, yaml.safe_load(text))
    else:
        print(text, end="")
    return GOOD


def _lint(arguments: argparse.Namespace) -> int:
    from ...files.own_files import expect_defined
    from ...files.pins import expect_plans
    from ...files.scenario_files import complaints_of, find, read_files

    problems: list[str] = []
    progress = Progress(is_enabled=not is_data(arguments))
    for number, name in enumerate(arguments.scenarios):
        progress.write(f"lint: {number:,} of {len(arguments.scenarios):,} files, {name} is next")
        path = find(name)
        try:
            files = read_files(path)
            for file in files:
                expect_defined(file)
                expect_plans(file)
            found = [
                *dict.fromkeys(str(problem) for file in files for problem in complaints_of(file))
            ]
        except CommandError as error:
            found = [str(error)]
        problems += found
        if found:
            progress.clear()
        if not is_data(arguments):
            print(*(printable(f"{text}\n", keeps="\n") for text in found), sep="", end="")
    progress.clear()
    if is_data(arguments):
        print_data(arguments, {"problems": problems})
    return FAILED if problems else GOOD


def _shrink(arguments: argparse.Namespace) -> int:
    from kraftsim.scenarios.running.run import run
    from kraftsim.scenarios.shrinking.shrink import shrink

    from ...files.mutant_files import size
    from ...files.own_files import load
    from ...files.pins import pinned_plan
    from ...files.scenario_files import find, read_file, read_sound, written
    from .mutants import shrink_with

    file = read_sound(find(arguments.scenario), arguments.cell)
    load(file, is_allowed=arguments.allow_code)
    if arguments.mutant is not None:
        return shrink_with(arguments, file)
    seed = seed_of(arguments, file)
    path = new_path(arguments.out, f"{find(arguments.scenario).stem}-small")
    with shrinking(arguments, file.scenario.name) as tries:
        small = shrink(file.scenario, seed, tries)
    result = run(small.plan, seed)
    write_new(path, written(pinned_plan(small.plan, seed, result.bound, result.digest)))
    _expect_same(run(read_file(path).scenario, seed), result)
    breaks = small.failure.violation.name
    if is_data(arguments):
        print_data(arguments, {"path": str(path), "seed": seed, "breaks": breaks} | small.counts)
        return GOOD
    print(f"{path}: {size(small.plan)}; {small.extent}")
    allow = " --allow-code" if arguments.allow_code else ""
    print(f"breaks {breaks}: kraftsim scenario run {path} --seed {seed}{allow}")
    print(f"why: kraftsim explain {path} --seed {seed}{allow}")
    return GOOD


def _expect_same(again: "Result", result: "Result") -> None:
    """Raises Impossible unless `again`, the run of the written file, has the same result."""
    if again.digest != result.digest or again.violations != result.violations:
        before = f"{result.digest} with {result.violations}"
        raise Impossible(f"expected {before} again, got {again.digest} with {again.violations}")


def _schema(arguments: argparse.Namespace) -> int:
    import json

    from kraftsim.scenarios.document.scenario import SCHEMA, Scenario
    from kraftsim.scenarios.language.schema import published

    schema = published(Scenario, SCHEMA)
    if is_data(arguments):
        print_data(arguments, schema)
    else:
        print(json.dumps(schema, indent=1))
    return GOOD


def _new(arguments: argparse.Namespace) -> int:
    from .template import START

    if not NAME.fullmatch(arguments.name):
        expected = "expected a name of small letters, digits and hyphens"
        raise UsageError(f"NAME: {expected}, got {arguments.name!r}")
    path = Path(f"{arguments.name}.yaml")
    if path.exists():
        raise CommandError(f"{path} exists already: choose another name, or remove the file")
    path.write_text(START.replace("NAME", arguments.name), "utf-8")
    if is_data(arguments):
        print_data(arguments, {"path": str(path)})
    else:
        print(f"{path}: edit it, then: kraftsim scenario run {path}")
    return GOOD

"""The file of `scenario run --junit`."""

from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UsageError

if TYPE_CHECKING:
    from kraftsim.scenarios.running.run import Result


def expect_writable(junit: Path | None) -> None:
    """Empties the JUnit file, so that an interrupted run leaves no verdicts of an earlier run.

    Raises UsageError if the file cannot be written.
    """
    try:
        if junit is not None:
            write_junit(junit, [])
    except OSError as error:
        raise UsageError(f"--junit {junit}: cannot be written: {error.strerror}") from None


def write_junit(path: Path, results: "list[Result]") -> None:
    from xml.etree.ElementTree import Element, ElementTree, SubElement

    failures = sum(result.verdict == "fail" for result in results)
    suite = Element("testsuite", name="kraftsim", tests=str(len(results)), failures=str(failures))
    for result in results:
        name = " ".join([*result.cell, f"seed {result.seed}"])
        case = SubElement(suite, "testcase", classname=result.scenario, name=name)
        if result.verdict == "fail":
            message = "; ".join(f"{broken.name}: {broken.what}" for broken in result.violations)
            SubElement(case, "failure", message=message)
        elif result.verdict == "vacuous":
            SubElement(case, "skipped", message="; ".join(result.vacuous))
    ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)

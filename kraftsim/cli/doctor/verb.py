"""`kraftsim doctor [ADDRESS]`: one line a check, and the exit code of the worst."""

import argparse
import os
from collections.abc import Iterator
from dataclasses import asdict

from ...errors import FAILED, GOOD
from ...http.client import service_url
from ...printable import printable
from .. import help_texts
from ..output import add_output, is_data, print_data
from ..terminal import coloured
from .finding import Finding, worst


def add_doctor(doctor: argparse.ArgumentParser) -> None:
    """Adds the arguments of `doctor` to its parser."""
    doctor.add_argument("address", nargs="?", metavar="ADDRESS", help=help_texts.URL)
    add_output(doctor)
    doctor.set_defaults(run=run_doctor)


def run_doctor(arguments: argparse.Namespace) -> int:
    """Runs all checks and prints their findings; returns FAILED if a check failed."""
    url, findings = service_url(_with_scheme(arguments.address)), []
    is_expected = bool(arguments.address or os.environ.get("KRAFTSIM_HTTP"))
    for finding in _findings(url, is_expected=is_expected):
        findings.append(finding)
        if not is_data(arguments):
            print(_line(finding), flush=True)
    status = worst(findings)
    if is_data(arguments):
        print_data(arguments, {"status": status, "checks": [asdict(found) for found in findings]})
    return FAILED if status == "fail" else GOOD


def _with_scheme(address: str | None) -> str | None:
    return f"http://{address}" if address and "://" not in address else address


def _findings(url: str, *, is_expected: bool) -> Iterator[Finding]:
    from .cluster import check_cluster
    from .machine import check_machine_code, check_ports, check_python, check_spark

    yield check_python()
    yield check_machine_code()
    yield check_spark()
    about_cluster = list(check_cluster(url, is_expected=is_expected))
    if about_cluster[0].status != "ok":  # a service that runs has taken its ports
        yield from check_ports()
    yield from about_cluster


def _line(finding: Finding) -> str:
    status = coloured(f"{finding.status:<5}", finding.status)
    remedy = f"; {finding.remedy}" if finding.remedy else ""
    return status + printable(f" {finding.check:<13} {finding.found}{remedy}")

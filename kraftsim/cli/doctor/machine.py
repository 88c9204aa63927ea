"""Checks of this machine: Python, compiled modules, ports, Spark and Java."""

import socket
import sys
from collections.abc import Iterator
from importlib.util import find_spec

from kraftsim.simulation.ports import FIRST_BROKER_PORT, FIRST_CONTROLLER_PORT, HTTP_PORT

from ... import machine_code
from ...errors import PortUnavailable
from ...service.binding import binding
from .finding import Finding, ok, warn

HOST = "127.0.0.1"
BROKERS = 3  # of `kraftsim up` without options
PORTS = {
    **dict.fromkeys(range(FIRST_BROKER_PORT, FIRST_BROKER_PORT + BROKERS), "--kafka-port"),
    FIRST_CONTROLLER_PORT: "--controller-port",
    HTTP_PORT: "--http-port",
}


def check_python() -> Finding:
    """Names the Python that runs kraftsim; pip refuses to install it into an older one."""
    return ok("python", f"Python {sys.version.split()[0]} at {sys.executable}")


def check_machine_code() -> Finding:
    """Finds out whether compiled modules are used."""
    if machine_code.is_used():
        return ok("machine code", "compiled modules are used")
    return ok(
        "machine code",
        "Python modules are used",
        "install a wheel with compiled modules for faster campaigns",
    )


def check_ports() -> Iterator[Finding]:
    """Finds the default ports of `kraftsim up` that cannot be bound."""
    taken = [error for port, option in PORTS.items() if (error := _error_of(option, port))]
    if not taken:
        numbers = ", ".join(map(str, PORTS))
        yield ok("ports", f"the default ports of `kraftsim up` are free: {numbers}")
    for error in taken:
        yield warn(
            "ports",
            f"{error.address} cannot be bound ({error.reason})",
            f"end the process that listens there, or start with `kraftsim up {error.option} 0`",
        )


def _error_of(option: str, port: int) -> PortUnavailable | None:
    try:
        with socket.socket() as listener, binding(option, HOST, port):
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((HOST, port))
    except PortUnavailable as error:
        return error
    return None


def check_spark() -> Finding:
    """Finds out whether campaigns can run on Spark, which few users need."""
    if find_spec("pyspark") is None:
        found = "not installed; only `campaign --engine spark` and `follow` need it"
        return ok("spark", found, "pip install 'kraftsim[spark]'")
    from kraftsim.pipeline.engines.java import JavaMissing, require_java

    try:
        return ok("spark", f"PySpark is installed, with {require_java().version}")
    except JavaMissing as error:
        return warn("spark", "PySpark is installed, but Java is not", str(error))

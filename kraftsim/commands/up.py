"""`kraftsim up`: a cluster as a service, until SIGTERM or Ctrl-C."""

import argparse
import asyncio
import logging
import resource
import signal
import sys
from collections.abc import AsyncIterator, Callable, Container, Coroutine, Iterator, Mapping
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from typing import TYPE_CHECKING

from ..api.cluster import Cluster
from ..errors import FAILED, GOOD, INTERRUPTED, PortUnavailable, UsageError
from ..files.tokens import TOKEN_VARIABLE, token_from
from ..first_of import first_of
from ..releases import profile_of, profiles_of
from ..service.garbage_collection import bound_pauses
from ..service.log_lines import JsonLines, LogLimit

if TYPE_CHECKING:
    from kraftsim.configuration.roles import NodeRoles

log = logging.getLogger("kraftsim")


def run_up(
    arguments: argparse.Namespace,
    shown: Callable[[Cluster, argparse.Namespace], AbstractAsyncContextManager[None]],
) -> int:
    """Runs a cluster until a signal and returns the exit code.

    `shown` shows the running cluster to the user, from its announcement to its end.
    """
    log_to_stderr(arguments.log_format)
    expect_ready_file(arguments.ready_file)
    with naming_options(vars(arguments)):
        kraft, nodes = cluster_of(arguments), _nodes(arguments)
    kraft.opens_lessons = arguments.open_lessons
    acts = _acts(kraft) if arguments.demo else nullcontext()
    running = _announced(kraft, arguments.ready_file, shown(kraft, arguments), acts)
    with nodes(kraft):
        return run_until_signalled(serve(kraft, running))


Nodes = Callable[[Cluster], AbstractContextManager[None]]


def _nodes(arguments: argparse.Namespace) -> Nodes:
    """Returns what gives a cluster the nodes of --node, whose code is looked for now."""
    if not arguments.node:
        return lambda _: nullcontext()
    from functools import partial

    from ..own_nodes.beside import beside, nodes_of

    return partial(beside, nodes=nodes_of(arguments.node, is_allowed=arguments.allow_code))


def cluster_of(arguments: argparse.Namespace) -> Cluster:
    """Returns the cluster that the options of `kraftsim up` describe."""
    from .up_addresses import addresses_of

    settings, node = _settings(arguments)
    addresses = addresses_of(arguments, node)
    return Cluster(
        brokers=arguments.brokers,
        controllers=arguments.controllers,
        cluster_id=arguments.cluster_id,
        profile=arguments.profile,
        profiles=profiles_of(arguments.profiles),
        metadata_version=arguments.metadata_version,
        clock=arguments.clock,
        seed=arguments.seed,
        racks=arguments.rack,
        log_dirs=arguments.log_dirs,
        retention_bytes=arguments.retention_bytes,
        settings=settings,
        host=addresses.host,
        advertised_host=addresses.advertised_host,
        kafka_port=addresses.kafka_port,
        listeners=addresses.listeners,
        advertised_listeners=addresses.advertised_listeners,
        controller_port=addresses.controller_port,
        http_port=arguments.http_port,
        token=token_from(arguments.token_file),
    )


def _settings(arguments: argparse.Namespace) -> tuple[Mapping[str, object], "NodeRoles | None"]:
    """Returns the configurations, and the node whose listeners the cluster gets, if any.

    They have no addresses then, which are those of a node and have no effect on a cluster.
    """
    if arguments.config is None and not arguments.set:
        return {}, None
    from kraftsim.configuration.configuration import configuration_of

    from .configured import pairs_of
    from .up_addresses import ADDRESS_KEYS

    profile = profile_of(arguments.profile)
    pairs = pairs_of(arguments, profile)
    node = configuration_of(profile, pairs).node
    if "listeners" not in pairs:
        return pairs, None
    if node is None:
        log.warning("listeners: no effect without process.roles")
        return pairs, None
    return {key: text for key, text in pairs.items() if key not in ADDRESS_KEYS}, node


@contextmanager
def naming_options(options: Container[str]) -> Iterator[None]:
    """Raises a ValueError again that begins with the name of an argument, with that of the option.

    "http_port: expected ..." is "--http-port: expected ..." on the command line.
    """
    try:
        yield
    except ValueError as error:
        name, colon, rest = str(error).partition(":")
        if not colon or name not in options:
            raise
        raise UsageError(f"{_option(name)}:{rest}") from None


def _option(argument: str) -> str:
    """Returns the option of the command line for an argument of `Cluster`."""
    return f"--{argument.replace('_', '-')}"


def log_to_stderr(line_format: str) -> None:
    """Sends log lines to stderr as "text" or "json", because other programs read stdout."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(LogLimit())
    text = logging.Formatter("%(asctime)s %(name)s %(message)s")
    handler.setFormatter(JsonLines() if line_format == "json" else text)
    logging.basicConfig(level=logging.INFO, handlers=[handler])


def allow_many_sockets() -> None:
    """Raises the soft limit of open files to the hard limit.

    A fleet of 1,000 brokers opens 3,000 sockets.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def run_until_signalled(main: Coroutine[object, object, int]) -> int:
    """Runs the coroutine, and returns its exit code.

    Uses uvloop, if installed, which halves the cost of a heartbeat. Ignores further signals once
    the coroutine has returned: the event loop restores Python's handlers, which end the process
    with another exit code. Raises KeyboardInterrupt if the exit code is INTERRUPTED, so that Ctrl-C
    is answered as in every other verb.
    """
    allow_many_sockets()
    bound_pauses()
    try:
        import uvloop
    except ImportError:
        code = asyncio.run(main)
    else:
        code = uvloop.run(main)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    return code


@asynccontextmanager
async def _acts(kraft: Cluster) -> AsyncIterator[None]:
    """Lets a demonstration act on the cluster until the block ends."""
    from .demo import demonstrate

    acting = asyncio.ensure_future(demonstrate(kraft))
    try:
        yield
    finally:
        acting.cancel()


@asynccontextmanager
async def _announced(
    kraft: Cluster,
    ready_file: str | None,
    shown: AbstractAsyncContextManager[None],
    acts: AbstractAsyncContextManager[None],
) -> AsyncIterator[None]:
    with announced(addresses(kraft), ready_file):
        async with acts, shown:
            yield


async def serve(kraft: Cluster, running: AbstractAsyncContextManager[None]) -> int:
    """Starts the cluster, and runs it in the context `running`; returns the exit code.

    It ends with a signal, or when `kraftsim down` asks for it.
    """
    stopping = stop_signals()
    try:
        if await _is_ready(kraft, stopping):
            stopping.is_running = True
            async with running:
                await first_of(stopping.wait(), kraft.until_down())
    except TimeoutError as error:
        print(f"kraftsim: {error}", file=sys.stderr)
        return FAILED
    except PortUnavailable as error:
        raise as_option(error) from None
    except OSError as error:
        print(f"kraftsim: {error}", file=sys.stderr)
        return FAILED
    finally:
        await kraft.close()
    return stopping.exit_code


def as_option(error: PortUnavailable) -> PortUnavailable:
    """Returns the error with the name of the option on the command line."""
    return PortUnavailable(_option(error.option), error.address, error.reason)


async def _is_ready(kraft: Cluster, stopping: asyncio.Event) -> bool:
    """Starts the cluster; returns False if the signal to stop came first."""
    starting = asyncio.ensure_future(kraft.start())
    stopped = asyncio.ensure_future(stopping.wait())
    await asyncio.wait((starting, stopped), return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    if starting.done():
        starting.result()
        return True
    starting.cancel()
    await asyncio.wait((starting,))
    return False


class StopRequest(asyncio.Event):
    """An event that SIGTERM and Ctrl-C set; `exit_code` is the code with which the service ends.

    Ctrl-C interrupts a service that still starts, and ends one that runs.
    """

    exit_code = GOOD
    is_running = False

    def interrupt(self) -> None:
        """Sets the event for Ctrl-C."""
        if not self.is_running:
            self.exit_code = INTERRUPTED
        self.set()


def stop_signals() -> StopRequest:
    """Returns an event that SIGTERM and Ctrl-C set."""
    stopping = StopRequest()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stopping.set)
    loop.add_signal_handler(signal.SIGINT, stopping.interrupt)
    return stopping


def addresses(kraft: Cluster) -> dict[str, str]:
    """Returns the environment of a client: the addresses of a cluster, its id and its token."""
    token = kraft.http_token if kraft.options.token is None else None  # only one that is random
    return {
        "KRAFTSIM_HTTP": kraft.http_url,
        "KRAFTSIM_BOOTSTRAP_SERVERS": kraft.bootstrap_servers,
        "KRAFTSIM_BOOTSTRAP_CONTROLLERS": kraft.bootstrap_controllers,
        "KRAFTSIM_CLUSTER_ID": kraft.cluster_id,
    } | ({} if token is None else {TOKEN_VARIABLE: token})


def expect_ready_file(path: str | None) -> None:
    """Raises UsageError before the service starts if the ready file cannot be written."""
    if path is not None:
        from ..files.ready_file import expect_writable

        expect_writable(path)


@contextmanager
def announced(lines: Mapping[str, str], ready_file: str | None) -> Iterator[None]:
    """Writes KEY=value lines to stdout and to `ready_file`, which exists until the block ends.

    Raises UsageError if `ready_file` is something other than a regular file.
    """
    text = "".join(f"{key}={value}\n" for key, value in lines.items())
    is_secret = TOKEN_VARIABLE in lines
    with _ready_file(text, ready_file, is_secret=is_secret):
        print(text, end="", flush=True)
        yield


def _ready_file(text: str, path: str | None, *, is_secret: bool) -> AbstractContextManager[None]:
    if path is None:
        return nullcontext()
    from ..files.ready_file import ready_file_with

    return ready_file_with(text, path, is_secret=is_secret)

"""`kraftsim controller run`: a process with one controller, a voter or an observer."""

import argparse
import asyncio
import logging
import random
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from kraftsim.configuration.roles import CONTROLLER
from kraftsim.controller.core.errors import UnknownMetadataVersionError
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.rpc import Request, Response
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.node.config import NodeConfig
from kraftsim.controller.node.hosted import HostedNode, ReplyTo
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Send
from kraftsim.controller.raft.quorum import LostMemoryError
from kraftsim.controller.raft.roles import Resigned, Role
from kraftsim.controller.server import api_versions
from kraftsim.controller.server.kafka_listener import KafkaListener
from kraftsim.controller.server.peer_lines import PeerLines
from kraftsim.controller.server.runtime import Runtime
from kraftsim.controller.time.clock import Clock
from kraftsim.controller.time.timeline import Timeline

from ..chosen_settings import with_settings
from ..errors import FAILED, CommandError
from ..releases import profile_of
from ..service.binding import binding
from ..service.configuration_warnings import ConfigurationWarnings
from ..service.foreign_peers import ForeignPeers
from ..service.snapshot_files import SNAPSHOT_FILES
from ..storage.formatted import Formatted, formatted_of, names_directories
from ..storage.quorum_state import QUORUM_STATE, mark_first_run
from .configured import configured, pairs_of
from .identity import Bound, bound_controller
from .up import announced, expect_ready_file, log_to_stderr, run_until_signalled, stop_signals

HAND_OVER_LIMIT_S = 0.7  # after SIGTERM; the fetch timeout of the voters is the fallback

log = logging.getLogger("kraftsim.controller")


def run_controller(arguments: argparse.Namespace) -> int:
    """Runs the controller until a signal and returns the exit code."""
    log_to_stderr(arguments.log_format)
    expect_ready_file(arguments.ready_file)
    chosen = chosen_controller(arguments)
    formatted = chosen.formatted
    if formatted is not None and formatted.has_run:
        evidence = f"a controller has run with {formatted.path}: {QUORUM_STATE} exists"
        log.error("%s", LostMemoryError(chosen.bound.node.node_id, evidence))
        return FAILED
    return run_until_signalled(_run(chosen, arguments.ready_file))


class ChosenController(NamedTuple):
    """What a process of a controller is started with."""

    bound: Bound
    profile: Profile
    settings: Settings
    formatted: Formatted | None


def chosen_controller(arguments: argparse.Namespace) -> ChosenController:
    """Returns the controller that the arguments describe; raises ValueError if it cannot run."""
    profile = profile_of(arguments.profile)
    pairs = pairs_of(arguments, profile)
    configuration = configured(pairs, profile, CONTROLLER)
    formatted = formatted_of(pairs, profile) if names_directories(pairs) else None
    bound = bound_controller(arguments, configuration, profile, formatted)
    return ChosenController(bound, profile, with_settings(profile, configuration), formatted)


async def _run(chosen: ChosenController, ready_file: str | None) -> int:
    """Binds the listener, marks the formatted directory, and runs the controller until a signal."""
    bound, profile, settings, formatted = chosen
    option, (host, port) = bound.option, bound.address
    stopping = stop_signals()
    listener = KafkaListener("controller", f"controller-{bound.node.node_id}")
    try:
        with binding(option, host, port, takes_zero=False):
            config = bound.node_at(await listener.open(host, port))
        service = ControllerService(config, profile, settings, stopping, listener)
        try:
            if formatted is not None:
                _mark_first_run(formatted.path, config)
            service.start()
            stopping.is_running = True
            with announced(_lines(config), ready_file):
                await stopping.wait()
            await service.hand_over()
        finally:
            service.close()
    except OSError as error:
        raise CommandError(f"{option}: {host}:{port}: {error}") from None
    return FAILED if service.has_failed else stopping.exit_code


def _mark_first_run(directory: Path, config: NodeConfig) -> None:
    voter_ids = [voter.voter_id for voter in config.voters]
    try:
        mark_first_run(directory, config.kraft_version, voter_ids)
    except OSError as error:
        raise CommandError(f"{directory / QUORUM_STATE}: {error.strerror}") from None


def _lines(config: NodeConfig) -> dict[str, str]:
    """Returns what the process prints once it listens."""
    return {
        "KRAFTSIM_BOOTSTRAP_CONTROLLERS": f"{config.host}:{config.port}",
        "KRAFTSIM_NODE_ID": str(config.node_id),
        "KRAFTSIM_CLUSTER_ID": config.cluster_id,
    }


class ControllerService:
    """One controller on real time and real sockets, which its `listener` has bound.

    Its log is in memory only: once the process has ended, no other may take its place
    (`LostMemoryError`).
    """

    def __init__(
        self,
        config: NodeConfig,
        profile: Profile,
        settings: Settings,
        stopping: asyncio.Event,
        listener: KafkaListener,
    ) -> None:
        self._config = config
        self._stopping = stopping
        self._timeline = Timeline(wall_start_ms=time.time_ns() // 1_000_000)
        self._runtime = Runtime(self._timeline)
        self._lines = PeerLines(config.node_id, self._deliver)
        self._node = Node(
            config,
            profile=profile,
            settings=settings,
            random=random.SystemRandom().random,
            snapshot_format=SNAPSHOT_FILES,
        )
        self._foreign_peers = ForeignPeers(config)
        self._hosted = HostedNode(self._node, Clock(self._timeline), self._send)
        self._hosted.committed_listeners.append(self._on_committed)
        self._configuration_warnings = ConfigurationWarnings()
        self._listener = listener
        self.has_failed = False
        self._is_followed = asyncio.Event()
        self._logged_role = ""
        self._last_role: Role | None = None

    def start(self) -> None:
        """Serves the listener and starts the node."""
        describe = partial(api_versions.of_controller, self._node)
        self._listener.serve(self._runtime, describe, self._answer, self._node.profile)
        self._deliver(self._hosted.start)

    async def hand_over(self) -> None:
        """If this node leads, makes it resign and waits until it leaves the role Resigned.

        It waits at most HAND_OVER_LIMIT_S. The process runs meanwhile because its vote may be
        needed.
        """
        quorum = self._node.quorum
        if quorum.is_leader and quorum.other_voters and not self.has_failed:
            self._is_followed.clear()
            self._deliver(self._hosted.stop)
            with suppress(TimeoutError):
                async with asyncio.timeout(HAND_OVER_LIMIT_S):
                    await self._is_followed.wait()

    def close(self) -> None:
        """Ends the node and closes every socket."""
        self._hosted.end()
        self._listener.close()
        self._lines.close()
        self._runtime.close()

    def _send(self, send: Send, on_answer: Callable[[Response | None], None]) -> None:
        def answered(response: Response | None) -> None:
            self._foreign_peers.check_response(send, response)
            on_answer(response)

        self._lines.send(send, answered)

    def _deliver(self, action: Callable[[], None]) -> None:
        try:
            self._runtime.enter()
            action()
            self._runtime.leave()
        except Exception as error:  # the step may have left an inconsistent state
            self._end(error)
        self._log_role_change()

    def _answer(self, request: Request, reply_to: ReplyTo) -> None:
        self._foreign_peers.check_request(request)
        try:
            self._hosted.submit(request, reply_to)
        except Exception as error:  # the step may have left an inconsistent state
            self._end(error)
        self._log_role_change()

    def _on_committed(self, batch: Batch) -> None:
        if self._node.quorum.is_leader:  # one warning for the whole quorum
            self._configuration_warnings.check(self._node.profile, batch)

    def _end(self, error: Exception) -> None:
        """Ends this process after a failed step.

        The causes that an operator can mend are a voter that lost its log and its vote, and a
        metadata.version that this release does not know.
        """
        if isinstance(error, LostMemoryError | UnknownMetadataVersionError):
            log.error("%s", error)
        else:
            log.error("this controller ends after an internal error", exc_info=error)
        self.has_failed = True
        self._hosted.end()
        self._stopping.set()

    def _log_role_change(self) -> None:
        """Logs the role if it has changed, and ends the wait of `hand_over`.

        Comparing the identity of role objects is cheap, and the role seldom changes.
        """
        role = self._node.quorum.role
        if role is not self._last_role:
            self._last_role = role
            self._log_role()
            if not isinstance(role, Resigned):
                self._is_followed.set()

    def _log_role(self) -> None:
        quorum = self._node.quorum
        role = f"{type(quorum.role).__name__.lower()} in epoch {quorum.epoch}"
        if role != self._logged_role:
            self._logged_role = role
            log.info("controller %d: %s, led by %d", self._config.node_id, role, quorum.leader_id)

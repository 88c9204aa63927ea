"""`kraftsim up`, `kraftsim controller run` and `kraftsim agent`: the verbs that run services."""

import argparse

from kraftsim.broker_agent.log.retention_bytes import RETENTION_BYTES
from kraftsim.controller.core.profile import DEFAULT_PROFILE
from kraftsim.simulation.ports import FIRST_BROKER_PORT, FIRST_CONTROLLER_PORT, HTTP_PORT

from . import help_texts

END_LIMIT_S = 10.0  # after which `down` gives up
RETRY_S = 0.05


def add_up(up: argparse.ArgumentParser) -> None:
    """Adds the arguments of `up` to its parser."""
    up.add_argument(
        "--controllers",
        type=int,
        default=1,
        metavar="N",
        help="number of controllers, with ids from 3000 on (1 to 9, default 1)",
    )
    up.add_argument(
        "--brokers",
        type=int,
        default=3,
        metavar="N",
        help="number of brokers, with ids from 1 on (default 3)",
    )
    up.add_argument("--cluster-id", metavar="ID", help="id of the cluster (default: a random id)")
    _add_simulation(up)
    _add_machines(up)
    _add_nodes(up)
    _add_listeners(up)
    _add_rules(up)
    _add_profiles(up, help_texts.PROFILES)
    up.add_argument(
        "--ready-file",
        metavar="FILE",
        help="write the addresses to this file once every broker is unfenced; delete it at exit",
    )

    _add_page(up)
    up.add_argument("--token-file", metavar="FILE", help=help_texts.TOKEN_FILE)

    _add_log_format(up)

    def run(arguments: argparse.Namespace) -> int:
        from ..commands.up import run_up
        from .up.display import shown

        return run_up(arguments, shown)

    up.set_defaults(run=run, is_service=True)


def _add_page(up: argparse.ArgumentParser) -> None:
    """Adds the options about the page that the service shows."""
    up.add_argument(
        "--demo",
        action="store_true",
        help="pause a broker now and then, so that the page has something to show",
    )
    up.add_argument(
        "--open-lessons",
        action="store_true",
        help="let whoever reaches the service play lessons without its token: for a class",
    )


def add_controller(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `run` to the verbs of `controller`."""
    parser = verbs.add_parser("run", help="run a single controller of a quorum as this process")
    parser.add_argument(
        "--node-id",
        type=int,
        metavar="ID",
        help="id of this controller (default: node.id in --config)",
    )
    parser.add_argument(
        "--cluster-id",
        metavar="ID",
        help=f"{help_texts.CLUSTER_ID} (default: that of the formatted log.dirs in --config)",
    )
    parser.add_argument(
        "--voters",
        metavar="ID@HOST:PORT:DIRECTORY,...",
        help=(
            "id, address and directory id of each voter of a new quorum (default: the initial "
            "voters of the formatted log.dirs, else controller.quorum.voters in --config; a "
            "directory that is formatted without them has controller.quorum.bootstrap.servers)"
        ),
    )
    _add_own_address(parser)
    _add_rules(parser)
    parser.add_argument(
        "--ready-file",
        metavar="FILE",
        help="write the address to this file once the controller listens; delete it at exit",
    )

    _add_log_format(parser)

    def run(arguments: argparse.Namespace) -> int:
        from ..commands.controller import run_controller

        return run_controller(arguments)

    parser.set_defaults(run=run, is_service=True)


def _add_own_address(parser: argparse.ArgumentParser) -> None:
    """Adds the options of this controller's directory and address."""
    parser.add_argument(
        "--directory-id",
        metavar="D",
        help=(
            "id of this controller's directory (default: that of the formatted log.dirs, else the "
            "directory id in --voters; with another id the controller joins as an observer)"
        ),
    )
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        help="address of this controller (default: listeners in --config, else that in --voters)",
    )


def add_agent(agent: argparse.ArgumentParser) -> None:
    """Adds the arguments of `agent` to its parser."""
    agent.add_argument(
        "--controller",
        metavar="HOST:PORT,...",
        help="addresses of the controllers (default: the quorum in --config)",
    )
    agent.add_argument("--cluster-id", required=True, metavar="ID", help="id of the cluster")
    agent.add_argument(
        "--count", type=int, default=1, metavar="N", help="number of brokers (1 to 5000, default 1)"
    )
    agent.add_argument(
        "--first-id",
        type=int,
        metavar="ID",
        help=(
            "id of the first broker; further brokers take the next ids (default: node.id in "
            "--config, else 1001)"
        ),
    )
    agent.add_argument("--rack", action="append", default=[], help=help_texts.RACK)
    agent.add_argument(
        "--kafka-port",
        type=int,
        metavar="P",
        help=(
            "port of the first broker's Kafka listener; further brokers take the next ports "
            "(default: no listeners; 0: any free port)"
        ),
    )
    _add_profile(agent)
    _add_profiles(agent, help_texts.PROFILES_OF_AGENTS)
    _add_configuration(agent)
    _add_log_format(agent)

    def run(arguments: argparse.Namespace) -> int:
        from ..commands.agent import run_agents

        return run_agents(arguments)

    agent.set_defaults(run=run, is_service=True)


def _add_log_format(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--log-format",
        choices=("text", "json"),
        default="text",
        help="format of the log lines on stderr (default text)",
    )


def _add_rules(verb: argparse.ArgumentParser) -> None:
    """Adds the options that choose the rules and the settings of the nodes."""
    _add_profile(verb)
    verb.add_argument("--metadata-version", metavar="V", help=help_texts.METADATA_VERSION)
    _add_configuration(verb)


def _add_profiles(verb: argparse.ArgumentParser, text: str) -> None:
    verb.add_argument("--profiles", action="append", default=[], metavar="ID=P", help=text)


def _add_profile(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--profile", default=DEFAULT_PROFILE.name, metavar="P", help=help_texts.PROFILE
    )


def _add_configuration(verb: argparse.ArgumentParser) -> None:
    """Adds the options with Kafka's configurations of a node."""
    verb.add_argument("--config", metavar="FILE", help=help_texts.CONFIG)
    verb.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help=help_texts.SET
    )


def _add_machines(parser: argparse.ArgumentParser) -> None:
    """Adds the options about the machines of simulated brokers."""
    parser.add_argument("--rack", action="append", default=[], help=help_texts.RACK)
    parser.add_argument(
        "--log-dirs",
        type=int,
        default=1,
        metavar="N",
        help="log directories of each simulated broker (default: 1)",
    )
    parser.add_argument(
        "--retention-bytes",
        type=int,
        default=RETENTION_BYTES,
        metavar="N",
        help=(
            "bytes of messages that the simulated brokers hold in all; then the oldest make room "
            f"(default: {RETENTION_BYTES})"
        ),
    )


def _add_nodes(up: argparse.ArgumentParser) -> None:
    """Adds the options of nodes that run a user's code."""
    up.add_argument(
        "--node",
        action="append",
        default=[],
        metavar="NAME=MODULE:FUNCTION",
        help=(
            "a node that runs `async def FUNCTION(kraft)` of a module, or of FILE.py, in the "
            "simulated network of the cluster; repeat it for several (default: none)"
        ),
    )
    up.add_argument(
        "--allow-code", action="store_true", help="run the code of each --node; read it first"
    )


def _add_listeners(verb: argparse.ArgumentParser) -> None:
    """Adds the options of the host and the ports."""
    verb.add_argument(
        "--host",
        metavar="H",
        help="host on which the listeners bind (default: that in --config, else 127.0.0.1)",
    )
    verb.add_argument(
        "--advertised-host",
        metavar="H",
        help=(
            "host in the addresses that clients receive (default: KRAFTSIM_ADVERTISED_HOST in the "
            "environment, else advertised.listeners in --config, else the value of --host)"
        ),
    )
    _add_ports(verb)


def _add_ports(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--kafka-port",
        type=int,
        metavar="P",
        help=(
            "port of the first broker; further brokers take the next ports (default: that of the "
            f"listener PLAINTEXT in --config, else {FIRST_BROKER_PORT}; 0: any free port)"
        ),
    )
    _add_named_listeners(verb)
    verb.add_argument(
        "--controller-port",
        type=int,
        metavar="P",
        help=(
            "port of the first controller (default: that of the controller listener in --config, "
            f"else {FIRST_CONTROLLER_PORT}; 0: any free port)"
        ),
    )
    verb.add_argument(
        "--http-port",
        type=int,
        default=HTTP_PORT,
        metavar="P",
        help=f"port of the HTTP service (default {HTTP_PORT}; 0: any free port)",
    )


def _add_named_listeners(verb: argparse.ArgumentParser) -> None:
    """Adds the options of listeners beside PLAINTEXT, and of addresses that differ."""
    verb.add_argument(
        "--listeners",
        action="append",
        default=[],
        metavar="NAME=PORT",
        help=(
            "another listener of each broker, beside PLAINTEXT at --kafka-port, with the port of "
            "the first broker (0: any free port); its clients get the addresses of this listener; "
            "repeat it for several (default: those in --config)"
        ),
    )
    verb.add_argument(
        "--advertised-listeners",
        action="append",
        default=[],
        metavar="NAME=HOST[:PORT]",
        help=(
            "host, and port of the first node, that clients of the listener PLAINTEXT, CONTROLLER "
            "or one of --listeners receive, instead of --advertised-host and the bound port; "
            "repeat it for several (default: advertised.listeners in --config)"
        ),
    )


def _add_simulation(verb: argparse.ArgumentParser) -> None:
    """Adds the options of the clock and of the random draws."""
    verb.add_argument(
        "--clock",
        default="real",
        metavar="CLOCK",
        help=(
            "real, virtual (time passes only on request), auto (also while a client waits for a "
            "response), skipping (in real time, and at once where auto moves it) or scaled:K (K "
            "times as fast as real time) (default real)"
        ),
    )
    verb.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help=(
            "seed of the random ids and replica placements (default: another seed for each cluster)"
        ),
    )


def end_service(arguments: argparse.Namespace) -> int:
    """Runs `down`: ends the service, waits until it no longer answers, returns the exit code.

    Raises CommandError if the service still answers after END_LIMIT_S.
    """
    import time

    from ..errors import GOOD, CommandError
    from ..http.client import call, service_url
    from ..operations.table import DOWN
    from .tables import print_sentence

    url = service_url(arguments.url)
    document = call(url, DOWN.method, DOWN.path, {})
    end_s = time.monotonic() + END_LIMIT_S
    while _answers(url):
        if time.monotonic() > end_s:
            raise CommandError(
                f"{url}: the service still answers after {END_LIMIT_S:g} s: a cluster of a Python "
                "program ends only with the program"
            )
        time.sleep(RETRY_S)
    print_sentence(arguments, f"ended: cluster {document['clusterId']} at {url}", document)
    return GOOD


def _answers(url: str) -> bool:
    from ..errors import Unreachable
    from ..http.client import call
    from ..http.paths import LIVENESS

    try:
        call(url, "GET", LIVENESS, {})
    except Unreachable:
        return False
    return True

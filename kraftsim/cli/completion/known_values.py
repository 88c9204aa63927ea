"""The values that a shell offers for options and arguments without `choices`."""

from collections.abc import Mapping, Sequence

from kraftsim.controller.core.configs.resources import RESOURCES
from kraftsim.controller.core.partitions.elect_leaders import ELECTIONS
from kraftsim.controller.core.profile import PROFILES
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.scenarios.mutants import MUTANTS
from kraftsim.simulation.event_row import EVENTS

from ...api.administration.config_words import SCOPES
from ...api.states import STATES
from ...files.scenario_files import library, library_tags


def known_values() -> Mapping[str, Sequence[str]]:
    """Returns values by the name of the option, or by the metavar of the argument."""
    scenarios = tuple(library())
    return {
        "--api": tuple(sorted(api.name for api in APIS.values())),
        "--clock": ("real", "virtual", "auto", "skipping"),
        "--election": tuple(ELECTIONS),
        "--kind": tuple(sorted(EVENTS)),
        "--leader": ("any",),
        "--mutant": tuple(sorted(MUTANTS)),
        "--profile": tuple(PROFILES),
        "--scope": SCOPES,
        "--state": STATES,
        "--tag": library_tags(),
        "EVENT|FILE|NAME": scenarios,
        "FILE|NAME": scenarios,
        "RESOURCE": tuple(RESOURCES),
    }

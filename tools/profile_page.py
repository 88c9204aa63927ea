"""Writes docs/profiles.md: what each profile promises, side by side, from the tables of profiles.

`python -m tools.profile_page` writes the page; tests/kraftsim/test_references.py fails if the page
differs from the result.
"""

import ast
import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import fields
from itertools import chain
from pathlib import Path

from kraftsim.controller.core import profile as profiles_module
from kraftsim.controller.core.configs.configuration import Configuration
from kraftsim.controller.core.configs.topic_table import TOPIC_CONFIGS
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.feature_levels import LEVEL_NAMES, METADATA_VERSION
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.profile import (
    DEFAULT_PROFILE,
    KAFKA_TRUNK,
    KIP_1372,
    PROFILES,
    Profile,
)
from kraftsim.controller.core.rpc import ApiVersionsRequest
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.server.api_versions import answer
from kraftsim.controller.wire.apis.table import API_VERSIONS, APIS
from tools.rule_book import rule_book

PAGE = Path(__file__).resolve().parent.parent / "docs" / "profiles.md"
INTRODUCTION = f"""\
# Profiles

Written by `python -m tools.profile_page` from `controller/core/profile.py` and the tables that it
names; do not edit this page.

`--profile NAME` (default {DEFAULT_PROFILE.name}) chooses the release of Kafka whose rules apply.
`kip-631` has the rules of the proposal where it differs from what was released. A profile is a row
of a table, never a branch: code reads its fields. Each profile of a release is judged against that
release (`make differential ARGS="--release 4.3.1"`). Numbers such as 2.44 are rules of
[rules.md](rules.md).

`{KAFKA_TRUNK.name}` is the branch on which 4.5 is developed, with unstable feature levels; a new
cluster finalizes metadata.version {KAFKA_TRUNK.metadata_version}. `{KIP_1372.name}` adds a draft of
a proposal to it. What they have beyond {DEFAULT_PROFILE.name} is
[read, not judged](#read-not-judged), and may change until it is released.
"""
SHOWN_APART = ("newest_versions", "name", "supported_features", "settings", "topic_configs")
PROBES = ("?", "-9223372036854775808", "-2147483648", "-1e308")  # a validator may refuse them
_RULES = re.compile(r"^((?:\d+A?\.\d+|KIP-\d+)[^:]*): (.*)", re.DOTALL)


def render() -> str:
    """Returns the page."""
    parts = (_behaviour(), _not_judged(), _features(), _settings(), _apis(), _configs())
    return "\n".join(chain([INTRODUCTION], *parts)) + "\n"


def _behaviour() -> Iterator[str]:
    meanings = _docstrings()
    yield "## Behaviour\n"
    yield from _head("field", "rule", "meaning")
    for field in fields(Profile):
        if field.name in SHOWN_APART:
            continue
        match = _RULES.match(meanings[field.name])
        assert match is not None, f"{field.name}: its docstring begins with a rule or a KIP"
        yield _row(
            [f"`{field.name}`", match[1], match[2]],
            [_text(getattr(profile, field.name)) for profile in PROFILES.values()],
        )
    yield ""


def _not_judged() -> Iterator[str]:
    yield "## Read, not judged\n"
    yield (
        "No release has these rules, so that none can be asked: `make differential` refuses "
        "`--release NAME` for these profiles.\n"
    )
    yield "| rule | what it says | read in |"
    yield "|---|---|---|"
    for rule in rule_book().rules.values():
        if rule.is_not_judged:
            yield f"| {rule.number} | {' '.join(rule.statement)} | {rule.read_in} |"
    yield ""


def _docstrings() -> dict[str, str]:
    """Returns the texts below the fields of `Profile`, as one line each."""
    tree = ast.parse(inspect.getsource(profiles_module))
    found: dict[str, str] = {}
    for definition in ast.walk(tree):
        if isinstance(definition, ast.ClassDef) and definition.name == Profile.__name__:
            for before, after in zip(definition.body, definition.body[1:], strict=False):
                match before, after:
                    case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(ast.Constant(str(text))):
                        found[name] = " ".join(text.split())
    return found


def _text(value: object) -> str:
    if value is None:
        return "none"
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _features() -> Iterator[str]:
    names = dict.fromkeys(
        name for row in PROFILES.values() for name, _, _ in row.supported_features
    )
    yield "## Features\n"
    yield "The supported levels of each feature (rule 5.50).\n"
    yield from _head("feature")
    for name in names:
        yield _row([f"`{name}`"], [_levels(profile, name) for profile in PROFILES.values()])
    yield ""


def _levels(profile: Profile, feature: str) -> str:
    for name, low, high in profile.supported_features:
        if name == feature == METADATA_VERSION:
            return f"{low} to {high} ({LEVEL_NAMES[low - 1]} to {LEVEL_NAMES[high - 1]})"
        if name == feature:
            return f"{low} to {high}"
    return "none"


def _settings() -> Iterator[str]:
    yield "## Defaults of settings\n"
    yield "Every other setting has the same default in all profiles.\n"
    yield from _head("setting")
    for field in fields(Settings):
        defaults = {getattr(profile.settings, field.name) for profile in PROFILES.values()}
        if len(defaults) > 1:
            yield _row(
                [f"`{field.name.replace('_', '.')}`"],
                [str(getattr(profile.settings, field.name)) for profile in PROFILES.values()],
            )
    yield ""


def _apis() -> Iterator[str]:
    yield "## Versions of APIs\n"
    yield "As ApiVersions lists them (rules 5.1 and 5.46).\n"
    for listener, title in (("controller", "controllers"), ("broker", "brokers")):
        ranges = [_ranges(profile, listener) for profile in PROFILES.values()]
        yield f"### Listeners of {title}\n"
        yield from _head("key", "API")
        for key in sorted(set().union(*ranges)):
            yield _row(
                [str(key), APIS[key].name],
                [offered.get(key, "none") for offered in ranges],
            )
        yield ""


def _ranges(profile: Profile, listener: str) -> dict[int, str]:
    """Returns the versions by API that a node of the profile offers on a kind of listener."""
    version = APIS[API_VERSIONS].min_version
    offered = answer(
        ApiVersionsRequest(), version, listener=listener, image=Image(), profile=profile
    )
    return {
        api.api_key: f"{api.min_version} to {api.max_version}"
        if api.min_version < api.max_version
        else str(api.max_version)
        for api in offered.api_keys
    }


def _configs() -> Iterator[str]:
    names = dict.fromkeys(chain.from_iterable(TOPIC_CONFIGS.values()))
    differing = [
        name for name in names if len({configs.get(name) for configs in TOPIC_CONFIGS.values()}) > 1
    ]
    yield "## Topic configurations\n"
    yield (
        f"{len(names)} names (rule 4.54). These differ; each cell has the default, and what an "
        "invalid value is refused with.\n"
    )
    yield from _head("configuration")
    for name in differing:
        yield _row([f"`{name}`"], [_config(profile, name) for profile in PROFILES.values()])


def _config(profile: Profile, name: str) -> str:
    config = TOPIC_CONFIGS[profile.topic_configs].get(name)
    if config is None:
        return "unknown"
    default = "no default" if config.default is None else f"`{config.default}`"
    empty = f"; of an empty element: {_refusal(config, ',')}" if config.is_list else ""
    return f"{default}; {_refusal(config, *PROBES)}{empty}"


def _refusal(config: Configuration, *probes: str) -> str:
    """Returns the reason for which the configuration refuses one of `probes`."""
    for probe in probes:
        try:
            config.parse(probe)
        except ApiError as error:
            if "Not a number" not in str(error):
                return str(error).rpartition(": ")[2]
    return "any value"


def _head(*columns: str) -> Iterator[str]:
    names = [*columns, *PROFILES]
    yield f"| {' | '.join(names)} |"
    yield "|" + "---|" * len(names)


def _row(first: Sequence[str], cells: Sequence[str]) -> str:
    return f"| {' | '.join([*first, *cells])} |"


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8")
    print(f"docs/{PAGE.name}: {len(PROFILES)} profiles")

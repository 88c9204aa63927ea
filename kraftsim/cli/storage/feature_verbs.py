"""`kraftsim storage version-mapping` and `feature-dependencies`, as Kafka's `kafka-storage`."""

import argparse

from kraftsim.controller.core.profile import DEFAULT_PROFILE

from ...errors import GOOD
from .. import help_texts
from ..output import add_output, is_data, print_data


def add_feature_verbs(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `version-mapping` and `feature-dependencies` to the verbs of `storage`."""
    mapping = verbs.add_parser(
        "version-mapping", help="show the feature levels with which a cluster of a release begins"
    )
    mapping.add_argument(
        "-r",
        "--release-version",
        metavar="V",
        help="metadata.version or release, such as 4.3-IV0 or 4.3 (default: the newest of "
        "--profile)",
    )
    dependencies = verbs.add_parser(
        "feature-dependencies", help="show which levels of other features a level requires"
    )
    dependencies.add_argument(
        "-f",
        "--feature",
        action="append",
        required=True,
        metavar="NAME=LEVEL",
        help="level of one feature, such as group.version=1; may be repeated",
    )
    for parser, run in ((mapping, _version_mapping), (dependencies, _feature_dependencies)):
        parser.add_argument(
            "--profile", default=DEFAULT_PROFILE.name, metavar="P", help=help_texts.PROFILE
        )
        add_output(parser)
        parser.set_defaults(run=run)


def _version_mapping(arguments: argparse.Namespace) -> int:
    from ...releases import profile_of
    from ...storage.known_features import mapped_levels, mapping_lines

    release = arguments.release_version
    levels = mapped_levels(profile_of(arguments.profile), release)
    if is_data(arguments):
        print_data(arguments, {"features": levels})
    else:
        for line in mapping_lines(levels, release):
            print(line)
    return GOOD


def _feature_dependencies(arguments: argparse.Namespace) -> int:
    """Prints each feature before it looks up the next one, as Kafka's tool does."""
    from ...releases import profile_of
    from ...storage.known_features import dependency, dependency_lines

    profile = profile_of(arguments.profile)
    if is_data(arguments):
        found = [dependency(profile, text) for text in arguments.feature]
        rows = [{"feature": f.feature, "level": f.level, "requires": f.required} for f in found]
        print_data(arguments, {"features": rows})
        return GOOD
    for text in arguments.feature:
        for line in dependency_lines(dependency(profile, text)):
            print(line)
    return GOOD

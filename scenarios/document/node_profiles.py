"""The releases of the nodes that do not run the release of their cluster."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kraftsim.controller.core.profile import PROFILES, Profile

from ..language.reading import Path, Problem
from ..language.schema import Schema, SchemaOf
from ..language.spelling import in_short
from ..language.suggestions import nearest, whole_number


@dataclass(frozen=True, slots=True)
class NodeProfiles:
    """The profiles of the controllers and brokers of another release, by id: {3002: kafka-4.3}."""

    names: Mapping[int, str] = field(default_factory=dict)

    @staticmethod
    def from_document(value: object, path: Path) -> "NodeProfiles":
        """Reads a mapping of ids, as numbers or as the keys of JSON, to names of profiles."""
        if not isinstance(value, Mapping):
            raise Problem(path, f"expected a mapping of ids to profiles, got {in_short(value)}")
        names: dict[int, str] = {}
        for key, name in value.items():
            node_id = whole_number(str(key))
            if node_id is None:
                raise Problem(path, f"expected the id of a node as key, got {key!r}")
            if name not in PROFILES:
                expected = nearest(str(name), PROFILES)
                raise Problem((*path, str(key)), f"expected {expected}, got {in_short(name)}")
            names[node_id] = name
        return NodeProfiles(names)

    @staticmethod
    def to_schema(of: SchemaOf) -> Schema:
        """Returns the schema of a mapping of ids to names of profiles."""
        return {
            "type": "object",
            "propertyNames": {"pattern": "^[0-9]+$"},
            "additionalProperties": {"enum": list(PROFILES)},
        }

    def to_document(self) -> object:
        """Returns the document from which `from_document` reads an equal value."""
        return dict(self.names)

    def of(self, node_id: int) -> Profile | None:
        """Returns the profile of a node; None if it runs the release of its cluster."""
        name = self.names.get(node_id)
        return None if name is None else PROFILES[name]

"""The values of a property file, parsed key by key."""

from collections.abc import Mapping

from kraftsim.controller.core.configs.node_definitions import Definition
from kraftsim.controller.core.configs.node_values import parse
from kraftsim.controller.core.configs.validators import Value
from kraftsim.controller.core.errors import ApiError

ID_KEYS = ("node.id", "broker.id")


class Values:
    """The value of every key in a release such as "4.3": of the file, else its default.

    Raises ValueError, with Kafka's message, for the first invalid value in the order of the keys;
    a missing required key is an error only if `is_complete`.
    """

    def __init__(
        self,
        release: str,
        keys: Mapping[str, Definition],
        pairs: Mapping[str, str],
        *,
        is_complete: bool,
    ) -> None:
        self.release = release
        self._pairs = _with_both_ids(pairs)
        self._values: dict[str, Value] = {}
        for name, key in keys.items():
            if name in self._pairs:
                self._values[name] = _parsed(release, key, self._pairs[name])
            elif key.is_required:
                if is_complete:
                    raise ValueError(
                        f'Missing required configuration "{name}" which has no default value.'
                    )
            elif key.default is not None:
                self._values[name] = _parsed(release, key, key.default)

    def is_set(self, name: str) -> bool:
        """Returns True if the file has the key."""
        return name in self._pairs

    def value(self, name: str) -> Value | None:
        """Returns the value of a key, or None if it has neither value nor default."""
        return self._values.get(name)

    def integer(self, name: str) -> int:
        """Returns the value of an INT or LONG that has a default."""
        value = self._values[name]
        assert isinstance(value, int), (name, value)
        return value

    def words(self, name: str) -> tuple[str, ...]:
        """Returns the elements of a list; releases before 4.3 define some lists as texts."""
        value = self._values.get(name)
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",")) if value else ()
        if value is None:
            return ()
        assert isinstance(value, tuple), (name, value)
        return value


def _parsed(release: str, key: Definition, text: str) -> Value:
    try:
        return parse(release, key, text)
    except ApiError as error:
        raise ValueError(error.message) from None


def _with_both_ids(pairs: Mapping[str, str]) -> dict[str, str]:
    """Kafka takes node.id for broker.id and the reverse, if the file has only one of them."""
    ids = [pairs[name] for name in ID_KEYS if name in pairs]
    return {**dict.fromkeys(ID_KEYS, ids[0]), **pairs} if len(ids) == 1 else dict(pairs)

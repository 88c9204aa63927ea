"""Topic names that collide in metrics, where '.' and '_' are the same character (rule 4.54)."""


class NameCollisions:
    """Finds the existing topic whose name collides with that of a new topic.

    Names with '.' or '_' are stored under the name with every '.' replaced by '_'. A new name is
    compared with the names under its key only, not with every topic. A log may hold several names
    with the same key.
    """

    def __init__(self, names: dict[str, tuple[str, ...]] | None = None) -> None:
        self._names = {} if names is None else names

    def add(self, name: str) -> None:
        """Add the name of a new topic."""
        if _collides(name):
            form = _form(name)
            self._names[form] = tuple(sorted({*self._names.get(form, ()), name}))

    def remove(self, name: str) -> None:
        """Remove the name of a deleted topic."""
        if _collides(name):
            form = _form(name)
            remaining = tuple(
                known_name for known_name in self._names.get(form, ()) if known_name != name
            )
            if remaining:
                self._names[form] = remaining
            else:
                self._names.pop(form, None)

    def existing(self, name: str) -> str | None:
        """Returns the first existing name that collides with `name`, or None."""
        if not _collides(name):
            return None
        return next(iter(self._names.get(_form(name), ())), None)

    def copy(self) -> "NameCollisions":
        """Returns an independent copy."""
        return NameCollisions(self._names.copy())


def _collides(name: str) -> bool:
    return "." in name or "_" in name


def _form(name: str) -> str:
    return name.replace(".", "_")

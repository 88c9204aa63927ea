"""Topic names that metrics cannot tell apart: '.' and '_' mean the same to them (rule 4.54)."""


class NameCollisions:
    """Existing names with '.' or '_', by their form with '_' alone, so that a new name is compared
    with its own kin and not with every topic. A log may hold several names of one form."""

    def __init__(self, names: dict[str, tuple[str, ...]] | None = None) -> None:
        self._names = {} if names is None else names

    def add(self, name: str) -> None:
        if _collides(name):
            form = _form(name)
            self._names[form] = tuple(sorted({*self._names.get(form, ()), name}))

    def remove(self, name: str) -> None:
        if _collides(name):
            form = _form(name)
            left = tuple(one for one in self._names.get(form, ()) if one != name)
            if left:
                self._names[form] = left
            else:
                self._names.pop(form, None)

    def existing(self, name: str) -> str | None:
        """The first existing name that `name` collides with."""
        if not _collides(name):
            return None
        return next(iter(self._names.get(_form(name), ())), None)

    def copy(self) -> "NameCollisions":
        return NameCollisions(self._names.copy())


def _collides(name: str) -> bool:
    return "." in name or "_" in name


def _form(name: str) -> str:
    return name.replace(".", "_")

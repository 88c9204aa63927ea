"""The page of effects is what its program writes now."""

from tools import effects_page


def test_the_page_of_effects_is_current() -> None:
    """Mend it with `python -m tools.effects_page`."""
    assert effects_page.render() == effects_page.PAGE.read_text("utf-8")

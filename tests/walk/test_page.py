"""The page of effects is what its program writes now."""

from tests.walk import page


def test_the_page_of_effects_is_current() -> None:
    """Mend it with `python -m tests.walk.page`."""
    assert page.render() == page.PAGE.read_text("utf-8")

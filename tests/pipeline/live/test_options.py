"""A word that Spark would let pass in silence is an error that names the right one."""

import pytest

from kraftsim.pipeline.live.log import KraftLogError
from kraftsim.pipeline.live.options import options_of

URL = "http://127.0.0.1:1"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "expected the option url .* got neither"),
        ({"url": URL, "path": "/x"}, "got both"),
        (
            {"url": "127.0.0.1:1"},
            "expected an address such as http://127.0.0.1:8090, got '127.0.0.1:1'",
        ),
        ({"url": URL, "failOnDataLost": "true"}, r"expected 'failOnDataLoss' \(nearest\)"),
        ({"url": URL, "failOnDataLoss": "no"}, "expected true or false, got 'no'"),
        ({"url": URL, "maxRecordsPerBatch": "0"}, "expected 1 or more, got '0'"),
        ({"url": URL, "maxRecordsPerBatch": "many"}, "expected 1 or more, got 'many'"),
    ],
)
def test_an_option_that_cannot_be_meant_is_refused(given: dict[str, str], said: str) -> None:
    with pytest.raises(KraftLogError, match=said):
        options_of(given)


def test_names_of_options_are_read_in_any_case() -> None:
    options = options_of({"URL": URL, "MAXRECORDSPERBATCH": "9", "failondataloss": "FALSE"})

    assert (9, False, False) == (options.records_max, options.fails_on_loss, options.pushes)

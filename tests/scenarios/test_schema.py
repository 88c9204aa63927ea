"""The published schema says what the reader says: of every file of the library, and of mistakes."""

import json
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator

from kraftsim.cli.main import main
from kraftsim.files.scenario_files import library
from kraftsim.files.yaml_document import read_document
from kraftsim.scenarios.document.scenario import SCHEMA, Scenario, read_cells
from kraftsim.scenarios.language.reading import Problem
from kraftsim.scenarios.language.schema import published
from kraftsim.scenarios.verbs import VERBS
from tests.scenarios.test_claims import WRONG as WRONG_CLAIMS
from tests.scenarios.test_reading import WHOLE, WRONG, document
from tests.scenarios.test_sweep import SWEPT
from tools import scenario_words

VALIDATOR = Draft202012Validator(published(Scenario, SCHEMA))


def test_it_is_a_schema():
    Draft202012Validator.check_schema(published(Scenario, SCHEMA))


@pytest.mark.parametrize("path", library().values(), ids=list(library()))
def test_every_file_of_the_library_is_valid(path):
    assert [] == [error.message for error in VALIDATOR.iter_errors(read_document(path).value)]


@pytest.mark.parametrize("whole", [WHOLE, SWEPT], ids=["whole", "swept"])
def test_what_the_reader_takes_is_valid(whole):
    read_cells(whole)

    assert [] == [error.message for error in VALIDATOR.iter_errors(whole)]


UNSAID = (  # by the schema: lengths of times and of lists
    "a flood without end",
    "hiccups without end",
    "a link that flaps in no time",
    "one end of a way",
    "chaos of nothing",
)
BROKEN = {name: broken for name, (broken, *_) in WRONG.items() if name not in UNSAID} | {
    "no claim": {"schema": SCHEMA, "name": "one"},
    "a chance of two": document(do=[{"at": "1s", "net.loss": {"on": 1, "p": 2}}]),
    "nobody": document(cluster={"brokers": 0}),
    "an unknown message": document(do=[{"at": "1s", "net.hold": {"message": "Heartbeat"}}]),
    "an unknown release": document(do=[{"at": "1s", "broker.add": {"release": "kafka-2"}}]),
    "an unknown error": document(expect={"never": [{"refused": "NO_SUCH"}]}),
    "an unknown property": document(expect={"always": ["one-leder"]}),
    "an unknown network": document(network="wam"),
    "an unknown take": document(expect=WRONG_CLAIMS["an unknown take"]),
    "an unknown thing": document(expect=WRONG_CLAIMS["an unknown thing"]),
    "an unknown kind": document(
        chaos={"every": "1s", "lasting": "1s", "kinds": {"proc.crush": {}}}
    ),
    "a node in chaos": document(
        chaos={"every": "1s", "lasting": "1s", "kinds": {"net.loss": {"of": "brokers"}}}
    ),
    "too many times": document(do=[{"every": "1s", "times": 10_001, "note": {"text": "x"}}]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_the_reader_refuses_is_not_valid(name):
    with pytest.raises(Problem):
        read_cells(BROKEN[name])

    assert not VALIDATOR.is_valid(BROKEN[name])


@pytest.mark.parametrize("word", VERBS)
def test_editors_are_told_what_a_verb_does(word):
    definition = published(Scenario, SCHEMA)["$defs"][word]

    assert {"type", "properties", "additionalProperties"} <= definition.keys()
    assert definition["description"]


def test_the_page_of_words_is_what_the_code_says():
    """Mend it with `python -m tools.scenario_words`."""
    assert scenario_words.render() == scenario_words.PAGE.read_text("utf-8")


def test_the_package_has_the_schema_that_the_command_prints(capsys):
    """Mend it: kraftsim scenario schema > scenarios/scenario.schema.json"""
    main(["scenario", "schema"])
    printed = capsys.readouterr().out

    assert printed == files("kraftsim.scenarios").joinpath("scenario.schema.json").read_text(
        "utf-8"
    )
    assert VALIDATOR.schema == json.loads(printed)

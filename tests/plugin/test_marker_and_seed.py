"""The marker `kraft` and the option `--kraft-seed`."""

import pytest

pytestmark = pytest.mark.realtime

SEED = "def test_seed(kraft_sync):\n    assert kraft_sync.options.seed == 7\n"


def test_the_marker_of_a_function_has_precedence_over_its_class(suite):
    text = """
pytestmark = pytest.mark.kraft(controllers=3, brokers=5)

@pytest.mark.kraft(brokers=4, clock="virtual")
class TestRacks:
    @pytest.mark.kraft(
        brokers=2, profile="kafka-3.9", settings={"broker.session.timeout.ms": 5000}
    )
    def test_options(self, kraft_sync):
        options = kraft_sync.options
        assert (options.brokers, options.controllers, options.clock) == (2, 3, "virtual")
        assert (options.profile, len(options.settings)) == ("kafka-3.9", 1)
"""
    assert "1 passed" in suite.run(text, "--strict-markers")


WRONG_MARKERS = {
    "borkers=3": "unknown argument 'borkers': expected 'brokers' (nearest)",
    "clock='virtul'": "clock: expected real, virtual, auto, skipping, scaled:K",
    "brokers='3'": "brokers: expected a whole number, got '3'",
    "seed='7'": "seed: expected a whole number, got '7'",
    "profile='kafka-4.5'": "profile: expected 'kafka-4.4' (nearest), got 'kafka-4.5'",
    "settings={'broker.sesion.timeout.ms': 1}": "expected 'broker.session.timeout.ms' (nearest)",
    "3": "the marker takes named arguments such as brokers=3, got 3",
}


def test_a_wrong_marker_fails_the_test_with_the_nearest_word(suite):
    output = suite.run(
        "\n".join(
            f"@pytest.mark.kraft({marker})\ndef test_{number}(kraft_sync):\n    pass\n"
            for number, marker in enumerate(WRONG_MARKERS)
        )
    )

    assert [error for error in WRONG_MARKERS.values() if error not in output] == []
    assert "ValueError" not in output
    assert f"{len(WRONG_MARKERS)} errors" in output


def test_a_wrong_argument_of_the_factory_fails_the_test_with_the_nearest_word(suite):
    text = "@pytest.mark.asyncio\nasync def test_it(kraft_factory):\n"
    text += "    await kraft_factory(contollers=3)\n"

    assert "expected 'controllers' (nearest)" in suite.run(text, plugins="asyncio")


def test_the_option_seeds_every_cluster(suite):
    assert "1 passed" in suite.run(SEED, "--kraft-seed=7")


def test_the_seed_of_a_marker_has_precedence_over_the_option(suite):
    assert "1 passed" in suite.run(f"@pytest.mark.kraft(seed=7)\n{SEED}", "--kraft-seed=8")


def test_tests_have_different_seeds_by_default(suite):
    text = """
seeds = set()

@pytest.mark.parametrize("run", range(3))
def test_seed(kraft_sync, run):
    seeds.add(kraft_sync.options.seed)
    assert len(seeds) == run + 1
"""
    assert "3 passed" in suite.run(text)

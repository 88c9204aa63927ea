"""Options of verbs that need no running cluster whose effect a test of its own shows."""

from collections.abc import Mapping

_CAMPAIGN = "tests/pipeline/test_local_campaign.py::"
_SPARK = "tests/pipeline/test_spark_campaign.py::"
_LISTS = "tests/kraftsim/test_campaign_list.py::"
_RUN = f"{_CAMPAIGN}test_every_seed_is_run_once_and_the_canaries_beside_them"
_TOLD = f"{_CAMPAIGN}test_how_far_it_has_come_is_told"
_SET_ASIDE = f"{_CAMPAIGN}test_a_corrupt_shard_is_named_refused_set_aside_and_run_again"
_SAMPLE = f"{_CAMPAIGN}test_a_sample_is_repeated_elsewhere_with_the_same_digests"
_NOBODY = f"{_CAMPAIGN}test_nobody_can_do_no_work"
_PLACE = f"{_SPARK}test_a_place_that_is_none_is_told_before_anything_begins"
_SETTING = f"{_SPARK}test_a_setting_that_spark_refuses_is_told_in_a_line"
_GUIDED = (
    "tests/pipeline/test_guided_campaign.py::test_options_that_contradict_each_other_are_refused"
)
_LISTED = f"{_LISTS}test_a_folder_lists_its_campaigns_with_runs_verdicts_engine_and_times"
_SHOWN = f"{_LISTS}test_a_campaign_shows_its_plan_and_how_far_each_item_is"
_AGREE = "tests/pipeline/test_engines_agree.py::"
_REPORTED = f"{_AGREE}test_a_printed_report_is_the_same_of_both"
_COMPARED = f"{_AGREE}test_a_printed_comparison_is_the_same_of_both"
_CHECKED = f"{_AGREE}test_a_printed_check_finds_nothing_in_either"
_GATE = "tests/kraftsim/test_campaign_report.py::test_a_gate_that_is_unknown_names_the_nearest"
_NO_FOLDER = "tests/kraftsim/test_campaign_report.py::test_a_folder_that_is_no_campaign_is_refused"
_ELSEWHERE = (
    "tests/pipeline/test_spark_options.py::"
    "test_a_verb_asks_for_the_session_that_its_options_describe"
)
_ON_SPARK = ("campaign check", "campaign compare", "campaign report", "campaign resume")
_ON_SPARK += ("campaign verify",)
_ANSWERS = (
    "tests/pipeline/live/test_follow_verb.py::test_an_address_where_nobody_answers_is_told_at_once"
)
_FOLLOWED = "tests/pipeline/live/test_in_spark.py::test_the_verb_tells_of_kafkas_own_log"
_FOLLOWED_THERE = (
    "tests/pipeline/live/test_in_spark.py::"
    "test_the_verb_asks_for_the_session_that_its_options_describe"
)
_STORED = (
    "tests/pipeline/live/test_in_spark.py::test_the_verb_stores_and_prints_where_and_how_it_is_told"
)
_HEALTHY = "tests/kraftsim/test_doctor.py::test_no_service_fails_only_at_an_address_that_was_named"
_CLIENTS = (
    "tests/kraftsim/test_doctor.py::"
    "test_a_client_with_an_api_or_version_that_a_listener_lacks_is_named"
)
_OWN = (
    "tests/kraftsim/test_own_files.py::"
    "test_one_that_holds_passes_and_says_that_it_was_put_to_the_test"
)
_OPENED = "tests/kraftsim/test_open_run.py::test_a_failing_seed_opens_at_its_violation"
_PLANTED = "tests/kraftsim/test_sweep_option.py::test_one_run_has_a_bug_planted_and_falls_by_it"
_TAGGED = (
    "tests/kraftsim/test_scenario_verbs.py::"
    "test_a_canary_is_good_among_those_of_a_tag_and_tells_who_names_it"
)
_FATES = "tests/kraftsim/test_explore_verb.py::"
_FROM = f"{_FATES}test_it_prints_how_many_branches_it_explored_and_from_where"
_FATAL = f"{_FATES}test_a_violation_has_the_fates_that_lead_to_it"
_WITHIN = (
    "tests/scenarios/test_explore.py::"
    "test_everything_within_limits_is_good_and_says_how_much_it_was"
)
_BOUNDED = f"{_FATES}test_each_limit_allows_more_states"
_HUNT = "tests/kraftsim/test_hunt_verb.py::"
_HUNTED = f"{_HUNT}test_a_hunt_writes_its_corpus_and_goes_on_from_it"
_SHORT = f"{_HUNT}test_a_hunt_ends_with_the_round_in_which_its_time_is_over"
_GIVEN_SWARM = f"{_HUNT}test_a_hunt_draws_the_plans_of_the_swarm_that_it_is_given"
_PLAIN = f"{_HUNT}test_a_plain_hunt_draws_each_run_anew"
_NO_PROCESS = f"{_HUNT}test_a_hunt_starts_no_process_that_would_have_no_draw"
_JSON_LINES = (
    "tests/kraftsim/test_log_lines.py::test_a_line_as_json_has_its_time_level_and_exception"
)
_READY = (
    "tests/interop/test_formatted_controllers.py::"
    "test_a_listener_of_port_0_is_printed_and_registered_with_the_port_it_bound"
)
_SMALLEST = (
    "tests/scenarios/test_mutants.py::test_a_bug_without_a_smallest_scenario_says_how_to_make_it"
)
_SMALLER = "tests/scenarios/test_mutants.py::test_a_scenario_is_made_smaller_with_a_bug_in_place"
_ROWS = (
    ("campaign list", ("folder", "--output", "--json"), _LISTED),
    ("campaign show", ("folder", "--output", "--json"), _SHOWN),
    ("campaign status", ("folder", "--output", "--json"), _TOLD),
    ("campaign sweep", ("folder",), _SET_ASIDE),
    ("campaign run", ("--out", "--engine"), _RUN),
    ("campaign run", ("--guided", "--runs", "--seed", "--round"), _GUIDED),
    ("campaign run", ("--workers",), _NOBODY),
    ("campaign run", ("--master", "--remote"), _PLACE),
    ("campaign run", ("--conf",), _SETTING),
    ("campaign resume", ("folder",), _SET_ASIDE),
    ("campaign verify", ("folder", "--engine", "--sample"), _SAMPLE),
    ("campaign report", ("folder",), _NO_FOLDER),
    ("campaign report", ("--output", "--json"), _REPORTED),
    ("campaign compare", ("base", "new", "--output", "--json"), _COMPARED),
    ("campaign compare", ("--fail-on",), _GATE),
    ("campaign check", ("folder",), _NO_FOLDER),
    ("campaign check", ("--output", "--json"), _CHECKED),
    *((verb, ("--master", "--remote", "--conf"), _ELSEWHERE) for verb in _ON_SPARK),
    ("campaign report", ("--html",), _REPORTED),
    ("follow", ("--out", "--checkpoint", "--output", "--json"), _STORED),
    ("follow", ("--url",), _ANSWERS),
    ("follow", ("--path", "--once"), _FOLLOWED),
    ("follow", ("--conf", "--master"), _FOLLOWED_THERE),
    ("doctor", ("address",), _HEALTHY),
    ("doctor", ("--output", "--json"), _CLIENTS),
    ("scenario run", ("--allow-code",), _OWN),
    ("scenario run", ("--open",), _OPENED),
    ("scenario run", ("--mutant",), _PLANTED),
    ("scenario run", ("--tag",), _TAGGED),
    ("scenario explore", ("--seed", "--at", "--depth"), _FROM),
    ("scenario explore", ("--mutant",), _FATAL),
    ("scenario explore", ("--epochs", "--writes"), _WITHIN),
    (
        "scenario explore",
        ("--crashes", "--elections", "--losses", "--sessions", "--rebirths", "--stops"),
        _BOUNDED,
    ),
    ("scenario hunt", ("--runs", "--round", "--out", "--seed", "--output", "--json"), _HUNTED),
    ("scenario hunt", ("--swarm",), _GIVEN_SWARM),
    ("scenario hunt", ("--jobs",), _NO_PROCESS),
    ("scenario hunt", ("--minutes",), _SHORT),
    ("scenario hunt", ("--plain",), _PLAIN),
    ("scenario mutants", ("--smallest",), _SMALLEST),
    ("scenario shrink", ("--mutant",), _SMALLER),
    ("agent", ("--log-format",), _JSON_LINES),
    ("controller run", ("--log-format",), _JSON_LINES),
    ("controller run", ("--ready-file",), _READY),
)
TESTED: Mapping[str, str] = {
    f"{verb} {option}": test for verb, options, test in _ROWS for option in options
}
"""Options that act where the walk does not go: the test that fails when the option is ignored."""
_SHARED = "tests/plugin/test_shared.py::"
PLUGIN: Mapping[str, str] = {
    "--kraft-seed": "tests/plugin/test_marker_and_seed.py::test_the_option_seeds_every_cluster",
    "--kraft-explore": (
        "tests/plugin/test_explore.py::test_every_test_with_a_cluster_runs_with_each_seed"
    ),
    "--kraft-faults": (
        "tests/plugin/test_explore.py::test_the_repeat_line_of_a_shrunk_failure_fails_alike"
    ),
    "--kraft-keep": "tests/plugin/test_failures.py::test_a_kept_cluster_answers_until_ctrl_c",
    "chaos": (
        "tests/plugin/test_chaos.py::"
        "test_a_failure_shows_when_its_random_faults_began_and_which_one_it_needs"
    ),
    "loop": "tests/plugin/test_simulated_loop.py::test_an_hour_passes_at_once",
    "scope": (f"{_SHARED}test_a_cluster_lives_as_long_as_its_scope_and_is_as_new_for_each_test"),
    "may_leak": (
        "tests/plugin/test_leaks.py::test_a_test_that_may_leak_or_closes_its_connections_passes"
    ),
    "may_miss": "tests/plugin/test_faults.py::test_a_fault_may_be_allowed_to_miss",
    "may_break": "tests/plugin/test_invariants.py::test_a_marker_waives_properties",
}
"""Options of the plugin of pytest, and arguments of its marker beside those of a cluster."""

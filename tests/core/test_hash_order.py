"""The order of names in Java's hash maps; expected orders are those of a JVM."""

from kraftsim.controller.core.hash_order import (
    ids_in_hash_order,
    in_copied_order,
    in_hash_order,
    in_properties_order,
)

NAMES = [f"name.{n}" for n in dict.fromkeys(i * i % 97 for i in range(24))]


def test_a_hash_map_keeps_the_names_of_a_bucket_in_the_order_of_arrival():
    expected = (33, 44, 96, 64, 31, 53, 25, 36, 47, 12, 24, 9, 16, 49, 4, 3, 2, 1, 0)
    expected += (72, 62, 95, 81, 70)

    assert [f"name.{n}" for n in expected] == in_hash_order(NAMES)
    assert ["Aa", "BB", "cleanup.policy"] == in_hash_order(["cleanup.policy", "Aa", "BB"])


def test_properties_reverse_some_names_when_their_table_doubles():
    arrived = (370, 480, 492, 291, 426, 232, 457, 5, 419, 874, 673, 728, 265)
    expected = (419, 728, 673, 874, 457, 426, 291, 480, 370, 492, 5, 232, 265)

    names = in_properties_order(f"no.such.{n}" for n in arrived)

    assert [f"no.such.{n}" for n in expected] == names


def test_a_hash_set_of_ids_grows_and_keeps_the_ids_of_a_bucket_in_the_order_of_arrival():
    arrived = (40, 8, 17, 1, 33, 18, 31, 65, 64, 97, 70000, 3, 5, 7, 9)
    expected = [64, 1, 33, 65, 97, 3, 5, 7, 40, 8, 9, 17, 70000, 18, 31]

    assert expected == ids_in_hash_order(arrived)
    assert [17, 1, 33, 18, 31] == ids_in_hash_order((17, 1, 33, 18, 31))


def test_a_copied_hash_map_has_as_many_buckets_as_its_names_need():
    arrived = [f"name.{n}" for n in (36, 4, 49, 81, 25, 64)]

    copied = in_copied_order(arrived, copied=3, most=6)
    grown = in_copied_order([*arrived, "name.9"], copied=3, most=7)

    assert [f"name.{n}" for n in (49, 64, 36, 25, 4, 81)] == copied
    assert [f"name.{n}" for n in (64, 36, 25, 9, 49, 4, 81)] == grown


def test_properties_make_room_for_names_that_are_put_at_once():
    together = [f"name.{n}" for n in (36, 4, 49, 81, 25, 64, 9)]

    names = in_properties_order(("name.0", "name.1"), together)

    assert [f"name.{n}" for n in (64, 36, 25, 9, 49, 4, 1, 0, 81)] == names

"""Numbers as Java reads and writes them; expected values are those of a JVM."""

import math

import pytest

from kraftsim.controller.core.java_text import (
    parse_double,
    parse_integer,
    shown_double,
    trim,
)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("+5", 5),
        ("-0", 0),
        ("007", 7),
        ("\u0661\u0662", 12),
        ("-2147483648", -(2**31)),
        ("2147483647", 2**31 - 1),
        ("0" * 5000 + "7", 7),
        ("2147483648", None),
        ("-2147483649", None),
        ("9" * 5000, None),
        ("", None),
        ("-", None),
        ("--1", None),
        (" 1", None),
        ("1_000", None),
        ("1.0", None),
        ("0x10", None),
        ("\U0001d7d1", None),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_an_integer_has_digits_of_any_script_and_a_bound(text, number):
    assert number == parse_integer(text, 32)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("-1.5e-3D", -0.0015),
        ("1E400", math.inf),
        ("-Infinity", -math.inf),
        ("0x1.8p1f", 3.0),
        ("-0x1p99999", -math.inf),
        ("0x1p-99999", 0.0),
        ("nan", None),
        ("inf", None),
        ("1_0", None),
        ("", None),
        (".", None),
        ("1e", None),
        ("0x1.8", None),
        ("\u0661", None),
        ("1" * 32_766 + "x", None),  # in time that grows with the length, not with its square
    ],
    ids=lambda value: repr(value)[:20],
)
def test_a_double_is_decimal_or_hexadecimal(text, number):
    assert number == parse_double(text)


def test_nan_is_a_double():
    number = parse_double("-NaN")

    assert number is not None
    assert math.isnan(number)
    assert "NaN" == shown_double(number)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1.5, "1.5"),
        (-0.001, "-0.001"),
        (-0.00099, "-9.9E-4"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (12345678.9, "1.23456789E7"),
        (-1e-320, "-1.0E-320"),
        (5e-324, "4.9E-324"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (3e21, "3.0E21"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
    ],
)
def test_a_double_is_written_in_digits_or_with_an_exponent(number, text):
    assert text == shown_double(number)


def test_trim_removes_control_characters_and_leaves_unicodes_spaces():
    assert "\u00a0a b\u2003" == trim("\x00\t \u00a0a b\u2003\x1f\n")

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmap_lint.resolve.quantity import Quantity, QuantityError


@pytest.mark.parametrize(
    ("text", "value", "canonical"),
    [
        ("0", "0", "0"),
        ("0Gi", "0", "0"),
        ("1", "1", "1"),
        ("+1", "1", "1"),
        ("-1", "-1", "-1"),
        ("1.", "1", "1"),
        (".5", "0.5", "500m"),
        ("0.5", "0.5", "500m"),
        ("1000m", "1", "1"),
        ("1500m", "1.5", "1500m"),
        ("100u", "0.0001", "100u"),
        ("1n", "1e-9", "1n"),
        ("0.1n", "1e-9", "1n"),
        ("1k", "1000", "1k"),
        ("1000", "1000", "1k"),
        ("12E", str(2**63 - 1), "9223372036854775807"),
        ("1E", "1e18", "1E"),
        ("1Ki", "1024", "1Ki"),
        ("1024Mi", str(1024**3), "1Gi"),
        ("1.5Gi", str(3 * 2**29), "1536Mi"),
        ("0.5Ki", "512", "512"),
        ("0.1Ki", "102.4", "102400m"),
        ("1e3", "1000", "1e3"),
        ("1E3", "1000", "1e3"),
        ("12e-1", "1.2", "1200e-3"),
        (4, "4", "4"),
        (0.5, "0.5", "500m"),
        (4.0, "4", "4"),
    ],
)
def test_reads_and_writes_as_kubernetes(text: str | int | float, value: str, canonical: str) -> None:
    quantity = Quantity.parse(text)
    assert quantity.value == Decimal(value)
    assert str(quantity) == canonical


@pytest.mark.parametrize(
    "text",
    ["", " 1", "1 ", "1g", "1KI", "Gi", "1GiB", "--1", "1..2", "1e", "0x1", "1_000", "NaN", "1e999", "٣", True, 1e999],
)
def test_refuses_what_is_no_quantity(text: str | float) -> None:
    with pytest.raises(QuantityError):
        Quantity.parse(text)


amounts = st.builds(
    lambda number, suffix: f"{number}{suffix}",
    st.integers(0, 10**6),
    st.sampled_from(["", "m", "k", "M", "Ki", "Mi", "Gi", "u"]),
)


@given(amounts)
def test_the_canonical_text_is_the_same_amount(text: str) -> None:
    quantity = Quantity.parse(text)
    assert Quantity.parse(str(quantity)) == quantity
    assert str(Quantity.parse(str(quantity))) == str(quantity)


@given(amounts, amounts, amounts)
def test_sums_do_not_depend_on_order(one: str, two: str, three: str) -> None:
    a, b, c = Quantity.parse(one), Quantity.parse(two), Quantity.parse(three)
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert a + a + a == a * 3


def test_a_sum_keeps_the_notation_of_what_is_there() -> None:
    assert str(Quantity(0) + Quantity.parse("4Gi")) == "4Gi"
    assert str(Quantity.parse("4Gi") * 16) == "64Gi"
    assert str(Quantity.parse("100m") + Quantity.parse("900m")) == "1"


def test_quantities_compare_by_amount() -> None:
    assert Quantity.parse("1Gi") == Quantity.parse(str(1024**3))
    assert Quantity.parse("1G") < Quantity.parse("1Gi")
    assert len({Quantity.parse("1"), Quantity.parse("1000m")}) == 1
    assert not Quantity(0)

"""Kubernetes quantities, exactly (floor 2).

``500m``, ``4Gi``, ``1e3``: a number with a suffix, as apimachinery's ``resource.Quantity`` reads and writes it.
Values are decimals; nothing is ever a float.
"""

from __future__ import annotations

import functools
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from functools import total_ordering
from typing import Final, Literal

Notation = Literal["binary", "decimal", "exponent"]

_BINARY: Final = {suffix: 1024**power for power, suffix in enumerate(("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"))}
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_SUFFIX_OF: Final = {power: suffix for suffix, power in _DECIMAL.items()}
_PATTERN: Final = re.compile(
    r"(?P<number>[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?:[eE](?P<exponent>[+-]?[0-9]+)|(?P<suffix>[KMGTPE]i|[numkMGTPE]?))\Z"
)
# Enough digits for every product below; a quantity itself is capped at 2^63 - 1.
_EXACT: Final = Context(prec=200)
_NANO: Final = Decimal("1e-9")
_LARGEST: Final = Decimal(2**63 - 1)


class QuantityError(ValueError):
    """A text that is no quantity."""


@total_ordering
class Quantity:
    """An amount, and the notation it was written in, which sums keep.

    Read as Kubernetes reads it: finer than a billionth is rounded up, larger than 2^63 - 1 is cut to that.
    """

    __slots__ = ("notation", "value")

    def __init__(self, value: Decimal | int, notation: Notation = "decimal") -> None:
        self.value = Decimal(value)
        self.notation: Notation = notation

    @classmethod
    def parse(cls, text: str | int | float) -> Quantity:
        """Read a quantity; a JSON number is read as its text. Raises :class:`QuantityError`."""
        return _parsed(text if isinstance(text, str) else _number_text(text))

    @classmethod
    def _parse(cls, written: str) -> Quantity:
        match = _PATTERN.match(written)
        if match is None or len(written) > 64:
            raise QuantityError(f"{written[:40]!r} is no quantity")
        number = Decimal(match["number"])
        notation: Notation = "decimal"
        if match["exponent"] is not None:
            exponent = int(match["exponent"])
            if abs(exponent) > 100:
                raise QuantityError(f"{written!r} is no quantity")
            number, notation = number.scaleb(exponent, _EXACT), "exponent"
        elif match["suffix"] in _BINARY and match["suffix"]:
            number, notation = _EXACT.multiply(number, Decimal(_BINARY[match["suffix"]])), "binary"
        else:
            number = number.scaleb(_DECIMAL[match["suffix"] or ""], _EXACT)
        rounding = ROUND_CEILING if number > 0 else ROUND_FLOOR
        number = number.quantize(_NANO, rounding, _EXACT)
        return cls(max(-_LARGEST, min(_LARGEST, number)), notation)

    def __add__(self, other: Quantity) -> Quantity:
        # The notation of what is not zero counts: nothing plus 4Gi is written in Gi.
        return Quantity(self.value + other.value, other.notation if not self.value else self.notation)

    def __mul__(self, times: int) -> Quantity:
        return Quantity(_EXACT.multiply(self.value, Decimal(times)), self.notation)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self.value == other.value

    def __lt__(self, other: Quantity) -> bool:
        return self.value < other.value

    def __hash__(self) -> int:
        return hash(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __repr__(self) -> str:
        return f"Quantity({str(self)!r})"

    def __str__(self) -> str:
        """The canonical text: the largest suffix without a fraction."""
        if not self.value:
            return "0"
        if self.notation == "binary" and self.value == self.value.to_integral_value() and abs(self.value) >= 1024:
            amount, suffix = int(self.value), ""
            for candidate in ("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"):
                if amount % 1024:
                    break
                amount, suffix = amount // 1024, candidate
            return f"{amount}{suffix}"
        amount, power = int(self.value.scaleb(9, _EXACT)), -9
        while amount % 1000 == 0 and power < 18:
            amount, power = amount // 1000, power + 3
        if self.notation == "exponent":
            return f"{amount}e{power}" if power else str(amount)
        return f"{amount}{_SUFFIX_OF[power]}"


@functools.lru_cache(maxsize=1024)
def _parsed(written: str) -> Quantity:
    # The same few amounts are asked for by every pod.
    return Quantity._parse(written)


def _number_text(number: int | float) -> str:
    if isinstance(number, bool):
        raise QuantityError(f"{number} is no quantity")
    text = repr(number)
    return text.removesuffix(".0")

"""What consumers make of an object by a definition: pure functions over outcomes of the engine (floor 2).

Nothing here evaluates jq. Every function takes a lookup from an expression to the outcome it had on one
object, so that one call of the engine can serve all of them.
"""

from __future__ import annotations

from collections.abc import Callable

from wmap_lint.definition import Expression
from wmap_lint.jq.engine import Failure, FailureKind, Outcome

Outcomes = Callable[[Expression], Outcome]
"""The outcome of each expression of a definition on one object."""

_EMPTY = Failure(FailureKind.COMPILE, "the expression is empty")


def outcome_of(outcomes: Outcomes, expression: Expression | None) -> Outcome:
    """The outcome of ``expression``; one that is empty or missing where it has to be does not compile."""
    return outcomes(expression) if expression is not None and expression.text else _EMPTY


__all__ = ["Outcomes", "outcome_of"]

"""What consumers make of an object by a definition: pure functions over outcomes of the engine (floor 2).

Nothing here evaluates jq. Every function takes a lookup from an expression to the outcome it had on one
object, so that one call of the engine can serve all of them.

The package can be called: ``wmap_lint.resolve(definition, workload, pods)`` is :func:`wmap_lint.catalog.resolve`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from wmap_lint.definition import Definition, Expression
from wmap_lint.jq.engine import Failure, FailureKind, Outcome

if TYPE_CHECKING:
    from wmap_lint.resolve.view import WorkloadView

Outcomes = Callable[[Expression], Outcome]
"""The outcome of each expression of a definition on one object."""

_EMPTY = Failure(FailureKind.COMPILE, "the expression is empty")


def outcome_of(outcomes: Outcomes, expression: Expression | None) -> Outcome:
    """The outcome of ``expression``; one that is empty or missing where it has to be does not compile."""
    return outcomes(expression) if expression is not None and expression.text else _EMPTY


class _CallablePackage(ModuleType):
    # `wmap_lint.resolve` is the function of the public interface and this package; importing a package puts it into
    # the one above, so whichever is asked for first, the other has to be the same object.

    def __call__(
        self, definition: Definition, workload: Any, pods: Sequence[Any] = (), owners: Sequence[Any] = ()
    ) -> WorkloadView:
        from wmap_lint.catalog import resolve

        return resolve(definition, workload, pods, owners)


sys.modules[__name__].__class__ = _CallablePackage

__all__ = ["Outcomes", "outcome_of"]

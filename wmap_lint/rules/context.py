"""What a rule reads: one document and what was found out about it, computed once and when asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from wmap_lint.definition import Definition, load
from wmap_lint.paths import DocumentPath, lookup
from wmap_lint.rules.unknown_fields import UnknownField, explain
from wmap_lint.schema import ProblemKind, SchemaProblem, definition_problems
from wmap_lint.source import Document


def _related(one: DocumentPath, other: DocumentPath) -> bool:
    """Whether one path leads to, or through, the other."""
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


@dataclass
class Context:
    """One definition under examination."""

    document: Document
    definition: Definition

    @classmethod
    def of(cls, document: Document) -> Context:
        """The context of ``document``."""
        return cls(document, load(document))

    @cached_property
    def schema_problems(self) -> tuple[SchemaProblem, ...]:
        """What the document breaks of its schema, in document order.

        A field that is missing because it is misspelt is left out.
        """
        return tuple(
            problem
            for problem in self._all_schema_problems
            if not (problem.kind is ProblemKind.MISSING_FIELD and self._is_misspelt(problem))
            and not (problem.kind is ProblemKind.WRONG_TYPE and self._is_not_finite(problem))
        )

    def _is_misspelt(self, problem: SchemaProblem) -> bool:
        missing = (*problem.path, problem.name)
        return any(path[: len(missing)] == missing for unknown in self.unknown_fields for path in unknown.meant)

    def _is_not_finite(self, problem: SchemaProblem) -> bool:
        """Whether the value is infinity or not-a-number, which is reported where the file is read."""
        return problem.value is None and self.document.raw(problem.path).lower().lstrip("+-") in {".inf", ".nan"}

    @cached_property
    def unknown_fields(self) -> tuple[UnknownField, ...]:
        """The fields the schema does not know, with what they may stand for."""
        return tuple(
            explain(problem, self._keys(problem.path[:-1]))
            for problem in self._all_schema_problems
            if problem.kind is ProblemKind.UNKNOWN_FIELD
        )

    @cached_property
    def _all_schema_problems(self) -> tuple[SchemaProblem, ...]:
        return definition_problems(self.document.data)

    def _keys(self, path: DocumentPath) -> tuple[str, ...]:
        value = lookup(self.document.data, path)
        return tuple(value) if isinstance(value, dict) else ()

    @cached_property
    def _doubtful(self) -> tuple[DocumentPath, ...]:
        wrong = [problem.path for problem in self._all_schema_problems if problem.kind is ProblemKind.WRONG_TYPE]
        meant = [path for unknown in self.unknown_fields for path in unknown.meant]
        return (*wrong, *meant)

    def is_doubtful(self, path: DocumentPath) -> bool:
        """Whether ``path`` does not say what its author meant, which is reported as such.

        That is so when it, something above or something below it has the wrong type, or when an unknown field
        stands for one of these, or when an unknown field beside it stands for nothing known. Rules that build
        on what ``path`` holds, or on its absence, keep quiet then: the fault has been told.
        """
        return any(_related(path, doubtful) for doubtful in self._doubtful) or any(
            not unknown.meant and unknown.path[:-1] == path[:-1] for unknown in self.unknown_fields
        )

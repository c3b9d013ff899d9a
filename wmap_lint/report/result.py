"""What a report needs to know of a result: the shape of ``wmap_lint.checker.CheckResult``, which is a floor below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from wmap_lint.diagnostic import Diagnostic, Span


class Lines(Protocol):
    """The text of a file."""

    def line(self, number: int) -> str:
        """A line, numbered from 1, without its line end; empty where there is none."""


class TypedDefinition(Protocol):
    """A definition that was typed."""

    @property
    def definition(self) -> str:
        """Its file."""

    @property
    def kind(self) -> str:
        """The kind it is about, with group and version."""

    @property
    def crd(self) -> str | None:
        """The CRD that was used; None for a kind of Kubernetes' own."""

    @property
    def crd_file(self) -> str | None:
        """The file of that CRD."""


class Summary(Protocol):
    """What was looked at."""

    @property
    def files(self) -> int:
        """Files read."""

    @property
    def definitions(self) -> int:
        """Definitions checked."""

    @property
    def skipped_documents(self) -> int:
        """Other documents in those files."""

    @property
    def expressions(self) -> int:
        """Jq texts analysed."""

    @property
    def fixtures(self) -> int:
        """Scenarios run, frames of journeys among them."""

    @property
    def frames(self) -> int:
        """How many of these are frames of journeys."""

    @property
    def states(self) -> int:
        """States whose status was evaluated: those of status models, else scenarios."""

    @property
    def all_states(self) -> bool:
        """Whether these are all that can be written, by the models."""

    @property
    def matchers(self) -> int:
        """Matchers that were held to a status model."""

    @property
    def covered(self) -> int:
        """How many of these fire in a state and in a fixture."""

    @property
    def rules(self) -> int:
        """Rules that were active."""

    @property
    def typed(self) -> Sequence[TypedDefinition]:
        """The definitions whose expressions were typed against a schema."""


class Coverage(Protocol):
    """How often one matcher fires."""

    @property
    def status(self) -> str:
        """The status it is of."""

    @property
    def span(self) -> Span:
        """Where it stands."""

    @property
    def states(self) -> int:
        """In how many states it fires."""

    @property
    def fixtures(self) -> tuple[str, ...]:
        """In which scenarios it fires."""


class StateSpace(Protocol):
    """What of a definition's states was looked at."""

    @property
    def definition(self) -> str:
        """The name of the definition."""

    @property
    def by_model(self) -> bool:
        """Whether a status model says which states there are; otherwise they are guessed."""

    @property
    def complete(self) -> bool:
        """Whether all of them were looked at; otherwise a sample."""

    @property
    def combinations(self) -> int:
        """How many there are, those that are impossible among them."""

    @property
    def states(self) -> int:
        """How many possible ones were looked at."""

    @property
    def seed(self) -> int:
        """What the sample was drawn by."""

    @property
    def matchers(self) -> Sequence[Coverage]:
        """The matchers of the definition."""


class Result(Protocol):
    """The outcome of a check."""

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The findings, in reading order."""

    @property
    def summary(self) -> Summary:
        """What was looked at."""

    @property
    def sources(self) -> Mapping[str, Lines]:
        """The files by display name; one that could not be read is absent."""

    @property
    def spaces(self) -> Sequence[StateSpace]:
        """What of each definition's states was looked at."""

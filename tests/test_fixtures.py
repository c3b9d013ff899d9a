from __future__ import annotations

from pathlib import Path

import pytest

from wmap_lint.definition import GroupVersionKind, load
from wmap_lint.fixtures import (
    CANONICAL,
    EMPTY,
    MOST_FILES,
    Corpus,
    FixtureProblem,
    ProblemKind,
    fixtures_folder,
    instance_key,
    load_corpus,
    split_instance,
)
from wmap_lint.source import read

WIDGET = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: demo}\nstatus: {phase: Up}\n"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: demo-0}\n"
JOB = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: demo}\n"
EXPECTED = """\
provenance: {source: recorded, operator: widget-operator, version: v1.0.0}
status: Running
components:
  leader: {replicas: 1}
  "worker[a]": {replicas: 2, pods: 2}
totals: {pods: 3}
"""


@pytest.fixture
def kind() -> GroupVersionKind:
    text = "spec: {structureDefinition: {rootComponent: {kind: {group: example.com, version: v1, kind: Widget}}}}"
    found = load(read(text, "definition.yaml").documents[0]).gvk
    assert found is not None
    return found


def corpus(folder: Path, files: dict[str, str], kind: GroupVersionKind | None = None) -> Corpus:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return load_corpus(folder, kind)


def only_problem(found: Corpus) -> FixtureProblem:
    assert len(found.problems) == 1, found.problems
    return found.problems[0]


def test_a_scenario_with_all_it_has(tmp_path: Path, kind: GroupVersionKind) -> None:
    files = {
        "running-two-groups.yaml": "---\n".join([WIDGET, JOB, POD]),
        "running-two-groups.expected.yaml": EXPECTED,
        "status-model.yaml": "base: running.yaml\n",
        "README.md": "Widgets\n",
        ".hidden.yaml": "[",
    }
    found = corpus(tmp_path, files, kind)
    assert found.problems == ()
    (scenario,) = found.scenarios
    assert (scenario.name, scenario.canonical, scenario.journey) == ("running-two-groups", "running", None)
    assert scenario.label == "running-two-groups"
    assert scenario.file == str(tmp_path / "running-two-groups.yaml")
    assert scenario.workload["kind"] == "Widget"
    assert [pod["metadata"]["name"] for pod in scenario.pods] == ["demo-0"]
    assert [other["kind"] for other in scenario.others] == ["Job"]
    assert (scenario.span(("status", "phase")).line, scenario.span(("status", "phase")).column) == (4, 10)
    expectation = scenario.expectation
    assert expectation is not None
    assert expectation.status == "Running"
    assert expectation.describes_components
    assert expectation.instances("leader") == {"": {"replicas": 1}}
    assert expectation.instances("worker") == {"a": {"replicas": 2, "pods": 2}}
    assert expectation.instances("work") == {}
    assert expectation.span(("status",)).line == 2


def test_journeys_come_after_the_scenarios_that_stand_alone(tmp_path: Path) -> None:
    files = {
        "a-resize/01-running.yaml": WIDGET,
        "a-resize/02-scaled.yaml": WIDGET,
        "a-resize/02-scaled.expected.yaml": EXPECTED,
        "running.yaml": WIDGET,
        "running.expected.yaml": EXPECTED,
    }
    found = corpus(tmp_path, files)
    assert found.problems == ()
    assert [scenario.label for scenario in found.scenarios] == ["running", "a-resize/01-running", "a-resize/02-scaled"]
    assert [scenario.name for scenario in found.scenarios] == ["running", "running", "scaled"]
    assert [scenario.expectation is not None for scenario in found.scenarios] == [True, False, True]


def test_no_folder_no_fixtures_no_problem() -> None:
    assert load_corpus(None) == EMPTY == Corpus()


@pytest.mark.parametrize(
    ("name", "text", "place", "words"),
    [
        ("running.yaml", "a: [\n", (1, 4), "never closed"),
        ("running.yaml", "", (1, 1), "empty"),
        ("running.yaml", "- 1\n", (1, 1), "no Kubernetes object"),
        ("running.yaml", WIDGET + "---\nkind: Pod\n", (6, 1), "no Kubernetes object"),
        ("running.yaml", WIDGET.replace("Widget", "Gadget"), (2, 7), "example.com/v1 Gadget"),
        ("running.yaml", WIDGET.replace("example.com", "example.org"), (1, 13), "example.org/v1 Widget"),
        ("running.yaml", WIDGET + "status: {}\n", (5, 1), "given twice"),
        ("running.expected.yaml", "a: [\n", (1, 4), "never closed"),
        ("running.expected.yaml", "", (1, 1), "says nothing"),
        ("running.expected.yaml", EXPECTED.replace("Running", "Runing"), (2, 9), "`status` cannot be 'Runing'"),
        ("running.expected.yaml", EXPECTED.replace("status: Running\n", ""), (1, 1), "lacks `status`"),
        ("running.expected.yaml", EXPECTED + "gang: []\n", (7, 1), "`gang` is no field"),
        ("running.expected.yaml", EXPECTED.replace("pods: 3", "pods: many"), (6, 16), "of type integer"),
        ("running.expected.yaml", EXPECTED.replace("source: recorded", "source: authored"), (1, 1), "lacks `evidence`"),
    ],
)
def test_what_cannot_be_used(
    tmp_path: Path, kind: GroupVersionKind, name: str, text: str, place: tuple[int, int], words: str
) -> None:
    files = {"running.yaml": WIDGET, "running.expected.yaml": EXPECTED, name: text}
    found = corpus(tmp_path, files, kind)
    problem = only_problem(found)
    other = "example." in words
    assert problem.kind is (ProblemKind.OTHER_KIND if other else ProblemKind.UNUSABLE)
    assert problem.span.file == str(tmp_path / name)
    assert (problem.span.line, problem.span.column) == place
    assert words in problem.message
    if name == "running.yaml":
        assert found.scenarios == ()
    else:
        assert [scenario.expectation for scenario in found.scenarios] == [None]


def test_several_faults_of_one_expectation_are_one_problem(tmp_path: Path) -> None:
    text = "status: Runing\nfoo: 1\n"
    problem = only_problem(corpus(tmp_path, {"running.yaml": WIDGET, "running.expected.yaml": text}))
    assert "(2 more in this file)" in problem.message


@pytest.mark.parametrize(
    ("field", "hint"),
    [("statsu: Running\nstatus", "Did you mean `status`?"), ("colour: red\nstatus", "Known here: `provenance`")],
)
def test_unknown_fields_of_an_expectation_have_a_hint(tmp_path: Path, field: str, hint: str) -> None:
    text = EXPECTED.replace("status", field, 1)
    problem = only_problem(corpus(tmp_path, {"running.yaml": WIDGET, "running.expected.yaml": text}))
    assert problem.hint is not None
    assert problem.hint.startswith(hint)


@pytest.mark.parametrize(
    ("name", "hint"), [("runing-fast", "Did you mean `running`?"), ("ready", "Begin the name with one of created")]
)
def test_names_that_are_not_canonical(tmp_path: Path, name: str, hint: str) -> None:
    found = corpus(tmp_path, {f"{name}.yaml": WIDGET, f"{name}.expected.yaml": EXPECTED})
    problem = only_problem(found)
    assert problem.kind is ProblemKind.UNKNOWN_NAME
    assert problem.hint is not None
    assert problem.hint.startswith(hint)
    assert len(found.scenarios) == 1  # it is evaluated all the same


def test_a_frame_without_a_number(tmp_path: Path) -> None:
    found = corpus(tmp_path, {"resize/running.yaml": WIDGET})
    assert only_problem(found).kind is ProblemKind.UNKNOWN_NAME
    assert found.scenarios == ()


def test_one_without_the_other(tmp_path: Path) -> None:
    found = corpus(tmp_path, {"running.yaml": WIDGET, "runing.expected.yaml": EXPECTED})
    assert [problem.kind for problem in found.problems] == [ProblemKind.UNPAIRED, ProblemKind.UNPAIRED]
    assert [Path(problem.span.file).name for problem in found.problems] == ["running.yaml", "runing.expected.yaml"]
    assert found.problems[1].hint == "Did you mean `running.expected.yaml`?"


def test_a_file_that_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "running.yaml").symlink_to(tmp_path / "nowhere")
    (tmp_path / "running.expected.yaml").write_text(EXPECTED)
    assert only_problem(load_corpus(tmp_path)).kind is ProblemKind.UNUSABLE


def test_a_folder_that_cannot_be_listed(tmp_path: Path) -> None:
    problem = only_problem(load_corpus(tmp_path / "missing"))
    assert problem.kind is ProblemKind.UNUSABLE
    assert problem.span.file == str(tmp_path / "missing")


def test_very_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_FILES > 1000
    monkeypatch.setattr("wmap_lint.fixtures.MOST_FILES", 2)
    files = {name: text for stem in ("a-b", "running") for name, text in pair(stem).items()}
    found = corpus(tmp_path, files)
    assert any("of which the first 2 are read" in problem.message for problem in found.problems)


def pair(stem: str) -> dict[str, str]:
    return {f"{stem}.yaml": WIDGET, f"{stem}.expected.yaml": EXPECTED}


# -- where they are ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "folder", "fixtures"),
    [
        ("catalog/widget.yaml", "fixtures/widget", None),
        ("catalog/widget.yaml", "fixtures/by-name", None),
        ("definitions/widget.yaml", "definitions/fixtures/widget", None),
        ("definitions/widget.yml", "definitions/fixtures/by-name", None),
        ("catalog/widget.yaml", "elsewhere/widget", "elsewhere"),
        ("catalog/widget.yaml", "elsewhere/by-name", "elsewhere"),
        ("widget.yaml", "fixtures/widget", None),
    ],
)
def test_where_fixtures_are(tmp_path: Path, file: str, folder: str, fixtures: str | None) -> None:
    (tmp_path / folder).mkdir(parents=True)
    given = None if fixtures is None else tmp_path / fixtures
    assert fixtures_folder(tmp_path / file, "by-name", given) == tmp_path / folder


def test_the_file_name_comes_first(tmp_path: Path) -> None:
    for name in ("widget", "by-name"):
        (tmp_path / "fixtures" / name).mkdir(parents=True)
    assert fixtures_folder(tmp_path / "catalog" / "widget.yaml", "by-name") == tmp_path / "fixtures" / "widget"


def test_relative_paths_stay_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fixtures" / "widget").mkdir(parents=True)
    (tmp_path / "catalog").mkdir()
    monkeypatch.chdir(tmp_path)
    assert fixtures_folder(Path("catalog/widget.yaml"), None) == Path("fixtures/widget")
    monkeypatch.chdir(tmp_path / "catalog")
    assert fixtures_folder(Path("widget.yaml"), None) == Path("../fixtures/widget")


@pytest.mark.parametrize("name", ["..", "../secret", ".", "", None, "/", "a/b"])
def test_a_name_cannot_lead_elsewhere(tmp_path: Path, name: str | None) -> None:
    for folder in ("fixtures/a/b", "secret", "fixtures"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    assert fixtures_folder(tmp_path / "catalog" / "widget.yaml", name) is None


@pytest.mark.parametrize(
    ("key", "parts"), [("worker", ("worker", "")), ("worker[a]", ("worker", "a")), ("odd[", ("odd[", ""))]
)
def test_instance_keys(key: str, parts: tuple[str, str]) -> None:
    assert split_instance(key) == parts
    assert instance_key(*parts) == key


# -- those of the project ---------------------------------------------------------------------------------------

PROJECT = Path(__file__).parents[1]
CATALOG = sorted((PROJECT / "catalog").glob("*.yaml"))


@pytest.mark.parametrize("file", CATALOG, ids=lambda file: file.stem)
def test_the_fixtures_of_the_catalog_are_in_order(file: Path) -> None:
    definition = load(read(file.read_bytes(), str(file)).documents[0])
    found = load_corpus(fixtures_folder(file, definition.name), definition.gvk)
    assert found.problems == ()
    assert found.scenarios
    for scenario in found.scenarios:
        assert scenario.canonical in CANONICAL
        assert scenario.expectation is not None or scenario.journey is not None

"""`check --update-expected`: what is rewritten, what stays, and what is left alone."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import ROOT, run
from tests.rules.fixture_files import DEFINITION, FIXTURES, example_files, write_files
from wmap_lint.catalog import Resolver, load_definition
from wmap_lint.checker import Options, check_paths
from wmap_lint.expected import Computed, computed
from wmap_lint.fixtures import Scenario, fixtures_folder, load_corpus
from wmap_lint.update import rewritten, update_expected

GOOD = example_files("WM710")["Good"]
EXPECTED = f"{FIXTURES}/running.expected.yaml"
CATALOG = sorted((ROOT / "catalog").glob("*.yaml"))
STATED = """\
# Two roles.
provenance:   # from our cluster
  source: recorded
  operator: 'widget-operator'
  version: "v1.0.0"
status: Running  # by a person
components:
  head: {replicas: 1, pods: 1}   # the one head
  worker:
    replicas: 9
    pods: 2  # two of them
gangs:
- {name: training, minMember: 7, pods: [demo-0]}  # all at once
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_files(tmp_path, GOOD)
    return tmp_path


def updated(project: Path, text: str) -> str:
    (project / EXPECTED).write_text(text, encoding="utf-8")
    update_expected([project / DEFINITION])
    return (project / EXPECTED).read_text(encoding="utf-8")


def test_only_what_differs_changes_and_comments_stay(project: Path) -> None:
    assert updated(project, STATED) == STATED.replace("replicas: 9", "replicas: 2").replace(
        "minMember: 7, pods: [demo-0]}  #", "minMember: 3, pods: [demo-0, demo-1, demo-2]} #"
    ).replace("gangs:\n", "totals: {pods: 3, requests: {}}\ngangs:\n")
    assert check_paths([project / DEFINITION]).diagnostics == ()


def test_a_wrong_status_stays_wrong(project: Path) -> None:
    after = updated(project, STATED.replace("status: Running", "status: Failed"))
    assert "status: Failed  # by a person" in after
    assert "operator: 'widget-operator'" in after
    assert {each.rule for each in check_paths([project / DEFINITION]).diagnostics} == {"WM501"}


def test_bounds_are_stated_where_the_definition_reads_any(project: Path) -> None:
    definition = project / DEFINITION
    text = definition.read_text(encoding="utf-8")
    count = "replicasPath: .spec.worker.replicas"
    assert count in text
    definition.write_text(text.replace(count, f"{count}, minReplicasPath: '1', maxReplicasPath: '4'"))
    after = updated(project, STATED)
    assert "    replicas: 2\n    minReplicas: 1\n    maxReplicas: 4\n    pods: 2  # two of them\n" in after
    assert updated(project, after) == after
    wrong = after.replace("maxReplicas: 4", "maxReplicas: 3")
    (project / EXPECTED).write_text(wrong, encoding="utf-8")
    (found,) = check_paths([definition], Options(select=("WM404",))).diagnostics
    assert "The most replicas of `worker` are not as expected" in found.message
    definition.write_text(text)
    least, most = check_paths([definition], Options(select=("WM404",))).diagnostics
    assert "`worker` has nothing, expected 1" in least.message
    assert "`worker` has nothing, expected 3" in most.message
    assert updated(project, wrong) == after.replace("    minReplicas: 1\n    maxReplicas: 4\n", "").replace(
        "minMember: 2", "minMember: 3"
    )


def test_components_come_and_go(project: Path) -> None:
    text = STATED.replace("  head: {replicas: 1, pods: 1}   # the one head\n", "  stranger: {pods: 1}\n")
    after = updated(project, text)
    assert "stranger" not in after
    assert "head: {replicas: 1, pods: 1}" in after


def test_amounts_are_compared_as_amounts(project: Path) -> None:
    running = project / FIXTURES / "running.yaml"
    running.write_text(
        GOOD[f"{FIXTURES}/running.yaml"].replace(
            "image: app}", "image: app, resources: {requests: {cpu: 500m, memory: 1Gi}}}"
        )
    )
    text = (
        "provenance: {source: recorded, operator: widget-operator, version: v1.0.0}\nstatus: Running\ncomponents:\n"
        "  head: {requests: {cpu: '0.5', memory: 2Gi}}\n  worker: {requests: {}}\ntotals: {requests: {gpu: '1'}}\n"
    )
    assert updated(project, text) == text.replace("memory: 2Gi", 'memory: "1Gi"').replace(
        "worker: {requests: {}}", 'worker: {requests: {cpu: "1", memory: "2Gi"}}'
    ).replace("requests: {gpu: '1'}", 'requests: {cpu: "1500m", memory: "3Gi"}')


def test_gangs_that_nobody_states_are_not_added(project: Path) -> None:
    assert "gangs" not in updated(project, STATED[: STATED.index("gangs:")])


def test_gangs_that_are_gone_and_gangs_with_subgroups(project: Path) -> None:
    groups = "podGroup:\n        name: training\n        subGroups: [{componentName: head}, {componentName: worker}]\n"
    (project / DEFINITION).write_text(GOOD[DEFINITION].replace("podGroup:\n        name: training\n", groups))
    after = updated(project, STATED)
    assert (
        "- {name: training, pods: [demo-0, demo-1, demo-2], subGroups: [{name: head, minMember: 1, pods: [demo-0]}, "
        "{name: worker, minMember: 2, pods: [demo-1, demo-2]}]} # all at once\n"
    ) in after
    (project / DEFINITION).write_text(GOOD[DEFINITION][: GOOD[DEFINITION].index("  optimizationInstructions")])
    assert updated(project, STATED).rstrip().endswith("gangs: []")


def test_a_missing_expectation_waits_for_a_person(project: Path) -> None:
    (project / EXPECTED).unlink()
    done = run("check", project / DEFINITION, "--update-expected", "--format", "concise")
    text = (project / EXPECTED).read_text()
    assert "status: TODO\ncomponents:\n" in text
    assert "  worker: {replicas: 2, pods: 2, requests: {}}\n" in text
    assert "gangs:\n- {name: training, minMember: 3, pods: [demo-0, demo-1, demo-2]}\n" in text
    assert "created" in done.stderr.decode()
    assert b"WM409" in done.stdout
    assert done.returncode == 1
    again = run("check", project / DEFINITION, "--update-expected")
    assert (project / EXPECTED).read_text() == text
    assert b"it is left alone" in again.stderr


def test_a_frame_of_a_journey_needs_no_expectation(project: Path) -> None:
    frame = f"{FIXTURES}/grow/01-running.yaml"
    write_files(project, {frame: GOOD[f"{FIXTURES}/running.yaml"], EXPECTED: STATED})
    update_expected([project / DEFINITION])
    assert os.listdir(project / FIXTURES / "grow") == ["01-running.yaml"]


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        (".spec.worker.template", ".spec.wroker.template", "WM401"),
        (".spec.worker.replicas", ".spec.worker.replicas |", "WM201"),
        ("value: worker", "value: wroker", "WM601"),
    ],
)
def test_what_is_not_to_be_trusted_is_not_written(project: Path, before: str, after: str, code: str) -> None:
    (project / DEFINITION).write_text(GOOD[DEFINITION].replace(before, after))
    (project / EXPECTED).write_text(STATED)
    done = update_expected([project / DEFINITION])
    assert (project / EXPECTED).read_text() == STATED
    assert (done.changed, done.created) == ((), ())
    (message,) = done.left
    assert f"because of {code} in line" in message


def test_line_ends_the_mark_the_mode_and_links_stay(project: Path) -> None:
    real = project / "elsewhere.yaml"
    real.write_bytes(b"\xef\xbb\xbf" + STATED.replace("\n", "\r\n").encode())
    real.chmod(0o640)
    (project / EXPECTED).unlink()
    (project / EXPECTED).symlink_to(real)
    update_expected([project / DEFINITION])
    content = real.read_bytes()
    assert b"replicas: 2\r\n" in content
    assert b"\n" not in content.replace(b"\r\n", b"")
    assert content.startswith(b"\xef\xbb\xbf#")
    assert real.stat().st_mode & 0o777 == 0o640
    assert (project / EXPECTED).is_symlink()
    assert [path for path in (project / FIXTURES).iterdir() if path.name.startswith(".")] == []


def test_lists_that_stand_further_in_stay_so(project: Path) -> None:
    text = STATED.replace("gangs:\n- {", "gangs:\n  - {").replace(
        "status:", "  evidence:\n    - example/widget-operator@v1:a.go\nstatus:"
    )
    after = updated(project, text)
    assert "\n    - example/widget" in after
    assert "\n  - {name: training" in after


def test_standard_input_and_the_shipped_catalog_are_not_rewritten(tmp_path: Path) -> None:
    done = run("check", "-", "--update-expected", stdin=GOOD[DEFINITION].encode())
    assert (done.returncode, done.stdout) == (2, b"")
    done = run("check", "--update-expected", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"name the definitions" in done.stderr


# -- the project's own ------------------------------------------------------------------------------------------


def of_the_catalog() -> Iterator[tuple[Scenario, Computed]]:
    """Every sixth one: that the numbers are right is checked of all, by the rules."""
    with Resolver() as resolver:
        for file in CATALOG:
            definition = load_definition(file)
            for scenario in load_corpus(fixtures_folder(file, definition.name), definition.gvk).scenarios[::6]:
                view = resolver.resolve(definition, scenario.workload, scenario.pods, scenario.others)
                yield scenario, computed(definition, view)


def test_our_own_golden_files_are_up_to_date_and_would_be_written_as_they_are() -> None:
    cases = list(of_the_catalog())
    assert len(cases) > 50
    for scenario, found in cases:
        assert scenario.expectation is not None
        text = Path(scenario.expectation.file).read_text(encoding="utf-8")
        assert rewritten(text, found) == text, scenario.file


def test_our_own_golden_files_come_back_when_their_numbers_are_lost(tmp_path: Path) -> None:
    name = "kubeflow-org-pytorchjob-v1"
    shutil.copytree(ROOT / "fixtures" / name, tmp_path / "fixtures" / name)
    (tmp_path / "catalog").mkdir()
    shutil.copy(ROOT / "catalog" / f"{name}.yaml", tmp_path / "catalog")
    files = sorted((tmp_path / "fixtures" / name).glob("*.expected.yaml"))
    before = {path: path.read_text() for path in files}
    for path, text in before.items():
        path.write_text(
            text.replace("replicas: 3", "replicas: 4").replace('"128Gi"', '"1Gi"').replace("pods: 4", "pods: 1")
        )
    done = update_expected([tmp_path / "catalog"])
    assert {path: path.read_text() for path in files} == before
    assert 5 < len(done.changed) <= len(files)

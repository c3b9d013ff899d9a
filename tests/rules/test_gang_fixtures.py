"""Gangs of fixtures, and the golden files that state them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.fixture_files import DEFINITION, FIXTURES, check_files, example_files, pointed_at
from wmap_lint.diagnostic import Diagnostic
from wmap_lint.jq.engine import Engine

RUNNING = f"{FIXTURES}/running.yaml"
EXPECTED = f"{FIXTURES}/running.expected.yaml"
GOOD = example_files("WM710")["Good"]
POD_GROUP = "      podGroup:\n        name: training\n"
SUB_GROUPS = POD_GROUP + "        subGroups:\n        - componentName: head\n        - componentName: worker\n"
MEMBER = "      podGroups:\n      - name: training\n        members:\n        - componentName: widget\n"


def check(folder: Path, engine: Engine, *changes: tuple[str, str, str]) -> tuple[list[Diagnostic], str]:
    """The findings after changes: each a file of the good example, a text in it and what to put there instead."""
    files = dict(GOOD)
    for name, before, after in changes:
        assert before in files[name], before
        files[name] = files[name].replace(before, after)
    return check_files(folder, files, engine), files[DEFINITION]


def gang(text: str) -> tuple[str, str, str]:
    return (DEFINITION, POD_GROUP, text)


NOTHING_EXPECTED = (EXPECTED, "gangs:\n- {name: training, minMember: 3, pods: [demo-0, demo-1, demo-2]}\n", "")


def test_a_gang_as_expected(tmp_path: Path, engine: Engine) -> None:
    assert check(tmp_path, engine)[0] == []


@pytest.mark.parametrize(
    ("body", "code", "at", "said"),
    [
        (SUB_GROUPS.replace("        - componentName: worker\n", ""), "WM707", "subGroups", "pods of `worker`"),
        (MEMBER.replace("widget", "head"), "WM707", "podGroups", "pods of `worker`"),
        (MEMBER + "          filters: ['.metadata.labels.role == \"x\"']\n", "WM707",
         "'.metadata.labels.role == \"x\"'", "No filter lets through"),
        (MEMBER + "          groupByKeyPaths: [.metadata.labels.team]\n", "WM707", ".metadata.labels.team",
         "the grouping key `.metadata.labels.team` fails"),
        (MEMBER + "          groupByKeyPaths: ['\"Team\"']\n", "WM707", "'\"Team\"'", "is no DNS name"),
        (MEMBER.replace("widget", "head") + "        - componentName: worker\n", "WM708", "worker",
         "have the same keys"),
        (MEMBER.replace("widget", "head") + "          groupByKeyPaths: ['\"a\"']\n"
         "        - componentName: worker\n          groupByKeyPaths: ['\"a\"']\n", "WM708", "worker",
         "have the same keys"),
        (MEMBER + "          filters: ['.metadata != null']\n      - name: other\n        members:\n"
         "        - componentName: widget\n          filters: [.metadata.labels.role != null]\n", "WM708",
         ".metadata.labels.role != null", "passes these filters and those of an earlier member"),
    ],
)  # fmt: skip
def test_a_gang_that_is_refused(tmp_path: Path, engine: Engine, body: str, code: str, at: str, said: str) -> None:
    found, text = check(tmp_path, engine, gang(body))
    found = [each for each in found if each.rule != "WM704"]
    assert [(each.rule, pointed_at(each, text)) for each in found] == [(code, at)], found
    assert said in found[0].message
    assert found[0].hint


@pytest.mark.parametrize("native", [False, True])
def test_a_subgroup_of_zero(tmp_path: Path, engine: Engine, native: bool) -> None:
    changes = [gang(SUB_GROUPS), NOTHING_EXPECTED, (RUNNING, "worker: {replicas: 2", "worker: {replicas: 0")]
    if native:
        changes.append((DEFINITION, "{group: example.com, version: v1, kind: Widget}",
                        "{group: kubeflow.org, version: v1, kind: PyTorchJob}"))  # fmt: skip
        changes.append((RUNNING, "apiVersion: example.com/v1", "apiVersion: kubeflow.org/v1"))
        changes.append((RUNNING, "kind: Widget", "kind: PyTorchJob"))
    found, text = check(tmp_path, engine, *changes)
    assert [(each.rule, each.severity.label, pointed_at(each, text)) for each in found] == [
        ("WM707", "warning" if native else "error", "worker")
    ]
    assert ("by code of its own" in found[0].message) is native


def test_subgroups_of_a_workload_that_is_scaled_to_nothing(tmp_path: Path, engine: Engine) -> None:
    idle = GOOD[RUNNING].split("---\n")[0].replace("replicas: 1", "replicas: 0").replace("replicas: 2", "replicas: 0")
    found, _ = check(tmp_path, engine, gang(SUB_GROUPS), NOTHING_EXPECTED, (RUNNING, GOOD[RUNNING], idle))
    assert found == []


def test_a_lone_role_without_selector_is_never_in_its_subgroup(tmp_path: Path, engine: Engine) -> None:
    head = GOOD[DEFINITION][GOOD[DEFINITION].index("    - name: head") : GOOD[DEFINITION].index("    - name: worker")]
    selector = "      podSelector:\n        componentTypeSelector: {keyPath: .metadata.labels.role, value: worker}\n"
    body = SUB_GROUPS.replace("        - componentName: head\n", "")
    found, text = check(
        tmp_path, engine, gang(body), NOTHING_EXPECTED, (DEFINITION, head, ""), (DEFINITION, selector, "")
    )
    assert [(each.rule, pointed_at(each, text)) for each in found] == [("WM707", "worker")]
    assert "never gets the pods of `worker`" in found[0].message


def test_a_creator_in_one_gang_with_what_it_creates(tmp_path: Path, engine: Engine) -> None:
    owned = (DEFINITION, "name: worker\n      ownerRef: widget", "name: worker\n      ownerRef: head")
    found, text = check(tmp_path, engine, gang(SUB_GROUPS), owned, NOTHING_EXPECTED)
    assert [(each.rule, pointed_at(each, text)) for each in found] == [("WM709", "worker")]
    assert [pointed_at(Diagnostic("", each.severity, "", each.related[0].span), text) for each in found] == ["head"]
    assert check(tmp_path, engine, owned, NOTHING_EXPECTED)[0] == []


@pytest.mark.parametrize(
    ("before", "after", "at", "said"),
    [
        ("name: training", "name: trainings", "training", "there is no gang `trainings`"),
        ("minMember: 3", "minMember: 4", "podGroup", "`minMember` is 3, expected 4"),
        (", demo-2]", "]", "podGroup", "`pods` is [demo-0, demo-1, demo-2], expected [demo-0, demo-1]"),
        ("- {name: training, minMember: 3, pods: [demo-0, demo-1, demo-2]}\n", "  []\n", "podGroup",
         "none is expected"),
        ("minMember: 3, pods: [demo-0, demo-1, demo-2]", "subGroups: [{name: head, minMember: 1}]", "podGroup",
         "`subGroups` is nothing, expected"),
    ],
)  # fmt: skip
def test_another_gang_than_expected(
    tmp_path: Path, engine: Engine, before: str, after: str, at: str, said: str
) -> None:
    found, text = check(tmp_path, engine, (EXPECTED, before, after))
    assert [(each.rule, pointed_at(each, text)) for each in found] == [("WM710", at)], found
    assert said in found[0].message


def test_subgroups_as_expected_and_not(tmp_path: Path, engine: Engine) -> None:
    right = "subGroups: [{name: head, minMember: 1, pods: [demo-0]}, {name: worker, minMember: 2}]"
    change = (EXPECTED, "minMember: 3, pods: [demo-0, demo-1, demo-2]", right)
    assert check(tmp_path, engine, gang(SUB_GROUPS), change)[0] == []
    found, text = check(
        tmp_path, engine, gang(SUB_GROUPS), change, (EXPECTED, "worker, minMember: 2", "worker, minMember: 3")
    )
    assert [(each.rule, pointed_at(each, text)) for each in found] == [("WM710", "worker")]


# -- amounts ----------------------------------------------------------------------------------------------------


def expecting(components: str) -> tuple[str, str, str]:
    return (EXPECTED, "gangs:", f"{components}\ngangs:")


CPU = ("cpu", (RUNNING, "image: app}", "image: app, resources: {requests: {cpu: 500m}}}"))


@pytest.mark.parametrize(
    ("components", "at", "said"),
    [
        ('components: {head: {requests: {cpu: "0.5"}}, worker: {replicas: 2, pods: 2, requests: {cpu: "1"}}}',
         None, ""),
        ('components: {head: {}, worker: {requests: {cpu: "2"}}}', ".spec.worker.template",
         "`worker` has cpu 1, expected cpu 2"),
        ("components: {head: {}, worker: {requests: {}}}", ".spec.worker.template", "expected nothing"),
        ("components: {head: {}, worker: {pods: 3}}", ".metadata.labels.role", "`worker` has 2, expected 3"),
        ("components: {head: {}, worker: {replicas: 3, requests: {cpu: 1500m}}}", ".spec.worker.replicas",
         "`worker` has 2, expected 3"),
        ("totals: {pods: 3, requests: {cpu: 1500m}}", None, ""),
    ],
)  # fmt: skip
def test_other_amounts_than_expected(
    tmp_path: Path, engine: Engine, components: str, at: str | None, said: str
) -> None:
    found, text = check(tmp_path, engine, CPU[1], expecting(components))
    assert [(each.rule, pointed_at(each, text)) for each in found] == ([("WM404", at)] if at else []), found
    assert all(said in each.message for each in found)


def test_a_total_that_is_no_sum(tmp_path: Path, engine: Engine) -> None:
    (found,), _ = check(tmp_path, engine, CPU[1], expecting("totals: {pods: 4}"))
    assert (found.rule, Path(found.span.file).name) == ("WM404", "running.expected.yaml")
    assert "is not the sum" in found.message


def test_pods_of_a_level_are_multiplied(tmp_path: Path, engine: Engine) -> None:
    level = (
        DEFINITION,
        "    - name: worker\n      ownerRef: widget\n",
        "    - name: group\n      ownerRef: widget\n      scaleDefinition: {replicasPath: .spec.groups}\n"
        "    - name: worker\n      ownerRef: group\n",
    )
    groups = (RUNNING, "spec:\n  head", "spec:\n  groups: 3\n  head")
    right = "components: {head: {replicas: 1}, group: {replicas: 3}, worker: {replicas: 6, pods: 2}}"
    assert check(tmp_path, engine, level, groups, expecting(right), NOTHING_EXPECTED)[0] == []
    found, text = check(tmp_path, engine, level, groups, expecting(right.replace("6", "2")), NOTHING_EXPECTED)
    assert [(each.rule, pointed_at(each, text)) for each in found] == [("WM404", ".spec.worker.replicas")]

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crds import crd, write_crds
from wmap_lint.crd import CrdIndex
from wmap_lint.jq.flow import path_text
from wmap_lint.outline import OutlineError, find_kind, outline


@pytest.fixture
def index(tmp_path: Path) -> CrdIndex:
    return CrdIndex.of(
        [
            write_crds(
                tmp_path / "a.yaml",
                crd(),
                crd(kind="Gadget"),
                crd(kind="Gadget", group="other.com"),
                crd(kind="Job", group="other.com"),
            )
        ]
    )


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("", "."),
        (".", "."),
        (".spec", ".spec"),
        ("spec", ".spec"),
        (".spec.groups", ".spec.groups"),
        (".spec.groups[].template", ".spec.groups[].template"),
        (".spec.groups.template", ".spec.groups[].template"),
        (".spec.groups[0].template", ".spec.groups[].template"),
        (".spec.groups[]?.template", ".spec.groups[].template"),
        (".spec.roles.template", ".spec.roles[].template"),
        ('.spec.roles["Head"].template', ".spec.roles.Head.template"),
        ('.spec."groups"', ".spec.groups"),
        (".spec.roles.Head.template.spec.containers.image", ".spec.roles.Head.template.spec.containers[].image"),
    ],
)
def test_paths(index: CrdIndex, path: str, found: str) -> None:
    assert path_text(outline(find_kind(index, "Widget"), path).path) == found


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (".spec.group", "has no field 'group' in `.spec`; did you mean groups?"),
        (".spec.ready", "has no field 'ready' in `.spec`"),
        (".spec.groups.replicas", "in `.spec.groups[]`; there is `.spec.replicas`"),
        (".spec.paused.x", "`.spec.paused` of Widget v1 is boolean: it has no fields"),
        (".spec.paused[]", "`.spec.paused` is boolean, which has no elements"),
        (".spec.free.x", "says nothing of what is in `.spec.free`"),
        (".spec | .groups", "is no path"),
        ("#", "is no path"),
    ],
)
def test_paths_that_lead_nowhere(index: CrdIndex, path: str, said: str) -> None:
    with pytest.raises(OutlineError) as error:
        outline(find_kind(index, "Widget"), path)
    assert said in str(error.value)


def test_what_everybody_knows_is_one_line(index: CrdIndex) -> None:
    schema = find_kind(index, "Widget")
    folded = {path_text(field.path): field for field in outline(schema, ".spec").fields}
    template = folded[".spec.groups[].template"]
    assert template.known is not None
    assert template.known.value == "a PodTemplateSpec"
    assert template.hidden == 2
    assert ".spec.groups[].template.spec" not in folded
    assert folded[".spec.groups[].name"].required
    assert not folded[".spec.groups[].size"].required
    everything = {path_text(field.path) for field in outline(schema, ".spec", fold=False).fields}
    assert ".spec.groups[].template.spec.containers[].image" in everything
    assert folded.keys() < everything


def test_depth(index: CrdIndex) -> None:
    schema = find_kind(index, "Widget")
    assert {field.level for field in outline(schema, ".spec", 1).fields} == {0}
    assert {field.level for field in outline(schema, "", 2).fields} == {0, 1}
    (groups,) = (field for field in outline(schema, ".spec", 1).fields if field.name == "groups[]")
    assert groups.hidden == 3


def test_where_pods_are_described_is_told_however_deep(index: CrdIndex) -> None:
    found = outline(find_kind(index, "Widget"), "", 1).pods
    assert [(known.value, path_text(path)) for known, path in found] == [
        ("a PodTemplateSpec", ".spec.bare"),
        ("a PodTemplateSpec", ".spec.groups[].template"),
        ("a PodTemplateSpec", ".spec.roles[].template"),
        ("a PodTemplateSpec", ".spec.template"),
    ]


@pytest.mark.parametrize(
    ("name", "version", "kind"),
    [
        ("widgets", None, "example.com/v1 Widget"),
        ("wi", "v1", "example.com/v1 Widget"),
        ("gadget.other.com", None, "other.com/v1 Gadget"),
        ("pod", None, "/v1 Pod"),
        ("deploy", None, "apps/v1 Deployment"),
        ("jobs.batch", None, "batch/v1 Job"),
    ],
)
def test_kinds(index: CrdIndex, name: str, version: str | None, kind: str) -> None:
    found = find_kind(index, name, version)
    assert f"{found.group}/{found.version} {found.kind}" == kind


@pytest.mark.parametrize(
    ("name", "version", "said"),
    [
        (
            "gadget",
            None,
            "several kinds are called 'gadget': gadgets.example.com, gadgets.other.com; name one of these",
        ),
        ("widgte", None, "none of the CRDs given defines 'widgte'; did you mean Widget?"),
        ("job", None, "several kinds are called 'job': jobs.batch, jobs.other.com; name one of these"),
        ("pod", "v7", "pods has no version 'v7'; its version is v1"),
        ("zzz", None, "none of the CRDs given defines 'zzz'"),
        ("widget", "v7", "widgets.example.com has no version 'v7'; its versions are v1"),
    ],
)
def test_kinds_that_are_not_there(index: CrdIndex, name: str, version: str | None, said: str) -> None:
    with pytest.raises(OutlineError) as error:
        find_kind(index, name, version)
    assert str(error.value) == said


def test_without_crds_they_are_asked_for() -> None:
    with pytest.raises(OutlineError, match="--crds"):
        find_kind(CrdIndex(), "widget")


@pytest.mark.parametrize(
    ("versions", "chosen"),
    [
        (({"name": "v1", "storage": False}, {"name": "v2"}), "v2"),
        (({"name": "v1"}, {"name": "v2", "storage": False}), "v1"),
        (({"name": "v1", "served": False}, {"name": "v2", "storage": False}), "v2"),
    ],
)
def test_the_version_that_counts(tmp_path: Path, versions: tuple[dict[str, object], ...], chosen: str) -> None:
    index = CrdIndex.of([write_crds(tmp_path / "v.yaml", crd(versions=versions))])
    assert find_kind(index, "widget").version == chosen

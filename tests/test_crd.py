from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.crds import TEXT, WIDGET, an_object, crd, write_crds
from wmap_lint import crd as module
from wmap_lint.crd import CrdError, CrdIndex, KindSchema, cache_folder, read_crds

OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def schema(index: CrdIndex, version: str = "v1", kind: str = "Widget", group: str = "example.com") -> KindSchema:
    found = index.schema(group, version, kind)
    assert found is not None
    return found


def test_a_kind_is_found_in_a_file(tmp_path: Path) -> None:
    path = write_crds(tmp_path / "widgets.yaml", crd())
    found = schema(CrdIndex.of([path]))
    assert found.file == str(path)
    assert found.crd is not None
    assert found.crd.name == "widgets.example.com"
    assert "spec" in found.shape.names


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("many.yaml", yaml.dump_all([{"kind": "Service"}, None, crd(kind="Gadget"), crd()])),
        ("list.yaml", yaml.dump({"apiVersion": "v1", "kind": "List", "items": [crd(kind="Gadget"), crd()]})),
        (
            "typed-list.yaml",
            yaml.dump(
                {
                    "kind": "CustomResourceDefinitionList",
                    "items": [{key: value for key, value in crd().items() if key not in ("kind", "apiVersion")}],
                }
            ),
        ),
        ("one.json", json.dumps(crd())),
        ("list.json", json.dumps({"kind": "List", "items": [crd()]}, indent=1)),
        ("several.json", json.dumps(crd(kind="Gadget")) + "\n---\n" + json.dumps(crd())),
        ("tabs.yml", json.dumps(crd()).replace('"kind":', '"kind":\t')),
    ],
)
def test_every_form_that_kubectl_writes(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "crds" / "deep").mkdir(parents=True)
    (tmp_path / "crds" / "deep" / name).write_text(text, encoding="utf-8")
    (tmp_path / "crds" / "README.md").write_text("kind: CustomResourceDefinition, no YAML: [", encoding="utf-8")
    found = schema(CrdIndex.of([tmp_path / "crds"]))
    assert list(found.shape.names)


def test_the_shape_of_whole_objects_is_complete(tmp_path: Path) -> None:
    shape = schema(CrdIndex.of([write_crds(tmp_path / "a.yaml", crd())])).shape
    assert shape.field("apiVersion").enum == ("example.com/v1",)  # type: ignore[union-attr]
    assert shape.field("kind").enum == ("Widget",)  # type: ignore[union-attr]
    assert shape.field("metadata").field("ownerReferences").describe() == "list of objects"  # type: ignore[union-attr]
    embedded = shape.field("spec").field("embedded")  # type: ignore[union-attr]
    assert embedded is not None
    assert embedded.open
    assert embedded.field("metadata") is shape.field("metadata")


def test_kinds_of_kubernetes_need_no_file() -> None:
    found = CrdIndex().schema("batch", "v1", "Job")
    assert found is not None
    assert found.file is None
    assert found.shape.field("kind").enum == ("Job",)  # type: ignore[union-attr]
    assert found.shape.field("apiVersion").enum == ("batch/v1",)  # type: ignore[union-attr]
    assert CrdIndex().schema("batch", "v1", "Job").shape is found.shape  # type: ignore[union-attr]
    assert CrdIndex().schema("batch", "v2", "Job") is None
    assert CrdIndex().schema("example.com", "v1", "Widget") is None


def test_versions(tmp_path: Path) -> None:
    versions = (
        {"name": "v1", "storage": False, "deprecated": True, "deprecationWarning": "use v2"},
        {"name": "v2", "schema": {"openAPIV3Schema": an_object(spec=TEXT)}},
        {"name": "v0", "served": False, "storage": False},
    )
    index = CrdIndex.of([write_crds(tmp_path / "a.yaml", crd(versions=versions))])
    (found,) = index.of_kind("example.com", "Widget")
    assert [(each.name, each.served, each.storage, each.deprecated) for each in found.versions] == [
        ("v1", True, False, True),
        ("v2", True, True, False),
        ("v0", False, False, False),
    ]
    assert found.versions[0].warning == "use v2"
    assert schema(index, "v2").shape.field("spec").kind == "string"  # type: ignore[union-attr]
    assert index.schema("example.com", "v3", "Widget") is None
    assert index.of_kind("other.com", "Widget") == ()


def test_an_old_form_is_read(tmp_path: Path) -> None:
    old = crd()
    old["apiVersion"] = "apiextensions.k8s.io/v1beta1"
    old["spec"] |= {"version": "v1", "validation": {"openAPIV3Schema": WIDGET}, "preserveUnknownFields": True}
    del old["spec"]["versions"]
    shape = schema(CrdIndex.of([write_crds(tmp_path / "a.yaml", old)])).shape
    assert shape.field("spec").field("replicas").kind == "integer"  # type: ignore[union-attr]
    assert shape.field("spec").open  # type: ignore[union-attr]


def test_of_two_files_the_one_that_says_more_is_used(tmp_path: Path) -> None:
    write_crds(tmp_path / "a-minimal.yaml", crd(OPEN))
    full = write_crds(tmp_path / "b-full.yaml", crd())
    write_crds(tmp_path / "c-minimal.yaml", crd(OPEN))
    assert schema(CrdIndex.of([tmp_path])).file == str(full)


def test_versions_in_different_files(tmp_path: Path) -> None:
    write_crds(tmp_path / "a.yaml", crd(versions=({"name": "v1"},)))
    write_crds(tmp_path / "b.yaml", crd(versions=({"name": "v2"},)))
    index = CrdIndex.of([tmp_path])
    assert schema(index, "v1").file != schema(index, "v2").file
    assert {each.file for each in index.of_group("example.com")} == {str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml")}


def test_a_crd_without_a_schema_says_nothing(tmp_path: Path) -> None:
    bare = crd()
    del bare["spec"]["versions"][0]["schema"]
    assert schema(CrdIndex.of([write_crds(tmp_path / "a.yaml", bare)])).shape.open


@pytest.mark.parametrize(
    "change",
    [
        lambda each: each["spec"].pop("names"),
        lambda each: each["spec"].__setitem__("names", ["Widget"]),
        lambda each: each["spec"].__setitem__("group", 1),
        lambda each: each.__setitem__("spec", "x"),
        lambda each: each["spec"].__setitem__("versions", [1, {"served": True}, None]),
        lambda each: each["spec"]["versions"][0].__setitem__("schema", "x"),
    ],
)
def test_a_crd_that_is_none_is_passed_over(tmp_path: Path, change: Any) -> None:
    broken = crd()
    change(broken)
    index = CrdIndex.of([write_crds(tmp_path / "a.yaml", broken, crd(kind="Gadget"))])
    assert schema(index, kind="Gadget").shape.names
    assert index.schema("example.com", "v9", "Widget") is None


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("missing.yaml", None, "there is no file or folder"),
        ("other.yaml", "kind: Service\n", "there is no CustomResourceDefinition in"),
        ("empty", "folder", "there is no CustomResourceDefinition in"),
    ],
)
def test_paths_that_hold_no_crd(tmp_path: Path, name: str, content: str | None, said: str) -> None:
    path = tmp_path / name
    if content == "folder":
        path.mkdir()
    elif content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(CrdError, match=said):
        CrdIndex.of([path])


def test_a_file_that_is_no_yaml_is_one_line_when_it_is_needed(tmp_path: Path) -> None:
    good = write_crds(tmp_path / "good.yaml", crd(kind="Gadget"))
    broken = tmp_path / "broken.yaml"
    broken.write_text(
        "kind: CustomResourceDefinition\ngroup: example.com\nnames:\n  kind: Widget\nx: {{ .Values }\n", "utf-8"
    )
    index = CrdIndex.of([tmp_path])
    assert schema(index, kind="Gadget").file == str(good)
    with pytest.raises(CrdError, match=r"broken.yaml:5:\d+: ") as error:
        index.schema("example.com", "v1", "Widget")
    assert "\n" not in str(error.value)


def test_a_file_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_crds(tmp_path / "a.yaml", crd())
    monkeypatch.setattr(module, "LIMITS", module.ReadLimits(max_bytes=10))
    with pytest.raises(CrdError, match="larger than"):
        CrdIndex.of([path])
    monkeypatch.undo()
    index = CrdIndex.of([path])
    path.unlink()
    with pytest.raises(CrdError, match="cannot be read"):
        index.schema("example.com", "v1", "Widget")


@pytest.mark.parametrize(
    "name", ["Widget", "widget", "widgets", "WI", "widgets.example.com", "wi.example.com", "widget.v1.example.com"]
)
def test_what_people_call_a_kind(tmp_path: Path, name: str) -> None:
    index = CrdIndex.of([write_crds(tmp_path / "a.yaml", crd(), crd(kind="Gadget"))])
    assert [each.kind for each in index.called(name)] == ["Widget"]
    assert index.called("widgets.example.org") == ()


# -- cache --------------------------------------------------------------------------------------------


def entries() -> list[Path]:
    folder = cache_folder()
    return sorted(folder.iterdir()) if folder.is_dir() else []


def test_a_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_crds(tmp_path / "a.yaml", crd())
    (first,) = read_crds(path)
    (entry,) = entries()
    assert json.loads(entry.read_text("utf-8"))["format"] == module.CACHE_FORMAT
    copy = tmp_path / "copy.yaml"
    copy.write_bytes(path.read_bytes())
    monkeypatch.setattr(module, "read_data", lambda *_: pytest.fail("it is read again"))
    (second,) = read_crds(copy)
    assert second.file == str(copy)
    assert [name for name, _ in second.versions[0].shape.fields] == [name for name, _ in first.versions[0].shape.fields]
    assert entries() == [entry]


def test_another_content_is_another_entry(tmp_path: Path) -> None:
    path = write_crds(tmp_path / "a.yaml", crd())
    read_crds(path)
    write_crds(path, crd(an_object(spec=TEXT)))
    (found,) = read_crds(path)
    assert found.versions[0].shape.field("spec").kind == "string"  # type: ignore[union-attr]
    assert len(entries()) == 2


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"format": 0}', b"\xff\xfe", b'{"format": 1, "crds": [{}]}'])
def test_a_damaged_entry_is_made_again(tmp_path: Path, damage: bytes) -> None:
    path = write_crds(tmp_path / "a.yaml", crd())
    read_crds(path)
    (entry,) = entries()
    entry.write_bytes(damage)
    (found,) = read_crds(path)
    assert found.kind == "Widget"
    assert entry.read_bytes() != damage


@pytest.mark.skipif(os.geteuid() == 0 and not Path("/dev/full").exists(), reason="nothing is forbidden here")
def test_without_a_cache_everything_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = tmp_path / "a file"
    nowhere.write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(nowhere))
    (found,) = read_crds(write_crds(tmp_path / "a.yaml", crd()))
    assert found.kind == "Widget"

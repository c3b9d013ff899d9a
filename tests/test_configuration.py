from __future__ import annotations

from pathlib import Path

import pytest

from wmap_lint.configuration import Configuration, ConfigurationError, configured


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_nothing_is_configured(tmp_path: Path) -> None:
    put(tmp_path / "pyproject.toml", "[tool.other]\nx = 1\n")
    assert configured(tmp_path) == Configuration()


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    file = put(tmp_path / "pyproject.toml", '[tool.wmap-lint]\ncrds = ["crds", "/abs/a.yaml"]\n')
    (tmp_path / "deep" / "er").mkdir(parents=True)
    found = configured(tmp_path / "deep" / "er")
    assert found.file == file.resolve()
    assert found.crds == (tmp_path.resolve() / "crds", Path("/abs/a.yaml"))


def test_the_nearest_file_counts(tmp_path: Path) -> None:
    put(tmp_path / "pyproject.toml", '[tool.wmap-lint]\ncrds = ["far"]\n')
    put(tmp_path / "a" / "pyproject.toml", "[tool.other]\n")
    assert configured(tmp_path / "a").crds == (tmp_path.resolve() / "far",)
    put(tmp_path / "a" / "wmap-lint.toml", 'crds = ["near"]\n')
    assert configured(tmp_path / "a").crds == (tmp_path.resolve() / "a" / "near",)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("pyproject.toml", '[tool.wmap-lint]\ncrd = ["a"]\n', "there is no setting 'crd'; did you mean crds?"),
        ("wmap-lint.toml", "colour = 1\n", "there is no setting 'colour'; there is only crds"),
        ("wmap-lint.toml", 'crds = "a"\n', "crds has to be a list of paths"),
        ("wmap-lint.toml", "crds = [1]\n", "crds has to be a list of paths"),
        ("wmap-lint.toml", "crds = [\n", "this is not TOML"),
        ("pyproject.toml", "[tool.wmap-lint\n", "this is not TOML"),
        ("pyproject.toml", '[tool]\nwmap-lint = "x"\n', "has to be a table"),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, name: str, text: str, said: str) -> None:
    put(tmp_path / name, text)
    with pytest.raises(ConfigurationError) as error:
        configured(tmp_path)
    assert str(tmp_path.resolve() / name) in str(error.value)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "wmap-lint.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        configured(tmp_path)
    (tmp_path / "wmap-lint.toml").unlink()
    (tmp_path / "pyproject.toml").write_bytes(b"\xff\xfe")
    assert configured(tmp_path) == Configuration()

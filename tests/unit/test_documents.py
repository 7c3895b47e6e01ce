"""Every example in the documentation runs: docstrings, Python blocks and command lines of the pages."""

import doctest
import pkgutil
import re
import shlex
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import matplotlib
import pytest

import widemargin
from widemargin.cli import main
from widemargin.solvers import steps, working_sets

matplotlib.use("agg")

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "GLOSSARY.md",
    ROOT / "CONTRIBUTING.md",
]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)")
COMMANDS = ("widemargin train", "widemargin select", "widemargin predict", "widemargin reproduce")


def modules() -> list[str]:
    found = (module.name for module in pkgutil.walk_packages(widemargin.__path__, "widemargin."))
    return ["widemargin", *(name for name in found if name.split(".")[-1] not in ("_core", "__main__"))]


@pytest.mark.parametrize("name", modules())
def test_the_examples_in_docstrings_give_what_they_show(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert doctest.testmod(import_module(name)).failed == 0


def blocks(page: Path) -> Iterator[tuple[str, int, str]]:
    text = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        yield match[1], text.count("\n", 0, match.start(2)), match[2]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_code_on_a_page_runs_from_top_to_bottom(page, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    names: dict = {"__name__": "page"}
    for language, line, block in blocks(page):
        if language == "python":
            exec(compile("\n" * line + block, page.name, "exec"), names)
        elif language == "sh":
            for command in block.splitlines():
                if command.startswith(COMMANDS):
                    assert main(shlex.split(command)[1:]) == 0, f"{command}: {capfd.readouterr().err}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_links_on_a_page_lead_to_files(page):
    missing = [
        target for target in LINK.findall(page.read_text("utf-8")) if not (page.parent / target).exists()
    ]
    assert not missing


def test_the_readme_has_the_two_commands_that_do_everything():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for command in ('pip install ".[plot]" && widemargin demo', 'pip install ".[test]" && pytest'):
        assert readme.splitlines().count(command) == 1


def test_the_readme_names_every_working_set_and_step():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in {*working_sets.NAMES, *steps.NAMES} - {"second-order", "newton"}:
        assert f'"{name}"' in readme

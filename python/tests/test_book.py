"""The book's Python is run, chapter by chapter, and prints what the book shows."""

import contextlib
import io
import os
import pathlib
import re

import pytest

BOOK = pathlib.Path(__file__).parents[2] / "docs" / "book"
CHAPTERS = sorted(BOOK.glob("*.md")) if BOOK.is_dir() else []


def blocks(chapter):
    """Pairs of an info line and a text, in order."""
    return re.findall(r"^```([^\n]*)\n(.*?)^```$", chapter, re.MULTILINE | re.DOTALL)


def agree(shown, printed):
    """Whether texts are equal up to the last digits of numbers."""
    number = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
    a, b = ([float(found) for found in number.findall(text)] for text in (shown, printed))
    return number.sub("#", shown).split() == number.sub("#", printed).split() and a == pytest.approx(b, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("path", [path for path in CHAPTERS if "```python\n" in path.read_text()], ids=lambda path: path.stem)
def test_a_chapter_prints_what_it_shows(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = path.read_text()
    names, found = {}, blocks(text)
    for (info, code), (next_info, shown) in zip(found, found[1:] + [("", "")]):
        if info.count(" ") == 1:
            (tmp_path / info.split()[1]).write_text(code)
        if info != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(path), "exec"), names)
        if next_info != "text" or f"```python\n{code}```\n\n```text\n" not in text:
            assert not printed.getvalue()
        elif os.environ.get("HAMEL_WRITE_PAGES") and not agree(shown, printed.getvalue()):
            before = f"```python\n{code}```\n\n```text\n"
            path.write_text(path.read_text().replace(f"{before}{shown}```", f"{before}{printed.getvalue()}```"))
        else:
            assert agree(shown, printed.getvalue()), f"{code}\nprints\n{printed.getvalue()}"


def test_other_texts_and_numbers_do_not_agree():
    assert agree("a 1.000000 (2,)", "a 1.0000001 (2,)")
    assert not agree("a 1.000000 (2,)", "a 1.1 (2,)")
    assert not agree("a 1.000000 (2,)", "b 1.0 (2,)")
    assert not agree("a", "a 1.0")

"""CONTRIBUTING.md describes the layers that the linter of imports enforces."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_table_of_layers_lists_all_layers_in_their_order():
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    enforced = [row.split(" | ") for row in tools["importlinter"]["contracts"][0]["layers"]]
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("| layer |")[2].partition("\n\n")[0].splitlines()[2:]
    assert [re.findall(r"`(\w+)`", row.split("|")[1]) for row in table] == enforced

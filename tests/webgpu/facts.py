# SPDX-License-Identifier: Apache-2.0
"""facts - reads facts.tsv, whose head says what the rows mean."""
import collections
import os

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "facts.tsv")
KINDS = ("scalar", "handle", "macro", "constant", "enum", "value", "flags", "flag",
         "struct", "member", "init", "default", "pointer", "function")

Fact = collections.namedtuple("Fact", "kind name value")


def load(path=PATH):
    """All rows in order. A row that is malformed or there twice ends the run."""
    rows, seen = [], set()
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("#"):
                continue
            cells = line.rstrip("\n").split("\t")
            if len(cells) != 3 or not all(cells) or cells[0] not in KINDS:
                raise SystemExit(f"{path}:{number}: not a fact: {line.rstrip()}")
            fact = Fact(*cells)
            if (fact.kind, fact.name) in seen:
                raise SystemExit(f"{path}:{number}: twice: {fact.kind} {fact.name}")
            seen.add((fact.kind, fact.name))
            rows.append(fact)
    return rows


def names(rows, kind):
    return [fact.name for fact in rows if fact.kind == kind]

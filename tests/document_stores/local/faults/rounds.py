"""Number of fault rounds: few in `make test`, many in `make torture`, where each run has its own
seed.
"""

import os
import random

LONG = "SPANIEL_TORTURE" in os.environ
SEED = int(os.environ.get("SPANIEL_TORTURE_SEED", "1"))


def seeds(short: int, long: int) -> list[int]:
    """A seed for each round; a failed test names it, and ``SPANIEL_TORTURE_SEED`` repeats the run."""
    source = random.Random(SEED)
    return [source.randrange(1 << 30) for _ in range(long if LONG else short)]


def sample(things: range, short: int, long: int, random: random.Random) -> list[int]:
    """Some of many cases: all, if there are few enough."""
    most = long if LONG else short
    return list(things) if len(things) <= most else sorted(random.sample(things, most))

"""What is compared: one row per scenario, with the goal that it should reach.

`goal` is the ratio of the fastest peer's seconds to Mercer's, `memory_goal` the largest share of the peer's peak memory
that Mercer may take; None where none was set. `measures` says which seconds count: those of fit or of transform.
"""
from dataclasses import dataclass, replace
from typing import Optional

import peers

QUICK_ROWS = 2000
QUICK_NEW_ROWS = 1000


@dataclass(frozen=True)
class Scenario:
    name: str
    title: str
    data: str
    components: int = 10
    rows: int = 20000
    new_rows: int = 0
    measures: str = "fit"
    candidates: tuple = peers.SKLEARN
    goal: Optional[float] = None
    memory_goal: Optional[float] = 1 / 3


# Both ways to evaluate the kernel, both precisions; the eigensolver does not matter to transform.
TRANSFORM_PEERS = tuple(candidate for candidate in peers.SKLEARN if candidate.solver == "arpack")

SCENARIOS = (
    Scenario("fashion_raw_k10", "Fashion-MNIST, 8-bit", "fashion_raw", goal=6.0),
    Scenario("fashion_float_k10", "Fashion-MNIST, standardised float32", "fashion_float", goal=3.5),
    Scenario("fashion_raw_k50", "Fashion-MNIST, 8-bit", "fashion_raw", components=50, goal=5.0),
    Scenario("letter_k10", "Letter recognition", "letter", goal=15.0),
    Scenario("s_curve_k10", "S-curve", "s_curve", goal=100.0),
    Scenario("swiss_roll_k10", "Swiss roll", "swiss_roll", goal=100.0),
    Scenario("mixture_k10", "Mixture of 12 Gaussians", "mixture"),
    Scenario("transform_raw", "Transform, Fashion-MNIST, 8-bit", "fashion_raw", new_rows=10000, measures="transform",
             candidates=TRANSFORM_PEERS, goal=5.0),
    Scenario("transform_float", "Transform, Fashion-MNIST, standardised float32", "fashion_float", new_rows=10000,
             measures="transform", candidates=TRANSFORM_PEERS, goal=2.5),
    Scenario("kernlab_fashion_4000", "Fashion-MNIST, 8-bit, against kernlab", "fashion_raw", rows=4000,
             candidates=peers.KERNLAB, goal=60.0),
)


def select(names, quick):
    """The scenarios of these names (all where none is given), made small for a quick run."""
    known = {scenario.name for scenario in SCENARIOS}
    for name in names:
        if name not in known:
            raise SystemExit(f"no scenario is called {name}; there are {', '.join(sorted(known))}")
    chosen = [scenario for scenario in SCENARIOS if not names or scenario.name in names]
    if not quick:
        return chosen
    return [replace(scenario, rows=QUICK_ROWS, new_rows=min(scenario.new_rows, QUICK_NEW_ROWS)) for scenario in chosen]

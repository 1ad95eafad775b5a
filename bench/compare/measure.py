"""One scenario from data to verdict.

1. Mercer fits once and so names the kernel; the peers get its gamma. The float64 reference is made, or was kept.
2. Every peer candidate runs once, those in float64 only where none in float32 counts. Those whose eigenvalues are within 1e-6 of the reference count; the fastest of them,
   and any other within half as much time again, go on: one run is too noisy to tell them apart.
3. Mercer runs at its default tolerance and, while its answer is not as good as the fastest peer's, at a tighter one.
4. Rounds: every remaining peer and Mercer in turn, on the same files. Medians count, the fastest median is the peer. If
   that is another than the survey's, and a better one than Mercer's answer, steps 3 and 4 are done again with it alone.
"""
import json
import statistics
import sys
from pathlib import Path

import mercer_run
import peers
import process

HERE = Path(__file__).resolve().parent
EIGENVALUE_ERROR = 1e-6
SINE_FLOOR = 1e-7    # of two spans that agree to this, neither is called worse
SCORE_FLOOR = 1e-6   # the same for scores of new rows
NEARLY_AS_FAST = 1.5
TOLERANCES = ("5e-7", "1e-7", "1e-8", "1e-9", "1e-10", "1e-11")


def helper(name, *words):
    return json.loads(process.run([sys.executable, HERE / name, *words]).output)


class Measurement:
    """The state of one scenario while it runs."""

    def __init__(self, scenario, settings, say):
        self.scenario, self.settings, self.say = scenario, settings, say
        self.folder = settings.work
        self.files = helper("data.py", scenario.data, scenario.rows, scenario.new_rows, settings.data)
        table = self.files["train"]
        self.kernel, self.gamma = mercer_run.kernel_of(settings.mercer, table, scenario.components, self.folder,
                                                       settings.flags)
        self.reference = helper("accuracy.py", "reference", table, repr(self.gamma), scenario.components, settings.data)

    def judged(self, run):
        """A run with its errors added, its bulk dropped and `seconds`, `peak_bytes` those the scenario is about."""
        values = ",".join(repr(value) for value in run["eigenvalues"])
        run.update(helper("accuracy.py", "fit", self.reference["reference"], run["vectors"], values))
        if self.scenario.measures == "transform":
            run.update(helper("accuracy.py", "scores", self.reference["reference"], self.files["train"],
                              self.files["new"], run["scores"]))
            # A peer fits and transforms in one process: its wall clock says nothing about transform.
            run.update(fit_seconds=run["seconds"], seconds=run["transform_seconds"],
                       peak_bytes=run["transform_peak_bytes"], wall_seconds=run.get("transform_wall_seconds"))
        return run

    def peer(self, candidate):
        return self.judged(peers.run(candidate, self.files, self.scenario.components, self.gamma, self.folder))

    def mercer(self, flags):
        return self.judged(mercer_run.run(self.settings.mercer, self.files, self.scenario.components, self.kernel,
                                          self.folder, [*self.settings.flags, *flags]))

    def bounds(self, peer):
        """The largest errors with which Mercer is no worse than this run or summary of a peer."""
        if self.scenario.measures == "transform":  # what was asked are scores: they must be as good
            return {"eigenvalue_error": EIGENVALUE_ERROR, "score_error": max(SCORE_FLOOR, peer["score_error"])}
        return {"eigenvalue_error": EIGENVALUE_ERROR, "sine": max(SINE_FLOOR, peer["sine"])}

    def survey_peers(self):
        runs, reason = {}, None
        for candidate in self.scenario.candidates:
            # The same work in float64 takes half as long again at least: it runs where float32 is not exact enough.
            if candidate.dtype == "float64" and any(
                    other.dtype == "float32" and run["eigenvalue_error"] <= EIGENVALUE_ERROR
                    for other, run in runs.items()):
                continue
            try:
                runs[candidate] = self.peer(candidate)
                self.say(line(candidate.name, runs[candidate]))
            except (process.Failed, OSError) as failure:
                reason = f"{candidate.name}: {failure}"
                self.say(reason)
        if not runs:
            raise process.Failed(reason)
        return runs

    def survey_mercer(self, bounds):
        """The flags of the loosest tolerance that keeps the bounds; those of the tightest that runs when none does."""
        run = self.mercer(flags := [])
        self.say(line(f"Mercer, tolerance {run['report']['tolerance']:.0e}", run))
        if within(run, bounds) or any(flag.startswith("--tolerance") for flag in self.settings.flags):
            return flags
        for tolerance in TOLERANCES:
            try:
                run = self.mercer(["--tolerance", tolerance])
            except process.Failed as reason:
                self.say(f"Mercer, tolerance {tolerance}: {reason}")
                return flags
            flags = ["--tolerance", tolerance]
            self.say(line(f"Mercer, tolerance {run['report']['tolerance']:.0e}", run))
            if within(run, bounds):
                break
        return flags

    def rounds(self, finalists, flags):
        times = {candidate: [] for candidate in finalists}
        own = []
        for _ in range(self.settings.rounds):
            for candidate, runs in times.items():
                runs.append(self.peer(candidate))
                self.say(line(candidate.name, runs[-1]))
            own.append(self.mercer(flags))
            self.say(line("Mercer", own[-1]))
        return times, own


def within(run, bounds):
    return all(run[key] <= bound for key, bound in bounds.items())


def line(name, run):
    errors = f"eigenvalues {run['eigenvalue_error']:.1e}  sine {run['sine']:.1e}"
    if "score_error" in run:
        errors += f"  scores {run['score_error']:.1e}"
    return f"{name:42} {run['seconds']:8.3f} s  {run['peak_bytes'] / 1e6:7.0f} MB  {errors}"


def summary(name, runs):
    """Median seconds, and the worst of everything else."""
    keys = ("peak_bytes", "eigenvalue_error", "sine", "score_error")
    worst = {key: max(run[key] for run in runs) for key in keys if key in runs[0]}
    wall = [run["wall_seconds"] for run in runs if run["wall_seconds"] is not None]
    return {"name": name, "seconds": statistics.median(run["seconds"] for run in runs),
            "wall_seconds": statistics.median(wall) if wall else None,
            "all_seconds": [run["seconds"] for run in runs], **worst}


def finalists_of(surveyed):
    """The accurate candidates that may be the fastest, the fastest so far first."""
    accurate = [candidate for candidate, run in surveyed.items() if run["eigenvalue_error"] <= EIGENVALUE_ERROR]
    if not accurate:
        raise process.Failed(f"no peer reaches eigenvalues within {EIGENVALUE_ERROR:.0e}")
    accurate.sort(key=lambda candidate: surveyed[candidate]["seconds"])
    limit = NEARLY_AS_FAST * surveyed[accurate[0]]["seconds"]
    return [candidate for candidate in accurate if surveyed[candidate]["seconds"] <= limit]


def contest(state, surveyed):
    """Steps 3 and 4: the summary of the peer that counts, that of Mercer, and Mercer's last run."""
    finalists = finalists_of(surveyed)
    lead, target = finalists[0], surveyed[finalists[0]]
    while True:
        flags = state.survey_mercer(state.bounds(target))
        times, own = state.rounds(finalists, flags)
        summaries = {candidate: summary(candidate.name, runs) for candidate, runs in times.items()}
        first = min(summaries, key=lambda candidate: summaries[candidate]["seconds"])
        target, mercer = summaries[first], summary("Mercer", own)
        if first == lead or within(mercer, state.bounds(target)):
            return target, mercer, own[-1]
        lead, finalists = first, [first]


def measure(scenario, settings, say):
    """The result of one scenario, ready for JSON and the page. Raises process.Failed when it cannot run."""
    state = Measurement(scenario, settings, say)
    surveyed = state.survey_peers()
    peer, mercer, last = contest(state, surveyed)
    report = last["report"]
    return {"name": scenario.name, "title": scenario.title, "measures": scenario.measures, "goal": scenario.goal,
            "memory_goal": scenario.memory_goal, "rows": state.files["shape"][0], "columns": state.files["shape"][1],
            "new_rows": scenario.new_rows, "components": scenario.components, "kernel": state.kernel,
            "gamma": state.gamma, "gap": state.reference["gap"], "peer": peer, "mercer": mercer,
            "surveyed": [{**summary(candidate.name, [run]), "counts": run["eigenvalue_error"] <= EIGENVALUE_ERROR}
                         for candidate, run in surveyed.items()],
            "tolerance": report["tolerance"], "how": mercer_run.describe(report),
            "clock": last.get("transform_clock", "reported"), "bounds": state.bounds(peer),
            "equal": within(mercer, state.bounds(peer)), "ratio": peer["seconds"] / mercer["seconds"],
            "memory_share": mercer["peak_bytes"] / peer["peak_bytes"]}

"""Mercer in a fresh process: one fit, and one transform where new rows are given.

Seconds are those the program reports for its work (`seconds.solve`: kernel, eigenproblem and certificate), as the
peers' are those around fit alone; the wall clock with start, reading and writing stands beside them. A transform that
reports no seconds is timed by the wall clock, reading and writing included, to Mercer's disadvantage.
"""
import json

import process


def kernel_of(program, table, components, folder, flags=()):
    """The kernel that Mercer chooses by itself: its spec for the command line, and gamma for the peers."""
    found = fit(program, table, components, "gaussian", folder, flags)["report"]["kernel"]
    return found["spec"], found["gamma"]


def fit(program, table, components, kernel, folder, flags=()):
    """One fit: seconds, wall_seconds, peak_bytes, eigenvalues, vectors, and Mercer's whole report."""
    vectors = folder / "mercer_vectors.npy"
    finished = process.run(
        [program, "fit", table, "--components", components, "--kernel", kernel, "--json", "--quiet", "--progress",
         "none", "-o", folder / "run.mercer", "--scores", vectors, *flags])
    report = json.loads(finished.output)
    return {"seconds": report["seconds"]["solve"], "wall_seconds": finished.seconds,
            "peak_bytes": max(finished.peak_bytes, report["peak_bytes"] or 0), "eigenvalues": report["eigenvalues"],
            "vectors": str(vectors), "report": report}


def transform(program, table, folder):
    """One transform with the model of the last fit in the folder: transform_seconds, wall clock, peak, scores."""
    scores = folder / "mercer_scores.npy"
    finished = process.run([program, "transform", folder / "run.mercer", table, "--json", "--quiet", "-o", scores])
    report = json.loads(finished.output)
    inner = report.get("seconds") or {}
    seconds = inner.get("transform", inner.get("solve"))
    return {"transform_seconds": finished.seconds if seconds is None else seconds,
            "transform_clock": "wall clock" if seconds is None else "reported",
            "transform_wall_seconds": finished.seconds, "transform_peak_bytes": finished.peak_bytes,
            "scores": str(scores)}


def run(program, files, components, kernel, folder, flags=()):
    """A fit, then a transform where the scenario has new rows."""
    result = fit(program, files["train"], components, kernel, folder, flags)
    if files["new"]:
        result.update(transform(program, files["new"], folder))
    return result


def describe(report):
    """One line on how Mercer did it."""
    plan, certificate = report["plan"], report["certificate"]
    passes = "1 pass" if plan["passes"] == 1 else f"{plan['passes']} passes"
    complete = "complete" if certificate["complete"] else "not proven complete"
    return (f"{plan['operator']} + {plan['solver']}, {plan['precision']}, {passes}; certificate {certificate['kind']}, "
            f"{complete}")


def version(program):
    return process.run([program, "--version"]).output.strip()

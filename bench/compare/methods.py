#!/usr/bin/env python3
"""The linear family against scikit-learn and R, back to back on the same tables and at equal accuracy.

usage: methods.py MERCER [--quick] [--only NAME ...] [--rounds R] [--output PAGE.md] [--json FILE] [--data FOLDER]

Every row fits one table by Mercer and by one or more ways of another program, each in a fresh process, in turns. One
number, the loss of the row (method_tables.py), says how good an answer is; the peer is the fastest way whose loss is
within the row's slack of the best peer's, and Mercer counts where its loss is within that slack of the peer's or below.
Rows of methods that this Mercer does not list are skipped and named, as are those whose data or peer is not installed
(dataset-fashion-mnist, python3-sklearn, r-base-core). --quick takes small tables and proves only that it all works.
Exit status 1 when a row was skipped or not of equal accuracy.
"""
import argparse
import json
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import mercer_run
import page
import process

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent


@dataclass(frozen=True)
class Row:
    name: str
    method: str           # of Mercer
    what: str
    table: str            # of method_tables.py
    rows: int
    quick_rows: int
    options: tuple        # of mercer fit
    peers: tuple          # of peer_methods.py, or "cmdscale"
    loss: str             # in words
    slack: float          # of losses that count as equal, as the row's loss is measured
    goal: float


ROWS = (
    Row("pca_50", "pca", "PCA, 50 components of 70 000 × 784 float32", "fashion", 70000, 2000, ("--components", "50"),
        ("pca_full", "pca_arpack", "pca_randomized"), "largest relative error of an eigenvalue", 1e-5, 3),
    Row("ica_20", "ica", "FastICA, 20 sources of 70 000 × 784 float32, both until 1 - |cos| ≤ 1e-6", "fashion", 70000,
        2000, ("--components", "20", "--tolerance", "1e-6"), ("ica_svd", "ica_eigh"),
        "less the sum of contrasts of the sources", 1e-2, 10),
    Row("factor_analysis_10", "factor_analysis", "Factor analysis, 10 factors of 10 000 × 784", "pixels", 10000, 1000,
        ("--components", "10"), ("fa_randomized", "fa_lapack", "fa_lapack_tight"),
        "less the mean log likelihood of a row, nats", 1e-2, 5),
    Row("pls_10", "pls", "PLS, 10 components of 20 000 × 200, 5 targets", "regression", 20000, 1000,
        ("--components", "10", "--target", "y1,y2,y3,y4,y5"), ("pls", "pls_tight"),
        "relative distance of the predicted targets from exact ones", 1e-6, 10),
    Row("mds_5000", "mds", "Classical MDS of 5 000 × 5 000 distances", "distances", 5000, 400,
        ("--as", "distance", "--components", "2"), ("cmdscale",), "relative distance from the exact coordinates", 1e-6,
        20),
    Row("metric_mds_2000", "metric_mds", "Metric MDS (SMACOF), 2 000 rows to 2 dimensions", "cloud", 2000, 200,
        ("--components", "2"), ("smacof", "smacof_tight"), "sum of squared errors of the distances, relative", 1e-6, 10),
)


def helper(name, *words):
    return json.loads(process.run([sys.executable, HERE / name, *words]).output)


def run_mercer(program, row, files, folder):
    scores = folder / "mercer_scores.npy"
    finished = process.run([program, "fit", files["table"], "--method", row.method, *row.options, "--json", "--quiet",
                            "--progress", "none", "--force", "-o", folder / "run.mercer", "--scores", scores])
    report = json.loads(finished.output)
    predicted = folder / "mercer_predicted.npy"
    if row.method == "pls":
        process.run([program, "predict", folder / "run.mercer", files["table"], "--quiet", "-o", predicted])
    return {"seconds": report["seconds"]["solve"], "wall_seconds": finished.seconds,
            "peak_bytes": max(finished.peak_bytes, report["peak_bytes"] or 0), "answer": report_of(report),
            "array": str(predicted if row.method == "pls" else scores)}


def report_of(report):
    """What the losses ask of Mercer's report."""
    figures = report.get("figures", {})
    return {"eigenvalues": report.get("eigenvalues"), "log_likelihood": figures.get("log_likelihood"), "n": report["n"],
            "converged": report["converged"], "iterations": figures.get("iterations")}


def run_peer(name, files, folder):
    array = folder / f"{name}.npy"
    if name == "cmdscale":
        finished = process.run(["Rscript", HERE / "peer_cmdscale.R", files["raw"], files["shape"][0], array])
        return {**json.loads(finished.output), "wall_seconds": finished.seconds, "peak_bytes": finished.peak_bytes,
                "array": str(array)}
    finished = process.run([sys.executable, HERE / "peer_methods.py", name, files["numbers"], array])
    return {**json.loads(finished.output), "wall_seconds": finished.seconds, "array": str(array)}


def with_loss(run, row, files, folder):
    answer = folder / "answer.json"
    answer.write_text(json.dumps(run["answer"]))
    run["loss"] = helper("method_tables.py", "loss", row.table, files["numbers"], run["array"], answer)["loss"]
    return run


def middle(runs):
    """Medians of several runs of one program."""
    return {**runs[-1], "loss": max(run["loss"] for run in runs),
            **{key: statistics.median(run[key] for run in runs) for key in ("seconds", "wall_seconds", "peak_bytes")}}


def measure(row, options, folder):
    rows = row.quick_rows if options.quick else row.rows
    files = helper("method_tables.py", "make", row.table, rows, options.data)
    runs, failed = {name: [] for name in ("mercer", *row.peers)}, {}
    for _ in range(options.rounds):
        for name, list_of_runs in runs.items():
            if name in failed:
                continue
            try:
                made = (run_mercer(options.mercer, row, files, folder) if name == "mercer" else
                        run_peer(name, files, folder))
            except process.Failed as reason:  # one way of a peer that fails leaves the others
                failed[name] = reason
                say(f"{name}: {reason}")
                continue
            list_of_runs.append(with_loss(made, row, files, folder))
            say(f"{name}: {page.seconds(made['seconds'])}, loss {made['loss']:.6g}")
    middles = {name: middle(list_of_runs) for name, list_of_runs in runs.items() if name not in failed}
    if "mercer" in failed or len(middles) < 2:
        raise next(iter(failed.values()))
    mercer = middles.pop("mercer")
    best = min(one["loss"] for one in middles.values())
    good = {name: one for name, one in middles.items() if one["loss"] <= best + row.slack}
    peer = min(good, key=lambda name: good[name]["seconds"])
    return {"name": row.name, "what": row.what, "goal": row.goal, "loss": row.loss, "slack": row.slack, "peer": peer,
            "mercer": mercer, "peers": middles, "ratio": good[peer]["seconds"] / mercer["seconds"],
            "equal": mercer["loss"] <= good[peer]["loss"] + row.slack, "shape": files["shape"]}


def say(text):
    print(f"  {text}", file=sys.stderr, flush=True)


def select(options):
    methods = {method["name"] for method in
               json.loads(process.run([options.mercer, "list", "methods", "--json"]).output)["methods"]}
    known = {row.name for row in ROWS}
    for name in options.only:
        if name not in known:
            raise SystemExit(f"{name}: no such row; there are {', '.join(sorted(known))}")
    chosen = [row for row in ROWS if not options.only or row.name in options.only]
    skipped = [(row.name, f"this Mercer has no method {row.method}") for row in chosen if row.method not in methods]
    return [row for row in chosen if row.method in methods], skipped


def verdict(result, quick):
    if not result["equal"]:
        return "accuracy differs"
    if quick:
        return "quick run"
    return "met" if result["ratio"] >= result["goal"] else f"missed (goal {result['goal']:g}×)"


def table(results, quick):
    lines = ["| fit | peer | peer | Mercer | ratio | goal | memory | loss of the peer | loss of Mercer |  |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for one in results:
        peer, mercer = one["peers"][one["peer"]], one["mercer"]
        share = 100 * mercer["peak_bytes"] / peer["peak_bytes"]
        lines.append(f"| {one['what']} | {one['peer']} | {page.seconds(peer['seconds'])} | "
                     f"{page.seconds(mercer['seconds'])} | **{page.times(one['ratio'])}** | {one['goal']:g}× | "
                     f"{page.megabytes(mercer['peak_bytes'])} ({share:.0f} %) | {peer['loss']:.8g} | "
                     f"{mercer['loss']:.8g} | {verdict(one, quick)} |")
    return "\n".join(lines)


PAGE = """# The linear family against other programs

This page is written by `./dev bench family`: do not edit it. Every figure comes from one run in which the other
program and Mercer took turns on the same tables.

{machine}. {versions}.

{table}

*Seconds* are medians of {rounds}, around `fit` alone for the peers and the time the program reports for the same work
for Mercer; reading the table is not timed. *Memory* is Mercer's peak, and its share of the peer's. The *loss* says how
good an answer is, less is better; the peer is the fastest way of the other program within the row's slack of its best:

{losses}
{skipped}"""


def written(results, skipped, options):
    losses = "\n".join(f"- {one['name']}: {one['loss']}; slack {one['slack']:g}; tried "
                       + ", ".join(f"{name} ({page.seconds(run['seconds'])}, {run['loss']:.8g})"
                                   for name, run in one["peers"].items()) for one in results)
    left_out = "".join(f"\nSkipped: {name}: {reason}.\n" for name, reason in skipped)
    versions = [mercer_run.version(options.mercer).replace("mercer", "Mercer"), helper("peer_methods.py", "versions")["text"]]
    return PAGE.format(machine=machine(), versions=", ".join(versions), table=table(results, options.quick),
                       rounds=options.rounds, losses=losses, skipped=left_out)


def machine():
    import run
    return f"{run.processor()}, {process.CORES} cores, {run.memory()}"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mercer", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--data", type=Path, default=PROJECT / "build" / "bench-data")
    options = parser.parse_args()
    options.mercer = options.mercer.resolve()
    if not options.mercer.is_file():
        raise SystemExit(f"{options.mercer}: no such program; ./dev build makes build/bin/mercer")
    if options.rounds < 1:
        raise SystemExit(f"--rounds {options.rounds}: at least 1")
    return options


def main():
    options = arguments()
    chosen, skipped = select(options)
    results = []
    for row in chosen:
        print(row.name, file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            try:
                results.append(measure(row, options, Path(folder)))
            except (process.Failed, OSError) as reason:
                say(f"skipped: {reason}")
                skipped.append((row.name, str(reason)))
    print(table(results, options.quick), *(f"skipped: {name}: {reason}" for name, reason in skipped), sep="\n")
    if options.json:
        options.json.write_text(json.dumps({"results": results, "skipped": skipped}, indent=1) + "\n")
    if options.output:
        options.output.write_text(written(results, skipped, options), encoding="utf-8")
    raise SystemExit(0 if not skipped and all(result["equal"] for result in results) else 1)


if __name__ == "__main__":
    main()

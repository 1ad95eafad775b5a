#!/usr/bin/env python3
"""How well Mercer's classifiers tell classes apart, beside scikit-learn's: the same rows for training, the same for the
test.

usage: classifiers.py MERCER [--quick] [--only TABLE ...] [--output PAGE.md] [--json FILE] [--data FOLDER]

Everything with its defaults, but for the width of the Gaussian: kernel_lda stands there once with the width of scikit-
learn's SVC (gamma="scale") and once with its own, the median distance. Standard errors are those of a share among the
test rows. Rows of methods that this Mercer does not list are skipped and named, as are tables that are not installed.
--quick takes 600 rows of each part and proves only that it all works. Exit status 1 when something was skipped.
"""
import argparse
import json
import math
import sys
import tempfile
import textwrap
from dataclasses import dataclass
from pathlib import Path

import mercer_run
import process

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
TABLES = {"digits": "Digits", "letter": "Letter", "satellite": "Satellite", "fashion": "Fashion-MNIST"}
COMPONENTS = 30  # of kernel PCA before the nearest neighbours
QUICK_ROWS = 600


@dataclass(frozen=True)
class Way:
    name: str
    what: str
    method: str = ""      # of Mercer
    options: tuple = ()   # {gamma}: the width of SVC
    peer: str = ""        # of class_peers.py


WAYS = (
    Way("kernel_lda", "Mercer `kernel_lda`, the width of SVC", "kernel_lda", ("--kernel", "gaussian:gamma={gamma}")),
    Way("kernel_lda_default", "Mercer `kernel_lda`, its own width", "kernel_lda"),
    Way("nearest_mean", "Mercer `nearest_mean`, the width of SVC", "nearest_mean",
        ("--kernel", "gaussian:gamma={gamma}")),
    Way("kernel_pca_knn", f"5 nearest neighbours on {COMPONENTS} scores of Mercer `kernel_pca`, the width of SVC",
        "kernel_pca", ("--kernel", "gaussian:gamma={gamma}", "--components", str(COMPONENTS)), "scores"),
    Way("svc", "scikit-learn `SVC`", peer="svc"),
    Way("lda", "scikit-learn `LinearDiscriminantAnalysis`", peer="lda"),
    Way("knn", "scikit-learn `KNeighborsClassifier`, 5 neighbours", peer="knn"),
)


def helper(name, *words):
    return json.loads(process.run([sys.executable, HERE / name, *words]).output)


def by_mercer(program, way, files, folder):
    model = folder / "run.mercer"
    options = [word.format(gamma=files["gamma"]) for word in way.options]
    quiet = ("--quiet", "--progress", "none", "--json")
    fit = process.run([program, "fit", files["train"], "--method", way.method, *options, "--force", "-o", model, *quiet])
    report = json.loads(fit.output)
    if way.peer:
        scores = [folder / f"{part}.npy" for part in ("train", "test")]
        seconds = 0
        for part, path in zip(("train", "test"), scores):
            seconds += process.run([program, "transform", model, files[part], *quiet, "-o", path]).seconds
        told = helper("class_peers.py", way.peer, files["train"], files["test"], *scores)
        return {"accuracy": told["accuracy"], "fit_seconds": fit.seconds, "new_seconds": seconds + told["new_seconds"]}
    new = process.run([program, "predict", model, files["test"], *quiet, "-o", folder / "predicted.csv"])
    figures = report["figures"]
    return {"accuracy": json.loads(new.output)["figures"]["accuracy"], "fit_seconds": fit.seconds,
            "new_seconds": new.seconds, "peak_bytes": fit.peak_bytes,
            **{name: figures.get(name) for name in ("ridge", "kernel_rank", "kernel_share")}}


def standard_error(accuracy, rows):
    return math.sqrt(accuracy * (1 - accuracy) / rows)


def measure(options, known, folder):
    results, skipped = {}, []
    for table in options.only or TABLES:
        try:
            files = helper("class_tables.py", table, options.data, *([str(QUICK_ROWS)] if options.quick else []))
        except process.Failed as failure:
            skipped.append(f"{table}: {failure}")
            continue
        results[table] = {"sizes": files["sizes"], "ways": {}}
        for way in WAYS:
            if way.method and way.method not in known:
                skipped.append(f"{way.name}: this Mercer has no {way.method}")
                continue
            try:
                run = (by_mercer(options.mercer, way, files, folder) if way.method else
                       helper("class_peers.py", way.peer, files["train"], files["test"]))
            except process.Failed as failure:
                skipped.append(f"{table}, {way.name}: {failure}")
                continue
            run["standard_error"] = standard_error(run["accuracy"], files["sizes"]["test"])
            results[table]["ways"][way.name] = run
            print(f"{table:10} {way.name:20} {100 * run['accuracy']:.2f} % ± {100 * run['standard_error']:.2f}, fit "
                  f"{run['fit_seconds']:.1f} s", file=sys.stderr)
    return results, sorted(set(skipped))


def verdict(results):
    """On how many tables the better of both is within a standard error of SVC, in a sentence."""
    close, all_tables = [], []
    for table, result in results.items():
        ways = result["ways"]
        if "svc" not in ways or "kernel_lda" not in ways:
            continue
        all_tables.append(TABLES[table])
        if ways["kernel_lda"]["accuracy"] >= ways["svc"]["accuracy"] - ways["svc"]["standard_error"]:
            close.append(TABLES[table])
    names = f": {', '.join(close)}" if close else ""
    return (f"With the width of SVC, `kernel_lda` is within one standard error of SVC's default, or better, on {len(close)} of "
            f"{len(all_tables)} tables{names}.")


def accuracy_table(results):
    lines = ["| % right of the test rows ± standard error | " + " | ".join(TABLES[name] for name in results) + " |",
             "|---|" + "---|" * len(results)]
    for way in WAYS:
        if not any(way.name in result["ways"] for result in results.values()):
            continue
        cells = []
        for result in results.values():
            run = result["ways"].get(way.name)
            cells.append("" if run is None else f"{100 * run['accuracy']:.1f} ± {100 * run['standard_error']:.1f}")
        lines.append(f"| {way.what} | " + " | ".join(cells) + " |")
    return lines


def seconds_table(results):
    lines = ["| seconds to fit / for the test rows | " + " | ".join(TABLES[name] for name in results) + " |",
             "|---|" + "---|" * len(results)]
    for way in WAYS:
        if not any(way.name in result["ways"] for result in results.values()):
            continue
        cells = []
        for result in results.values():
            run = result["ways"].get(way.name)
            cells.append("" if run is None else f"{run['fit_seconds']:.1f} / {run['new_seconds']:.1f}")
        lines.append(f"| {way.what} | " + " | ".join(cells) + " |")
    return lines


def range_table(results):
    lines = ["| `kernel_lda`, the width of SVC | " + " | ".join(TABLES[name] for name in results) + " |",
             "|---|" + "---|" * len(results)]
    for name, what in (("ridge", "ridge chosen, of the total scatter"), ("kernel_rank", "functions of the kernel"),
                       ("kernel_share", "share of the kernel's trace, at least"), ("peak_bytes", "peak memory, MB")):
        cells = []
        for result in results.values():
            value = result["ways"].get("kernel_lda", {}).get(name)
            cells.append("" if value is None else f"{value / 1e6:.0f}" if name == "peak_bytes" else f"{value:.4g}")
        lines.append(f"| {what} | " + " | ".join(cells) + " |")
    return lines


def page_text(results, skipped, version):
    sizes = "; ".join(f"{TABLES[name]}: {result['sizes']['train']} rows for training and {result['sizes']['test']} for the "
                      f"test, {result['sizes']['columns']} columns, {result['sizes']['classes']} classes"
                      for name, result in results.items())
    lines = ["# Classifiers beside scikit-learn's", "",
             "Made by `./dev bench classifiers` (bench/compare/classifiers.py); do not edit.", "",
             f"{version}. {sizes}. Columns are taken as they are. {verdict(results)}", "",
             *accuracy_table(results), "",
             "Everything runs with its defaults but for the width of the Gaussian, which is that of scikit-learn's SVC "
             "(`gamma=\"scale\"`) where it says so.", "",
             "Standard errors are those of a share among the test rows; the classifiers see the same test rows, so differences "
             "between them are known better than that.", "",
             *seconds_table(results), "",
             "Mercer's seconds are wall clock of the program with reading and writing, scikit-learn's those of its calls alone, "
             "one after the other: orders of magnitude.", "",
             *range_table(results), ""]
    if skipped:
        lines += ["Skipped: " + "; ".join(skipped) + ".", ""]
    return "\n".join(line if line.startswith("|") else textwrap.fill(line, 120) for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mercer", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="+", choices=TABLES)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--data", type=Path, default=PROJECT / "build" / "bench-data" / "classes")
    options = parser.parse_args()
    listed = process.run([options.mercer, "list", "methods"]).output
    known = {word for line in listed.splitlines() for word in line.split()[:1]}
    with tempfile.TemporaryDirectory() as folder:
        results, skipped = measure(options, known, Path(folder))
    text = page_text(results, skipped, mercer_run.version(options.mercer))
    if options.output:
        options.output.write_text(text)
    else:
        print(text)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    for reason in skipped:
        print(f"skipped {reason}", file=sys.stderr)
    return 1 if skipped else 0


if __name__ == "__main__":
    sys.exit(main())

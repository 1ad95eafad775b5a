#!/usr/bin/env python3
"""Kernel ICA against FastICA and maximum likelihood: Amari indices over the densities of `mercer data mixtures`.

usage: kernel_ica.py MERCER [--rows N] [--repetitions R] [--sources K ...] [--output PAGE.md] [--json FILE] [--quick]

Each table is n rows of K independent sources, all of one density (or each of one drawn at random), mixed by a random
matrix. Every method gets the same tables with its defaults; the index of what it finds is computed here, by the
mixing matrix that takes the unmixed sources to the table (least squares, exact to rounding). --quick takes few
repetitions and proves only that it all works. Exit status 1 where kernel_ica does not have the smaller mean index.
"""
import argparse
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import sklearn
from sklearn.decomposition import FastICA

# Name of a density, what it is before it is moved and scaled to mean 0 and variance 1, excess kurtosis.
DENSITIES = (
    ("student_3", "Student's t, 3 degrees of freedom"),
    ("laplace", "Laplace"),
    ("uniform", "uniform"),
    ("student_5", "Student's t, 5 degrees of freedom"),
    ("exponential", "exponential"),
    ("two_laplaces", "Laplace of width 1/2 at -1 and 1"),
    ("two_apart", "normal of width 0.15 at -0.5 and 0.5"),
    ("two_near", "width 0.4"),
    ("two_joined", "width 0.5"),
    ("uneven_two_apart", "normal of width 0.15 at -0.5 (weight 1) and 0.5 (3)"),
    ("uneven_two_near", "width 0.4 at -0.7 (1) and 0.5 (2)"),
    ("uneven_two_joined", "width 0.5"),
    ("four_apart", "normal of width 0.16 at ±1 (1) and ±0.33 (2)"),
    ("four_near", "width 0.2 at ±1 (1) and 0.3 at ±0.2 (2)"),
    ("four_joined", "width 0.2 at ±0.7 (1) and 0.3 at ±0.2 (2)"),
    ("uneven_four_apart", "normal of width 0.2 at -1 (1), -0.3 (2), 0.3 (1) and 1.1 (1)"),
    ("uneven_four_near", "width 0.2 at -1 (1), 0.3 (2) and 1 (1/2), 0.3 at -0.2 (3)"),
    ("uneven_four_joined", "width 0.22 at -0.8 (1), 0.3 at ±0.2 (2 each), 0.2 at 0.5 (1)"),
)
RANDOM = "random"
INFINITE = {"student_3"}  # whose fourth moment is

MERCER_WAYS = {
    "KGV": ("kernel_ica",),
    "KCC": ("kernel_ica", "--contrast", "kcc"),
    "logcosh": ("ica",),
    "exp": ("ica", "--contrast", "exp"),
    "likelihood": ("ica", "--algorithm", "likelihood"),
}
WAYS = (*MERCER_WAYS, "scikit-learn")

PAGE = """# Kernel ICA against FastICA

This page is written by `./dev bench kica`: do not edit it. {machine}; scikit-learn {sklearn}.

Sources of mean 0 and variance 1, all of the same density (`--density NAME`) or each of one drawn at random, are mixed by
a random matrix whose condition number is at most 2:

```sh
mercer data mixtures -n 1000 --dim 4 --density two_apart --seed 1 -o mixed.csv
mercer data sources -n 1000 --dim 4 --density two_apart --seed 1 -o unmixed.csv
mercer fit mixed.csv --method kernel_ica
```

The densities are after those of Bach and Jordan (2002). Widths are standard deviations of normal parts and scales of
Laplace ones, weights stand in brackets; then all is moved and scaled. Skewness and excess kurtosis are those of
{shape_rows} draws.

{densities}

Below stand means of 100 times the Amari index over {repetitions_text} tables of {rows} rows each: 0 is perfect, 100 the
worst. All methods see the same tables, with their defaults: `kernel_ica` with either contrast, `ica` by FastICA
(logcosh, exp) and by the extended likelihood, and scikit-learn's `FastICA`, whose maximum of iterations is raised to
2000. The standard error stands after ±; the smallest mean of a row is bold.

{tables}

{times}
"""


def truth_of(mixed, sources):
    return np.linalg.lstsq(sources - sources.mean(0), mixed - mixed.mean(0), rcond=None)[0].T


def amari(product):
    size = np.abs(product)
    k = len(size)
    over = (size / size.max(1, keepdims=True)).sum() + (size / size.max(0, keepdims=True)).sum() - 2 * k
    return over / (2 * k * (k - 1))


def run(*command, statuses=(0,)):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode not in statuses:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def table(program, name, rows, sources, density, seed, folder):
    path = folder / f"{name}_{density}_{sources}_{seed}.csv"
    run(program, "data", name, "-n", rows, "--dim", sources, "--density", density, "--seed", seed, "-o", path, "--quiet")
    return path, np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)


def unmixing_of_sklearn(mixed, sources):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a search that did not converge counts as it is
        model = FastICA(whiten="unit-variance", random_state=0, max_iter=2000)
        model.fit(mixed)
    return model.components_


def one_table(job):
    program, rows, sources, density, seed, folder = job
    path, mixed = table(program, "mixtures", rows, sources, density, seed, folder)
    raw, unmixed = table(program, "sources", rows, sources, density, seed, folder)
    truth = truth_of(mixed, unmixed)
    indices, seconds = {}, {}
    for way, words in MERCER_WAYS.items():
        # Status 6: the search did not converge, which counts as it is.
        report = json.loads(run(program, "fit", path, "--method", *words, "--threads", "1", "--json", "--quiet",
                                "--progress", "none", "--force", "-o", f"{path}.mercer", statuses=(0, 6)))
        indices[way] = amari(np.linalg.inv(np.array(report["figures"]["mixing"])) @ truth)
        seconds[way] = report["seconds"]["solve"]
    indices["scikit-learn"] = amari(unmixing_of_sklearn(mixed, sources) @ truth)
    for used in (path, raw, Path(f"{path}.mercer")):
        used.unlink()
    return (sources, density), indices, seconds


def shapes_of(program, density, rows, folder):
    path, drawn = table(program, "sources", rows, 1, density, 1, folder)
    path.unlink()
    unit = (drawn - drawn.mean()) / drawn.std()
    kurtosis = "∞" if density in INFINITE else f"{(unit ** 4).mean() - 3:.2f}"
    return f"{(unit ** 3).mean():.2f}" if density not in INFINITE else "0", kurtosis


def markdown(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def cell(mean, error, best):
    text = f"{mean:.1f}"
    return (f"**{text}**" if best else text) + f" ± {error:.1f}"


def result_row(name, values):
    """`values`: one row for each table, one column for each way."""
    means = 100 * values.mean(0)
    errors = 100 * values.std(0, ddof=1) / math.sqrt(len(values)) if len(values) > 1 else 0 * means
    return [name, *(cell(mean, error, mean == means.min()) for mean, error in zip(means, errors))]


def result_table(sources, results):
    names = [name for name, _ in DENSITIES] + [RANDOM]
    arrays = [np.array([[indices[way] for way in WAYS] for indices in results[sources, name]]) for name in names]
    rows = [result_row(name, values) for name, values in zip(names, arrays)]
    # Of the same number of tables each, so that the mean over densities is the mean over tables; its error is that of
    # the tables within each density.
    means = np.array([values.mean(0) for values in arrays])
    within = np.array([values.var(0, ddof=1) / len(values) if len(values) > 1 else 0 * values[0] for values in arrays])
    mean, error = 100 * means.mean(0), 100 * np.sqrt(within.sum(0)) / len(arrays)
    rows.append(["mean", *(cell(m, e, m == mean.min()) for m, e in zip(mean, error))])
    text = markdown(["density", *WAYS], rows)
    return f"## {sources} sources\n\n{text}", dict(zip(WAYS, mean / 100))


def processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--sources", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--output")
    parser.add_argument("--json")
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args(words)
    if arguments.quick:
        arguments.repetitions = 2
    return arguments


def main(words):
    arguments = parse(words)
    cores = len(os.sched_getaffinity(0))
    names = [name for name, _ in DENSITIES] + [RANDOM]
    results, seconds = {}, {}
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(cores) as pool:
        folder = Path(name)
        jobs = [(arguments.program, arguments.rows, sources, density, seed, folder) for sources in arguments.sources
                for density in names for seed in range(arguments.repetitions)]
        for key, indices, took in pool.map(one_table, jobs):
            results.setdefault(key, []).append(indices)
            for way, second in took.items():
                seconds.setdefault((key[0], way), []).append(second)
        shape_rows = 2000 if arguments.quick else 200000
        densities = [[name, what, *shapes_of(arguments.program, name, shape_rows, folder)] for name, what in DENSITIES]
    tables, better = [], True
    means = {}
    for sources in arguments.sources:
        text, mean = result_table(sources, results)
        tables.append(text)
        means[sources] = mean
        better = better and mean["KGV"] < min(mean[way] for way in WAYS if way not in ("KGV", "KCC"))
    times = "; ".join(
        f"{sources} sources: " + ", ".join(f"{way} {1000 * np.median(seconds[sources, way]):.0f} ms" for way in MERCER_WAYS)
        for sources in arguments.sources)
    page = PAGE.format(machine=f"{os.cpu_count()} cores, {processor()}", sklearn=sklearn.__version__,
                       shape_rows=f"{shape_rows:,}".replace(",", " "),
                       densities=markdown(["density", "of", "skewness", "excess kurtosis"], densities),
                       repetitions_text=arguments.repetitions, rows=arguments.rows, tables="\n\n".join(tables),
                       times=f"Median time of a fit on one thread, as the program reports it: {times}.")
    if arguments.output and not arguments.quick:
        Path(arguments.output).write_text(page)
    print(page)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps({str(sources): mean for sources, mean in means.items()}))
    return 0 if better else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

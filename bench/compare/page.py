"""The results as a table for the terminal and as a Markdown page."""
import math

HEADER = """# Against other programs

This page is written by `./dev bench compare`: do not edit it. Every figure comes from one run in which the
other program and Mercer took turns on the same files.

{machine}. {versions}.

## Ratios

{table}

Geometric mean: {mean}.

*Seconds* are medians (rounds: {rounds}), around `fit` (or `transform`) alone for the peers and the time the program
reports for the same work, certificate included, for Mercer. *Memory* is the peak of the whole process, interpreter and
data included; the share is Mercer's of the peer's.
"""

RULES = """## Equal accuracy

Both are measured against a third answer: the kernel matrix in float64, centred, and its leading eigenpairs by SciPy's
`eigsh` with tolerance 0.

- A peer counts when every eigenvalue is within {eigenvalues:.0e} of the reference, relative to itself. Of
  scikit-learn's two iterative solvers, two precisions and one or all jobs, the fastest that counts is the peer.
- Mercer counts when its eigenvalues are within the same bound and the sine of the largest angle between its span and
  the reference's is at most the peer's, or {sine:.0e}. If the default tolerance does not reach that, a tighter one is
  timed; it is named below. Scores of new rows must be no worse than the peer's, or within {scores:.0e}.
- All use every core: BLAS of the peers, Mercer's threads. The peers get the table in the precision they like best; that
  conversion is not timed. The kernel is the Gaussian of the width Mercer chooses, the same for all.

{table}
"""


def times(ratio):
    digits = 2 if ratio < 1 else 1 if ratio < 100 else 0
    return f"{ratio:.{digits}f}×"


def megabytes(count):
    return f"{count / 1e9:.2f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


def seconds(value):
    return f"{value:.3f} s" if value < 1 else f"{value:.2f} s"


def verdict(result, quick):
    """Whether the goals are met, in a few words."""
    if not result["equal"]:
        return "accuracy differs"
    if quick:
        return "quick run"
    missed = []
    if result["goal"] and result["ratio"] < result["goal"]:
        missed.append(f"missed: {100 * result['ratio'] / result['goal']:.0f} % of the goal")
    if result["memory_goal"] and result["memory_share"] > result["memory_goal"]:
        missed.append(f"memory missed: {100 * result['memory_share']:.0f} % of the peer's")
    if missed:
        return "; ".join(missed)
    return "met" if result["goal"] else "no goal"


def size(result):
    rows = f"{result['rows']} × {result['columns']}"
    return f"{result['new_rows']} rows, model of {rows}" if result["new_rows"] else rows


def markdown(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def plain(header, rows):
    cells = [header, *rows]
    widths = [max(len(str(line[j])) for line in cells) for j in range(len(header))]
    return "\n".join("  ".join(str(cell).ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells)


def ratio_rows(results, quick):
    header = ["scenario", "size", "k", "fastest peer", "peer", "Mercer", "ratio", "goal", "peer's memory", "share",
              "verdict"]
    rows = [[r["title"], size(r), r["components"], r["peer"]["name"], seconds(r["peer"]["seconds"]),
             seconds(r["mercer"]["seconds"]), times(r["ratio"]), f"≥ {r['goal']:g}×" if r["goal"] else "–",
             megabytes(r["peer"]["peak_bytes"]), f"{100 * r['memory_share']:.0f} %", verdict(r, quick)]
            for r in results]
    return header, rows


def accuracy_rows(results):
    header = ["scenario", "k", "", "eigenvalues", "sine", "scores", "seconds of each round", "wall clock"]
    rows = []
    for result in results:
        for who in (result["peer"], result["mercer"]):
            scores = f"{who['score_error']:.0e}" if "score_error" in who else "–"
            rows.append([result["title"], result["components"], who["name"], f"{who['eigenvalue_error']:.0e}",
                         f"{who['sine']:.0e}", scores, ", ".join(f"{value:.3g}" for value in who["all_seconds"]),
                         seconds(who["wall_seconds"]) if who["wall_seconds"] else "–"])
    return header, rows


def survey_rows(results):
    header = ["scenario", "k", "candidate", "counts", "seconds", "ratio", "memory", "eigenvalues", "sine"]
    rows = [[result["title"], result["components"], who["name"], "yes" if who["counts"] else "no",
             f"{who['seconds']:.3g}", times(who["seconds"] / result["mercer"]["seconds"]),
             megabytes(who["peak_bytes"]), f"{who['eigenvalue_error']:.0e}", f"{who['sine']:.0e}"]
            for result in results for who in result["surveyed"]]
    return header, rows


def geometric_mean(results):
    """That of the ratios at equal accuracy, in words."""
    ratios = [result["ratio"] for result in results if result["equal"]]
    if not ratios:
        return "none, since no scenario was of equal accuracy"
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return f"{times(mean)} as fast, over {len(ratios)} {'scenario' if len(ratios) == 1 else 'scenarios'}"


def how_lines(results):
    for result in results:
        clock = "" if result["clock"] == "reported" else f"; timed by the {result['clock']}, files included"
        yield (f"- **{result['title']}**, k = {result['components']}: tolerance {result['tolerance']:.0e}; "
               f"{result['how']}{clock}.")


def terminal(results, skipped, quick):
    """The tables and the mean, as plain text."""
    parts = []
    if results:
        parts += [plain(*ratio_rows(results, quick)), "", plain(*accuracy_rows(results)), "", *how_lines(results), ""]
    parts += [f"skipped {name}: {reason}" for name, reason in skipped]
    parts.append(f"geometric mean: {geometric_mean(results)}")
    return "\n".join(parts)


def page(results, skipped, about):
    """The whole Markdown page."""
    text = HEADER.format(machine=about["machine"], versions=about["versions"], rounds=about["rounds"],
                         table=markdown(*ratio_rows(results, about["quick"])), mean=geometric_mean(results))
    if about["quick"]:
        text += "\nThis was a quick run on small tables: it shows that the comparison works and nothing more.\n"
    if about["flags"]:
        text += f"\nMercer was given `{' '.join(about['flags'])}`.\n"
    if skipped:
        text += "\nNot run:\n\n" + "".join(f"- {name}: {reason}\n" for name, reason in skipped)
    text += "\n" + RULES.format(table=markdown(*accuracy_rows(results)), **about["limits"])
    text += "\nHow Mercer did it:\n\n" + "\n".join(how_lines(results)) + "\n"
    text += "\n## Every candidate\n\nOne run each, before the rounds, those that are not accurate enough included.\n\n"
    return text + markdown(*survey_rows(results)) + "\n"

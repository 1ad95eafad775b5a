"""Models whose reports are looked at in a browser: name of the model -> (words of the fit, words of the report)."""

import os
import subprocess

HOSTILE = '<script>document.title="run"</script>'


def hostile_table():
    names = ["</script><img src=x onerror=alert(1)>", "\"'><b>", "]]>--><!--"]
    lines = ["id,one,\"<svg onload=alert(2)>\",three,label"]
    for i in range(40):
        quoted = names[i % 3].replace('"', '""')
        lines.append(f'"row{i} {HOSTILE.replace(chr(34), chr(34) * 2)}",{i},{i * i % 7},{i * 3 % 11},"{quoted}"')
    return "\n".join(lines) + "\n"


def regression_table():
    rows = ["a,b,c,d,sugar"]
    for i in range(60):
        a, b, c, d = i % 7, (i * i) % 11, (3 * i) % 5, (i * i * i) % 13
        rows.append(f"{a},{b},{c},{d},{a - 2 * b + 0.5 * c * c + 0.1 * (i % 3)}")
    return "\n".join(rows) + "\n"


FITS = {  # model: (table, options of the fit, table and options of the report)
    "digits": ("digits.csv", ["--components", "8"], []),
    "ring": ("circles.csv", ["--kernel", "gaussian:sigma=0.3", "--components", "4"], []),
    "images": ("digits.csv", ["--method", "pca", "--components", "10"], ["digits.csv", "--image-size", "8x8"]),
    "sugar": ("sugar.csv", ["--method", "pls", "--target", "sugar", "--components", "auto"], ["sugar.csv"]),
    "factors": ("blobs.csv", ["--method", "factor_analysis"], ["blobs.csv"]),
    "classes": ("blobs.csv", ["--method", "kernel_lda"], []),
    "nearest": ("blobs.csv", ["--method", "nearest_mean"], []),
    "scaling": ("blobs.csv", ["--method", "mds"], ["blobs.csv"]),
    "stress": ("blobs.csv", ["--method", "metric_mds"], []),
    "sources": ("sources.csv", ["--method", "ica"], []),
    "unproven": ("circles.csv", ["--certify", "none", "--kernel", "sigmoid"], []),
    "hostile": ("hostile.csv", ["--method", "pca", "--components", "3"], ["--title", HOSTILE]),
}


def make(mercer, folder):
    """Fits them all and writes their reports; names of the pages."""
    def run(*words):
        done = subprocess.run([mercer, *words, "--quiet"], cwd=folder, capture_output=True, check=False)
        assert done.returncode in (0, 6), f"mercer {' '.join(words)}: {done.stderr.decode()[-500:]}"
    for name, size in (("digits", []), ("circles", ["-n", "300"]), ("blobs", ["-n", "150", "--dim", "5", "--noise", "0.3"]),
                       ("sources", ["-n", "300"])):
        run("data", name, *size, "-o", name + ".csv")
    for name, text in (("sugar.csv", regression_table()), ("hostile.csv", hostile_table())):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    for name, (table, fit, report) in FITS.items():
        run("fit", table, *fit, "-o", name + ".mercer")
        run("report", name + ".mercer", *report, "-o", name + ".html")
    return list(FITS)

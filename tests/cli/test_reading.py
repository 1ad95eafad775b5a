"""Reading within --memory and --time: what a reader takes is refused before it is taken, and a silent pipe is not
waited for."""

import array
import os
import random
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib

from program import LIMIT, Result, says
from test_large import sanitized

MIB = 2**20


# A new process counts the memory of the one it was split off from, so that a small one starts the program.
MEASURE = """import resource, subprocess, sys
status = subprocess.call(sys.argv[2:])
with open(sys.argv[1], "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status)"""


def run_with_peak(mercer, *args, piped=None):
    """The result of a run, and its peak of resident bytes, as the system saw it. `piped`: a file for standard input,
    through a pipe."""
    with tempfile.NamedTemporaryFile("r") as peak:
        source = subprocess.Popen(["cat", mercer.path(piped)], stdout=subprocess.PIPE) if piped else None
        done = subprocess.run([sys.executable, "-c", MEASURE, peak.name, mercer.binary, *args], cwd=mercer.folder,
                              stdin=source.stdout if source else subprocess.DEVNULL, capture_output=True,
                              timeout=LIMIT, check=False)
        if source:
            source.stdout.close()
            source.wait()
        return Result(done.returncode, done.stdout, done.stderr), int(peak.read()) * 1024


def stays_within(mercer, megabytes, *args, piped=None, status=None):
    """Either there is a result, or M301 before the memory is taken; never more than the budget and 64 MB."""
    result, peak = run_with_peak(mercer, *args, "--memory", f"{megabytes}M", piped=piped)
    what = f"mercer {' '.join(args)} --memory {megabytes}M: exit status {result.status}: {result.err[-300:]}"
    assert result.status in ((0, 5) if status is None else (status,)), what
    if result.status == 5:
        says(result, "error[M301]", "fix: ")
    if not sanitized(mercer):
        assert peak <= (megabytes + 64) * MIB, f"{peak / MIB:.0f} MiB: {what}"
    return result


def write_npy(mercer, name, rows, columns):
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    head += " " * (118 - len(head) - 1) + "\n"
    values = array.array("d", array.array("H", random.Random(5).randbytes(2 * rows * columns)))
    content = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + values.tobytes()
    mercer.write(name, content)
    return content


def test_few_numbers_in_ten_million_columns(mercer):
    mercer.write("x.svm", "1 10000000:1\n2 1:2\n")
    mercer.write("x.mtx", "%%MatrixMarket matrix coordinate real general\n"
                          "3 10000000 3\n1 1 1\n2 10000000 2\n3 5 1\n")
    for table in ("x.svm", "x.mtx"):
        stays_within(mercer, 16, "fit", table)
        for policy in ("drop", "mean", "median"):
            stays_within(mercer, 16, "fit", table, "--missing", policy)
        stays_within(mercer, 16, "fit", table, "--drop", "7")
        fit = stays_within(mercer, 400, "fit", table, "-o", "m.mercer", status=0)
        says(fit, "columns are constant: 2, 3, 4")


def test_a_row_of_millions_of_cells(mercer):
    row = ",".join("7" for _ in range(2_000_000)) + "\n"
    mercer.write("x.csv", row * 3)
    stays_within(mercer, 64, "fit", "x.csv", status=5)
    stays_within(mercer, 200, "plan", "x.csv")
    mercer.write("names.csv", ",".join(f"a_column_with_a_long_name_{i}" for i in range(300_000)) + "\n"
                 + ",".join("1" for _ in range(300_000)) + "\n" + ",".join("2" for _ in range(300_000)) + "\n")
    for megabytes in (40, 100):
        stays_within(mercer, megabytes, "plan", "names.csv")
    mercer.write("gaps.csv", ("," * 400_000 + "\n") * 4 + ",".join("1" for _ in range(400_001)) + "\n")
    for megabytes in (40, 200):
        stays_within(mercer, megabytes, "plan", "gaps.csv", "--missing", "mean")


def write_png(mercer, name, size, shift):
    """A square image, one bit per pixel."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes([(i * 37 + shift) % 256]) * (size // 8) for i in range(size))
    mercer.write(name, b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 1, 0, 0, 0, 0))
                 + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def test_two_images_of_nine_million_pixels(mercer):
    write_png(mercer, "images/a.png", 3000, 1)
    write_png(mercer, "images/b.png", 3000, 8)
    # Two rows, but means and sums as long as they are: the plan counts them.
    for megabytes, status in ((16, 5), (128, 5), (320, 5), (480, 0)):
        stays_within(mercer, megabytes, "fit", "images", "--components", "1", "--kernel", "gaussian:sigma=1000", status=status)
    stays_within(mercer, 480, "fit", "images", "--components", "1", "--method", "pca", status=5)
    # A plan looks at the rows as the fit does, within the same memory.
    stays_within(mercer, 480, "plan", "images", "--kernel", "gaussian:sigma=1000", status=0)
    stays_within(mercer, 128, "convert", "images", "x.csv", status=5)  # names of nine million columns


def test_texts_of_every_kind_count(mercer):
    long = "q" * 200
    mercer.write("ids.csv", "name,x,y\n" + "".join(f"n{i}{long},{i % 10},{i % 7}\n" for i in range(200_000)))
    mercer.write("classes.csv", "label,x,y\n" + "".join(f"c{i}{long},{i % 10},{i % 7}\n" * 2 for i in range(150_000)))
    mercer.write("late.csv", "".join(f"{i},{i % 9}\n" for i in range(300_000))
                 + "".join(f"t{i},{i % 9}\n" for i in range(400_000)))
    mercer.write("labels.svm", "".join(f"{i} 1:1\n" for i in range(500_000)))
    mercer.write("ragged.csv", "1,2,3\n4,5,6\n7,8,9\n" + "1,2\n" * 500_000)
    for table, more in (("ids.csv", []), ("classes.csv", []), ("late.csv", []), ("labels.svm", []),
                        ("ragged.csv", ["--rejects", "rejects.csv"])):
        for megabytes in (16, 48):
            stays_within(mercer, megabytes, "plan", table, *more)
    stays_within(mercer, 200, "convert", "ids.csv", "back.csv", status=0)
    assert mercer.read("back.csv").splitlines()[200_000].startswith(b"n199999qqq")


def test_pipes_take_no_second_copy(mercer):
    content = write_npy(mercer, "x.npy", 2000, 2000)  # 30.5 MiB
    # The width is given: the median of all pairs takes memory of its own.
    result, peak = run_with_peak(mercer, "plan", "-", "--memory", "70M", "--kernel", "gaussian:sigma=9", piped="x.npy")
    assert result.status == 0, result.err
    assert sanitized(mercer) or peak < 62 * MIB, peak
    mercer.write("x.npy.gz", zlib.compress(content, 1, 31))
    mercer("convert", "x.npy", "x.npy.zst")
    with zipfile.ZipFile(mercer.path("x.npz"), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", content)
    mercer.write("x.mtx", "%%MatrixMarket matrix array real general\n2000 1000\n"
                 + "".join(f"{i % 10}.5\n" for i in range(2_000_000)))
    for table in ("x.npy.gz", "x.npy.zst", "x.npz", "x.mtx"):
        for megabytes in (16, 40):
            stays_within(mercer, megabytes, "plan", "-", piped=table)
            stays_within(mercer, megabytes, "plan", table)
    says(mercer("plan", "-", "--memory", "16M", status=5, stdin=content), "standard input")


def ends_by_time(mercer, *args, **more):
    start = time.monotonic()
    process = mercer.start(*args, "--time", "1s", **more)
    _, err = process.communicate(timeout=60)
    seconds = time.monotonic() - start
    assert process.returncode == 5 and b"error[M303]" in err, (process.returncode, err)
    assert 0.9 < seconds < 20, seconds
    assert "x.mercer" not in mercer.files(), mercer.files()


def test_a_silent_pipe_is_not_waited_for(mercer):
    end, begin = os.pipe()
    try:
        ends_by_time(mercer, "fit", "-", "-o", "x.mercer", stdin=end)
        os.write(begin, b"a,b\n1,2\n3,")  # and no more
        ends_by_time(mercer, "fit", "-", "-o", "x.mercer", stdin=end)
    finally:
        os.close(begin)
        os.close(end)
    os.mkfifo(mercer.path("pipe.csv"))  # nobody writes to it
    ends_by_time(mercer, "fit", "pipe.csv", "-o", "x.mercer")


def test_a_named_pipe_is_read_to_its_end(mercer):
    mercer("data", "blobs", "-n", "300", "--dim", "3", "-o", "x.csv")
    os.mkfifo(mercer.path("pipe.csv"))
    process = mercer.start("convert", "pipe.csv", "back.npy", stdin=subprocess.DEVNULL)
    content = mercer.read("x.csv")
    with open(mercer.path("pipe.csv"), "wb") as pipe:  # waits for its reader
        for part in (content[:10], content[10:4000], content[4000:]):
            time.sleep(0.1)
            pipe.write(part)
            pipe.flush()
    assert process.wait(timeout=60) == 0, process.stderr.read()
    mercer("convert", "x.csv", "plain.npy")
    assert mercer.read("back.npy") == mercer.read("plain.npy")

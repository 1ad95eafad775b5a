"""One program in a fresh process: its output, wall clock and peak memory.

The peak is ru_maxrss of that child. Linux hands the parent's own peak down through fork and exec, so the parent has to
stay small: run.py and what it imports use no NumPy, and everything large happens in children.
"""
import os
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass

LIMIT_SECONDS = 3600
CORES = len(os.sched_getaffinity(0))


class Failed(Exception):
    """A program ended with an error; the text says which and why."""


@dataclass
class Finished:
    output: str
    seconds: float
    peak_bytes: int


def environment():
    """The caller's environment with every BLAS told to use all cores."""
    threads = {name: str(CORES) for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    return {**os.environ, **threads}


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no message"


def run(command):
    """Runs a command to its end; raises Failed with the last line it said when it does not end well."""
    command = [str(word) for word in command]
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as messages:
        start = time.perf_counter()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=messages, env=environment())
        alarm = threading.Timer(LIMIT_SECONDS, child.kill)
        alarm.start()
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            child.kill()
            raise
        finally:
            alarm.cancel()
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        messages.seek(0)
        if child.returncode != 0:
            text = messages.read() or output.read()
            raise Failed(f"{os.path.basename(command[0])}: exit status {child.returncode}: {last_line(text)}")
        return Finished(output.read(), seconds, usage.ru_maxrss * 1024)

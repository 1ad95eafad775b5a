"""Ctrl-C and its relatives end the program within two seconds and leave the files as they were."""

import json
import os
import signal
import subprocess
import time

ATTEMPTS = 3  # a busy machine may be late once


def stopped(mercer, args, number, delay, stdin=None):
    """Starts, waits for the first words and `delay` more, sends the signal. Returns (seconds, status, out, err)."""
    process = mercer.start(*args, stdin=stdin)
    first = process.stderr.readline() if stdin is None else b""
    time.sleep(delay)
    start = time.monotonic()
    process.send_signal(number)
    try:
        out, err = process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise AssertionError("still running 20 s after the signal") from None
    return time.monotonic() - start, process.returncode, out, first + err


def stops_in_time(mercer, args, number, delay, **more):
    for _ in range(ATTEMPTS):
        seconds, status, out, err = stopped(mercer, args, number, delay, **more)
        assert status == 130, f"exit status {status}: {err[-200:]}"
        assert err.count(b"error[M001]") == 1, err
        if seconds <= 2:
            return out
    raise AssertionError(f"took {seconds:.1f} s after the signal, {ATTEMPTS} times")


def long_fit(mercer):
    """A fit of some seconds over an existing model."""
    mercer("data", "blobs", "-n", "50", "--dim", "3", "-o", "small.csv")
    mercer("fit", "small.csv", "-o", "m.mercer")
    mercer("data", "blobs", "-n", "6000", "--dim", "3", "-o", "big.csv")
    return (["fit", "big.csv", "-o", "m.mercer", "--scores", "s.csv", "--operator", "dense_gram", "--solver",
             "dense"],
            mercer.read("m.mercer"))


def test_interrupted_fit_leaves_everything_as_it_was(mercer):
    args, before = long_fit(mercer)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for delay in (0.05, 1.0):
            stops_in_time(mercer, args, number, delay)
            assert mercer.files() == ["big.csv", "m.mercer", "small.csv"], mercer.files()
            assert mercer.read("m.mercer") == before, "the old model was changed"
    mercer("info", "m.mercer")


def test_interrupted_run_says_so_in_json(mercer):
    args, _ = long_fit(mercer)
    out = stops_in_time(mercer, [*args, "--json"], signal.SIGINT, 1.0)
    value = json.loads(out)
    assert value["schema"] == 1 and value["error"]["code"] == "M001", value


def test_interrupted_while_waiting_for_standard_input(mercer):
    reading, writing = os.pipe()
    try:
        stops_in_time(mercer, ["fit", "-"], signal.SIGINT, 0.5, stdin=reading)
    finally:
        os.close(reading)
        os.close(writing)
    assert mercer.files() == []


def test_second_signal_does_not_wait(mercer):
    args, before = long_fit(mercer)
    process = mercer.start(*args)
    process.stderr.readline()
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 130 and mercer.read("m.mercer") == before

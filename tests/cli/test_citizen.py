"""A good citizen: signals that were ignored stay ignored, lost words end no fit, a second Ctrl-C leaves no temporary
file, small stacks suffice, and a checkpoint that somebody moved or removed is neither deleted nor promised."""

import os
import random
import re
import resource
import shlex
import signal
import subprocess
import time

SHOTS = int(os.environ.get("MERCER_SHOTS", "16"))  # signals at random moments
LONG = ["--components", "6", "--kernel", "gaussian:sigma=0.2", "--tolerance", "1e-9", "--operator", "blocked_gram",
        "--quiet"]


def ignoring(*numbers):
    """For preexec_fn: what nohup and trap '' do."""
    def setting():
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
    return setting


def waits_for_a_table(mercer, *args, **more):
    """A fit that has looked at its names and now waits for its table; returns it with the pipe."""
    if not os.path.exists(mercer.path("pipe.csv")):
        os.mkfifo(mercer.path("pipe.csv"))
    process = mercer.start("fit", "pipe.csv", *args, **more)
    return process, open(mercer.path("pipe.csv"), "wb")


def test_ignored_signals_stay_ignored(mercer):
    table = mercer("data", "blobs", "-n", "100").out
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        process, pipe = waits_for_a_table(mercer, "-o", "m.mercer", preexec_fn=ignoring(number))
        for _ in range(2):
            process.send_signal(number)
            time.sleep(0.05)
        with pipe:
            pipe.write(table)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0 and os.path.exists(mercer.path("m.mercer")), (number, err)
        os.remove(mercer.path("m.mercer"))
    process, pipe = waits_for_a_table(mercer, "-o", "m.mercer", preexec_fn=ignoring(signal.SIGHUP))
    process.send_signal(signal.SIGTERM)  # what is not ignored still stops
    with pipe:
        process.communicate(timeout=60)
    assert process.returncode == 130 and not os.path.exists(mercer.path("m.mercer"))


def test_a_closed_standard_error_ends_no_fit(mercer):
    mercer("data", "blobs", "-n", "100", "-o", "x.csv")
    line = f"set -o pipefail; '{mercer.binary}' fit x.csv -o m.mercer 2>&1 | head -1"
    done = subprocess.run(["bash", "-c", line], cwd=mercer.folder, capture_output=True, check=False)
    assert done.returncode == 0 and done.stdout.count(b"\n") == 1, done
    mercer("info", "m.mercer")
    for ignored in (False, True):  # however SIGPIPE is set
        reading, writing = os.pipe()
        os.close(reading)
        process = subprocess.Popen([mercer.binary, "fit", "x.csv", "-o", "n.mercer", "--progress", "json"],
                                   cwd=mercer.folder, stdout=subprocess.PIPE, stderr=writing,
                                   restore_signals=not ignored)
        os.close(writing)
        process.communicate(timeout=60)
        assert process.returncode == 0, process.returncode
        mercer("info", "n.mercer")
        os.remove(mercer.path("n.mercer"))


def test_a_closed_standard_output_ends_quietly(mercer):
    mercer("data", "blobs", "-n", "8000", "-o", "x.csv")
    mercer("fit", "x.csv", "-o", "m.mercer", "--kernel", "linear", "--quiet")
    for output in ("-", "/dev/stdout"):
        for ignored in (False, True):
            with subprocess.Popen([mercer.binary, "transform", "m.mercer", "x.csv", "-o", output, "--quiet"],
                                  cwd=mercer.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  restore_signals=not ignored) as process:
                process.stdout.readline()
                process.stdout.close()
                err = process.stderr.read()
                process.wait(timeout=60)
            assert process.returncode == -signal.SIGPIPE and err == b"", (output, process.returncode, err)
    os.mkfifo(mercer.path("pipe"))
    process = mercer.start("fit", "x.csv", "-o", "no/m.mercer")  # an error that is none of the pipe's
    process.stdout.close()
    assert b"error[M402]" in process.stderr.read() and process.wait(timeout=60) == 4


def test_small_stacks_do(mercer):
    mercer("data", "blobs", "-n", "300", "--dim", "5", "-o", "x.csv")
    def small():
        resource.setrlimit(resource.RLIMIT_STACK, (64 << 10, 64 << 10))
    for args in (["fit", "x.csv", "-o", "m.mercer"], ["fit", "x.csv", "--solver", "block_krylov", "-o", "k.mercer"],
                 ["transform", "m.mercer", "x.csv"], ["info", "m.mercer"], ["plan", "x.csv"], ["--help"],
                 ["fit", "x.csv", "--kernel", "gaussian:sigma"], ["convert", "x.csv", "x.npy"]):
        process = mercer.start(*args, preexec_fn=small)
        _, err = process.communicate(timeout=60)
        assert process.returncode in (0, 2), (args, process.returncode, err)


def test_signals_at_any_moment_leave_the_old_or_the_new_file(mercer):
    """Twice in quick succession, mostly while the outputs are written: no temporary file, no half one."""
    mercer("data", "blobs", "-n", "2000", "--dim", "400", "-o", "x.npy")
    how = ["fit", "x.npy", "--kernel", "linear", "--solver", "dense", "--components", "20",
           "--reproducible", "--quiet", "-o", "m.mercer", "--scores", "s.npy"]
    mercer(*how)
    start = time.monotonic()
    mercer(*how)
    seconds = time.monotonic() - start
    new = {name: mercer.read(name) for name in ("m.mercer", "s.npy")}
    mercer("fit", "x.npy", "--kernel", "linear", "--components", "1", "--quiet", "-o", "m.mercer", "--scores", "s.npy")
    old = {name: mercer.read(name) for name in ("m.mercer", "s.npy")}
    chance, stopped, late = random.Random(11), 0, 0
    for shot in range(SHOTS):
        for name, content in old.items():
            mercer.write(name, content)
        process = mercer.start(*how)
        number = chance.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
        time.sleep(chance.uniform(0.5 if shot % 4 else 0.0, 1.0) * seconds)
        process.send_signal(number)
        if shot % 3:
            time.sleep(chance.uniform(0, 0.004))
            process.send_signal(number)
        process.communicate(timeout=60)
        assert process.returncode in (0, 130, -number), process.returncode  # the last before main() has begun
        stopped += process.returncode != 0
        late += process.returncode == 0
        assert mercer.files() == ["m.mercer", "s.npy", "x.npy"], (shot, mercer.files())
        for name in old:
            assert mercer.read(name) in (old[name], new[name]), f"shot {shot}: {name} is neither"
    assert stopped > 0, (stopped, late)


def long_fit(mercer, table="t.npy", *more):
    """A fit that keeps a checkpoint, once it has some passes."""
    if not os.path.exists(mercer.path(table)):
        mercer("data", "s_curve", "-n", "3000", "-o", "./" + table)
    process = mercer.start("fit", *LONG[:-1], "--checkpoint", "c.checkpoint", "-o", "m.mercer", *more, table)
    header = None
    while process.poll() is None:
        size = os.path.getsize(mercer.path("c.checkpoint")) if os.path.exists(mercer.path("c.checkpoint")) else 0
        header = header or size or None
        if header and size > header:
            return process
        time.sleep(0.001)
    raise AssertionError(f"ended before it kept anything: {process.stderr.read()}")


def test_a_checkpoint_that_was_moved_is_left_alone(mercer):
    process = long_fit(mercer)
    os.rename(mercer.path("c.checkpoint"), mercer.path("saved"))
    mercer.write("c.checkpoint", b"precious")
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert mercer.read("c.checkpoint") == b"precious", "somebody else's file was touched"
    assert os.path.exists(mercer.path("saved")) and b"saved" in err, err


def test_a_stopped_fit_says_where_its_checkpoint_is_now(mercer):
    process = long_fit(mercer)
    os.rename(mercer.path("c.checkpoint"), mercer.path("saved"))
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    if process.returncode == 0:
        return  # it was done before the signal came
    command = re.search(r"continue with: mercer (.*)", err.decode()).group(1)
    assert mercer.path("saved") in command, err
    mercer(*shlex.split(command))

    process = long_fit(mercer)
    os.remove(mercer.path("c.checkpoint"))
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    if process.returncode == 130:
        assert b"removed" in err and b"continue with" not in err and b"nothing is kept" in err, err
    assert "c.checkpoint" not in mercer.files()


def test_the_command_to_go_on_with_names_after_two_dashes(mercer):
    process = long_fit(mercer, "-t.npy", "--")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    if process.returncode == 0:
        return  # it was done before the signal came
    command = re.search(r"continue with: mercer (.*)", err.decode()).group(1)
    assert command.endswith("--resume c.checkpoint -- -t.npy"), err
    mercer(*shlex.split(command))
    assert mercer.files() == ["-t.npy", "m.mercer"], mercer.files()


def test_equal_fits_at_once_do_not_share_a_checkpoint(mercer):
    mercer("data", "s_curve", "-n", "1200", "-o", "t.npy")
    how = ["fit", "t.npy", *LONG, "--reproducible", "--checkpoint", "c.checkpoint"]
    mercer(*how, "-o", "want.mercer")
    refused = 0
    for _ in range(6):
        pair = [mercer.start(*how, "-o", f"{i}.mercer", "--threads", "1") for i in range(2)]
        for i, process in enumerate(pair):
            _, err = process.communicate(timeout=60)
            if process.returncode == 0:
                assert mercer.read(f"{i}.mercer") == mercer.read("want.mercer"), "another model"
                assert err == b"", err
            else:
                refused += 1
                assert process.returncode == 7 and b"another run is using it" in err, err
        assert "c.checkpoint" not in mercer.files()
    assert refused <= 6, refused  # one of each pair at most

"""Fits that are stopped or killed go on from their checkpoint and end in the same bytes."""

import json
import os
import random
import re
import shlex
import signal
import struct
import subprocess
import time

KILLS = int(os.environ.get("MERCER_KILLS", "6"))  # fits that are killed until they are done
INTERRUPTS = int(os.environ.get("MERCER_INTERRUPTS", "8"))
ROWS = "3000"
HOW = ["--components", "6", "--kernel", "gaussian:sigma=0.2", "--tolerance", "1e-9", "--operator", "blocked_gram",
       "--reproducible", "--quiet"]


def data(mercer):
    mercer("data", "s_curve", "-n", ROWS, "-o", "t.npy")


def uninterrupted(mercer, how):
    start = time.monotonic()
    mercer("fit", "t.npy", *how, "-o", "whole.mercer")
    return mercer.read("whole.mercer"), time.monotonic() - start


def killed_until_done(mercer, how, seconds, seed):
    """Starts the fit again and again with the same command, each time killed after a random time; the times grow, so
    that it ends. Returns how often it was killed."""
    chance, kills = random.Random(seed), 0
    while True:
        process = mercer.start("fit", "t.npy", *how, "--checkpoint", "c.checkpoint", "-o", "m.mercer")
        try:
            process.communicate(timeout=chance.uniform(0.02, seconds * (0.6 + 0.2 * kills)))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            kills += 1
            continue
        assert process.returncode == 0, process.returncode
        return kills


def test_a_killed_fit_ends_in_the_same_bytes(mercer):
    data(mercer)
    whole, seconds = uninterrupted(mercer, HOW)
    kills = 0
    for run in range(KILLS):
        kills += killed_until_done(mercer, [*HOW, "--threads", str(1 + run % 3)], seconds, run)
        assert mercer.read("m.mercer") == whole, f"run {run}: another model"
        assert "c.checkpoint" not in mercer.files(), "a finished fit keeps no checkpoint"
        os.remove(mercer.path("m.mercer"))
    assert kills >= KILLS, f"only {kills} kills in {KILLS} fits"


def test_every_solver_goes_on_from_its_checkpoint(mercer):
    mercer("data", "s_curve", "-n", "800", "-o", "t.npy")
    solvers = [entry["name"] for entry in mercer("list", "solvers", "--json").json["solvers"]]
    assert "block_krylov" in solvers and len(solvers) >= 8
    for solver in solvers:
        if solver == "dense":
            continue
        how = ["--components", "3", "--kernel", "gaussian:sigma=1", "--tolerance", "1e-5", "--solver", solver,
               "--operator", "dense_gram", "--reproducible", "--quiet", "--certify", "none"]
        mercer("fit", "t.npy", *how, "-o", "whole.mercer")
        mercer("fit", "t.npy", *how, "-o", "m.mercer", "--time", "0.02", "--checkpoint", "c.checkpoint",
               status=None)
        resumed = mercer("fit", "t.npy", *how, "-o", "m.mercer", "--checkpoint", "c.checkpoint", "--json").json
        assert resumed["checkpoint"]["passes"] > 0, solver
        assert mercer.read("m.mercer") == mercer.read("whole.mercer"), solver


def test_an_interrupted_fit_says_how_it_goes_on(mercer):
    data(mercer)
    whole, seconds = uninterrupted(mercer, HOW)
    chance, stopped, late = random.Random(5), 0, []
    first = command = ["fit", "t.npy", *HOW, "--checkpoint", "c.checkpoint", "-o", "m.mercer"]
    for run in range(INTERRUPTS + 20):
        if run >= INTERRUPTS and stopped > 0:
            break
        if "c.checkpoint" not in mercer.files():  # not begun yet, or done before the signal
            command = first
        process = mercer.start(*command)
        if run < INTERRUPTS:
            time.sleep(chance.uniform(0, seconds))
        else:  # none of those came between two passes: wait for the first
            while process.poll() is None and passes(mercer.path("c.checkpoint")) < 2:
                time.sleep(0.001)
        start = time.monotonic()
        process.send_signal((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[run % 3])
        _, err = process.communicate(timeout=20)
        late.append(time.monotonic() - start)
        assert process.returncode in (130, 0, -signal.SIGINT, -signal.SIGTERM, -signal.SIGHUP), process.returncode
        if b"continue with: mercer fit" in err:
            stopped += 1
            hint = err.decode().split("continue with: mercer ")[1].split("\n")[0].split()
            assert hint[-2:] == ["--resume", "c.checkpoint"], hint
            command = hint
    mercer(*(command if "c.checkpoint" in mercer.files() else first))
    # A busy machine may be late now and then.
    assert sum(seconds > 2 for seconds in late) <= 1 + INTERRUPTS // 50, f"up to {max(late):.1f} s after the signal"
    assert stopped > 0, "no interrupt came between two passes"
    assert mercer.read("m.mercer") == whole


def test_refuses_other_work_by_name(mercer):
    data(mercer)
    mercer("fit", "t.npy", *HOW, "-o", "m.mercer", "--time", "0.3", "--checkpoint", "c.checkpoint", status=None)
    if "c.checkpoint" not in mercer.files():  # a quick machine was done in that time
        return
    before = mercer.read("c.checkpoint")
    other = [word.replace("0.2", "0.3") for word in HOW]
    result = mercer("fit", "t.npy", *other, "--resume", "c.checkpoint", status=7)
    assert "M721" in result.err and "gaussian:sigma=0.2" in result.err and "0.3" in result.err, result.err
    mercer("data", "s_curve", "-n", ROWS, "--seed", "9", "-o", "u.npy")
    result = mercer("fit", "u.npy", *HOW, "--checkpoint", "c.checkpoint", status=7)
    assert "M721" in result.err and "data" in result.err, result.err
    assert mercer.read("c.checkpoint") == before


def passes(path):
    """How many whole records stand in a checkpoint; 0 where there is none."""
    try:
        with open(path, "rb") as file:
            end, count = os.fstat(file.fileno()).st_size, 0
            at = 24 + struct.unpack("<I", file.read(16)[12:])[0]
            while at + 32 <= end:
                file.seek(at)
                at += 32 + 8 * struct.unpack("<4Q", file.read(32))[2]
                count += at <= end
            return count
    except FileNotFoundError:
        return 0


def killed(mercer, *more):
    """Leaves t.npy and c.checkpoint, with some passes, of a fit that was killed. Returns how many."""
    data(mercer)
    path = mercer.path("c.checkpoint")
    for _ in range(20):  # a machine that is quick may be done before
        process = mercer.start("fit", "t.npy", *HOW, "--checkpoint", "c.checkpoint", "-o", "m.mercer", *more)
        while process.poll() is None and passes(path) < 2:
            time.sleep(0.001)
        process.kill()
        process.communicate()
        if passes(path) >= 2:
            return passes(path)
    raise AssertionError("every fit was done before it was killed")


def test_other_data_are_named_without_hashes(mercer):
    killed(mercer)
    before = mercer.read("c.checkpoint")
    mercer("data", "s_curve", "-n", ROWS, "--seed", "9", "-o", "u.npy")
    mercer("data", "s_curve", "-n", "1500", "-o", "v.npy")

    def refused(table):
        error = mercer("fit", table, *HOW, "--resume", "c.checkpoint", status=7).err
        assert "error[M721]: made from " in error and not re.search("[0-9a-f]{16}", error), error
        return error

    assert "made from t.npy; u.npy has the same size (3000 rows × 3 columns) but other numbers" in refused("u.npy")
    assert "made from 3000 rows × 3 columns of t.npy; given are 1500 rows × 3 columns of v.npy" in refused("v.npy")
    os.rename(mercer.path("t.npy"), mercer.path("same.npy"))
    os.rename(mercer.path("u.npy"), mercer.path("t.npy"))
    assert "made from t.npy when it held other numbers" in refused("t.npy")
    assert mercer.read("c.checkpoint") == before
    # The name alone is no difference.
    value = mercer("fit", "same.npy", *HOW, "--resume", "c.checkpoint", "--json").json
    assert value["checkpoint"]["replayed"] > 0, value


def test_info_tells_what_a_checkpoint_is(mercer):
    kept = killed(mercer, "--time", "1h")
    told = mercer("info", "c.checkpoint").text
    assert told.startswith("Checkpoint of a fit"), told
    for part in ("t.npy   3000 rows × 3 columns", "kernel_pca   kernel gaussian:sigma=0.2   components 6",
                 "blocked_gram + block_krylov", f"Kept     {kept} passes, "):
        assert part in told, told
    os.makedirs(mercer.path("else where"))
    os.rename(mercer.path("c.checkpoint"), mercer.path("else where/c"))
    value = mercer("info", "else where/c", "--json").json
    assert (value["schema"], value["checkpoint"], value["table"], value["n"], value["dim"]) == (
        1, "else where/c", "t.npy", 3000, 3), value
    words = shlex.split(value["go_on"])
    assert words[:3] == ["mercer", "fit", "t.npy"] and words[-2:] == ["--resume", "else where/c"], words
    assert "--checkpoint" not in words and "--time" not in words, words
    went_on = mercer(*words[1:], "--json").json
    assert went_on["checkpoint"]["replayed"] == value["passes"] == kept, (went_on["checkpoint"], value)


def test_info_of_checkpoints_that_are_damaged(mercer):
    killed(mercer)
    whole = mercer.read("c.checkpoint")
    for length in (len(whole), len(whole) // 2, 2000):
        mercer.write("c", whole[:length])
        assert mercer("info", "c", "--json").json["passes"] == passes(mercer.path("c")), length
    for content in (whole[:8], whole[:30], whole[:40] + b"?" + whole[41:], whole[:8] + b"\0\0\0\0" + whole[12:],
                    whole[:8] + b"\x09" + whole[9:], whole[:12] + b"\xff\xff\xff\xff" + whole[16:]):
        mercer.write("c", content)
        assert "error[M720]" in mercer("info", "c", status=7).err, content[:50]
    (length,) = struct.unpack("<I", whole[12:16])
    mercer.write("c", whole[:24 + length])
    assert mercer("info", "c", "--json").json["passes"] == 0
    mercer.write("c", whole[:24 + length] + struct.pack("<4Q", 0, 0, 2**64 - 1, 0))  # a count beyond the file
    assert mercer("info", "c", "--json").json["passes"] == 0


def test_checkpoints_that_are_none(mercer):
    mercer("data", "moons", "-n", "60", "-o", "t.csv")
    how = ["fit", "t.csv", "--solver", "block_krylov"]
    assert "M401" in mercer(*how, "--resume", "nothing", status=4).err
    mercer.write("text", "not a checkpoint at all, only words")
    assert "M720" in mercer(*how, "--resume", "text", status=7).err
    assert "M102" in mercer(*how, "--resume", "text", "--checkpoint", "c", status=2).err
    assert "M402" in mercer(*how, "--checkpoint", "no/such/folder/c", status=4).err
    said = mercer("fit", "t.csv", "--solver", "dense", "--checkpoint", "c")
    assert "in one piece" in said.err and "c" not in mercer.files()


def killed_with_a_step(mercer, how, size_of_steps):
    """Starts a fit and kills it when its checkpoint holds so many bytes."""
    process = mercer.start(*how)
    size, began = 0, time.monotonic()
    while size < size_of_steps and process.poll() is None and time.monotonic() - began < 60:
        size = os.path.getsize(mercer.path("c.checkpoint")) if "c.checkpoint" in mercer.files() else 0
        time.sleep(0.001)
    process.kill()
    process.communicate()
    assert size >= size_of_steps and "c.checkpoint" in mercer.files(), "the fit was over before its first step was seen"


def test_a_fit_goes_on_with_the_rates_it_was_planned_with(mercer):
    """Rates measured in between make another plan, but not of the fit that goes on."""
    mercer("data", "s_curve", "-n", "12000", "-o", "t.npy")
    options = ["t.npy", "--components", "6", "--kernel", "gaussian:sigma=0.2", "--tolerance", "1e-9"]
    mercer("calibrate", "--seconds", "0.01")
    stored = json.loads(mercer.read(".config/mercer/machine.json"))

    def store(slower):
        """Rates at which kernel values cost more or less, compared with products."""
        rates = {name: rate / (slower if name.startswith("map") else 1) for name, rate in stored["rates"].items()}
        mercer.write(".config/mercer/machine.json", json.dumps({**stored, "rates": rates}))

    def planned():
        plan = mercer("plan", *options, "--json").json["plan"]
        return [plan[name] for name in ("operator", "solver", "block", "landmarks")]

    store(0.01)
    before = planned()
    mercer("fit", *options, "-o", "whole.mercer", "--quiet")
    how = ["fit", *options, "-o", "m.mercer", "--checkpoint", "c.checkpoint", "--quiet"]
    killed_with_a_step(mercer, how, 12000 * 8 * 53)  # the first pass has 6 columns and 45 for the proof
    store(1000)
    assert planned() != before, "the same plan again shows nothing"
    resumed = mercer("fit", *options, "-o", "m.mercer", "--resume", "c.checkpoint", "--json").json
    assert resumed["checkpoint"]["replayed"] > 0, resumed["checkpoint"]
    assert resumed["plan"]["operator"] == before[0], resumed["plan"]
    assert mercer.read("m.mercer") == mercer.read("whole.mercer"), "another model"

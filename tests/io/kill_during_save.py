#!/usr/bin/env python3
"""Kills a program that saves two models in turn; the file must always be one of the two, whole.

usage: kill_during_save.py SAVE_LOOP [RUNS]
"""

import pathlib
import random
import subprocess
import sys
import tempfile
import time

from read_safetensors import read


def save_once(program, which, path):
    subprocess.run([program, "--write", which, path], check=True)
    content = path.read_bytes()
    read(content)
    return content


def kill_once(program, path, delay):
    with subprocess.Popen([program, path], stdout=subprocess.PIPE) as process:
        process.stdout.readline()  # "ready": from here on it only saves
        time.sleep(delay)
        alive = process.poll() is None
        process.kill()
    return alive


def remove_leftovers(folder):
    leftovers = list(folder.glob("*.part-*"))
    for leftover in leftovers:
        leftover.unlink()
    return len(leftovers)


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    seed = random.randrange(2**32)
    rng = random.Random(seed)
    passed, inside, seen = 0, 0, {"A": 0, "B": 0}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        known = {which: save_once(program, which, folder / which) for which in "AB"}
        assert known["A"] != known["B"]
        path = folder / "model.mercer"
        path.write_bytes(known["A"])
        for run in range(runs):
            alive = kill_once(program, path, rng.uniform(0, 0.03))
            content = path.read_bytes()
            inside += remove_leftovers(folder) > 0
            which = [key for key, expected in known.items() if content == expected]
            if alive and which:
                read(content)
                seen[which[0]] += 1
                passed += 1
            else:
                print(f"run {run}, seed {seed}: alive {alive}, {len(content)} bytes like {which}")
    print(f"killed inside a save {inside} times; A was found {seen['A']}, B {seen['B']} times")
    print(f"{passed} passed, {runs - passed} failed")
    sys.exit(0 if passed == runs and inside > 0 else 1)


if __name__ == "__main__":
    main()

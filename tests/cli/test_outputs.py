"""Outputs never hurt anything: no output is an input or another output, by any of its names, in any command; what can
be known of a name is said before the work; what cannot be renamed over is written through."""

import itertools
import os
import shutil
import struct
import subprocess

from program import says

BAD_ROW = "1,oops,3,a\n"

# Commands with their file arguments: inputs that exist, outputs that may.
COMMANDS = {
    "fit": (["fit", "{table}", "-o", "{model_out}", "--scores", "{scores}", "--rejects", "{rejects}", "--checkpoint",
             "{checkpoint}"], ["table"], ["model_out", "scores", "rejects", "checkpoint"]),
    "resume": (["fit", "{table}", "-o", "{model_out}", "--rejects", "{rejects}", "--resume", "{checkpoint}"],
               ["table"], ["model_out", "rejects", "checkpoint"]),
    "plan": (["plan", "{table}", "--rejects", "{rejects}"], ["table"], ["rejects"]),
    "transform": (["transform", "{model}", "{table}", "-o", "{scores}", "--rejects", "{rejects}"],
                  ["model", "table"], ["scores", "rejects"]),
    "inverse": (["inverse", "{model}", "{table}", "-o", "{scores}", "--rejects", "{rejects}"],
                ["model", "table"], ["scores", "rejects"]),
    "convert": (["convert", "{table}", "{scores}", "--rejects", "{rejects}"], ["table"], ["scores", "rejects"]),
}
NAMES = {"table": "t.csv", "model": "m.mercer", "model_out": "new.mercer", "scores": "s.csv", "rejects": "r.csv",
         "checkpoint": "c.checkpoint"}


def material(mercer):
    mercer("data", "blobs", "-n", "30", "--dim", "3", "-o", "whole.csv")
    mercer("fit", "whole.csv", "--method", "pca", "--components", "3", "-o", "m.mercer")
    mercer.write("t.csv", mercer.read("whole.csv").decode() + BAD_ROW)


def as_same(mercer, kind, name):
    """Another name of the file."""
    if kind == "name":
        return name
    if kind == "spelling":
        return "./sub/.././" + name
    if kind == "folder link":
        return "here/" + name
    other = "other" + os.path.splitext(name)[1]
    if os.path.lexists(mercer.path(other)):
        os.remove(mercer.path(other))
    if kind == "hard link":
        if not os.path.exists(mercer.path(name)):
            return None  # nothing to link to yet
        os.link(mercer.path(name), mercer.path(other))
    else:
        os.symlink(name, mercer.path(other))
    return other


def contents(mercer):
    names = [name for name in mercer.files() if os.path.isfile(mercer.path(name))]
    return {name: mercer.read(name) for name in names}


def test_no_output_is_an_input_or_another_output(mercer):
    material(mercer)
    os.mkdir(mercer.path("sub"))
    os.symlink(".", mercer.path("here"))
    tried = 0
    for command, (args, inputs, outputs) in COMMANDS.items():
        pairs = list(itertools.product(outputs, inputs)) + list(itertools.combinations(outputs, 2))
        kinds = ("name", "spelling", "hard link", "symbolic link", "folder link")
        for (one, other), kind, exists in itertools.product(pairs, kinds, (False, True)):
            if other in outputs and exists:
                mercer.write(NAMES[other], b"something\n")
            elif exists:
                continue  # inputs always do
            second = as_same(mercer, kind, NAMES[other])
            if second is None:
                continue
            before = contents(mercer)
            result = mercer(*[word.format(**{**NAMES, one: second}) for word in args], status=None)
            where = f"{command}: {one} is {other} by {kind}, exists: {exists}"
            # A table's name must also say its format, which is told second.
            assert result.status == 2 and "error[M109]" in result.err, f"{where}: {result.status}, {result.err}"
            assert contents(mercer) == before, f"{where}: {sorted(contents(mercer))}"
            for name in ("s.csv", "r.csv", "new.mercer", "c.checkpoint"):
                if os.path.lexists(mercer.path(name)):
                    os.remove(mercer.path(name))
            tried += 1
    assert tried > 150, tried


def test_rejects_do_not_replace_a_model(mercer):
    material(mercer)
    model = mercer.read("m.mercer")
    result = mercer("transform", "m.mercer", "t.csv", "--rejects", "m.mercer", status=2)
    assert "the rejected rows (--rejects) m.mercer and the model m.mercer are the same file" in result.err, result.err
    assert mercer.read("m.mercer") == model
    assert "M102" in mercer("convert", "t.csv", "o.csv", "--rejects", "-", status=2).err
    assert "-" not in mercer.files()
    mercer("transform", "m.mercer", "t.csv", "--rejects", "r.csv", "-o", "s.csv")
    assert mercer.read("r.csv").count(b"\n") == 2


def test_files_that_a_reader_finds_by_itself_are_inputs(mercer):
    images, labels = "a-images-idx3-ubyte", "a-labels-idx1-ubyte"
    mercer.write(images, struct.pack(">IIII", 0x803, 5, 2, 2) + bytes(range(20)))
    mercer.write(labels, struct.pack(">II", 0x801, 5) + bytes([0, 1, 0, 1, 0]))
    before = contents(mercer)
    for args in (["fit", images, "-o", labels], ["fit", images, "-o", "m", "--checkpoint", labels]):
        assert "error[M109]" in mercer(*args, status=2).err
        assert contents(mercer) == before
    mercer("fit", images, "-o", labels, "--label", "none", "--force")  # then it is nobody's

    os.mkdir(mercer.path("pictures"))
    for i in range(4):
        mercer.write(f"pictures/{i}.pgm", b"P5 2 2 255\n" + bytes([i, 2, i * i, 1]))
    os.link(mercer.path("pictures/2.pgm"), mercer.path("twin"))
    for output in ("pictures/2.pgm", "twin"):
        assert "error[M109]" in mercer("fit", "pictures", "-o", output, status=2).err
    assert mercer.read("pictures/2.pgm").startswith(b"P5")
    mercer("fit", "pictures", "-o", "pictures/new.mercer")


def shell(mercer, line):
    return subprocess.run(["bash", "-c", line], cwd=mercer.folder, capture_output=True, check=False,
                          env={**os.environ, "M": mercer.binary, "XDG_CONFIG_HOME": mercer.path(".config")})


def test_standard_streams_are_files_too(mercer):
    material(mercer)
    before = contents(mercer)
    for line in ('"$M" convert - t.csv --format csv < t.csv',
                 '"$M" info m.mercer >> m.mercer',
                 '"$M" transform m.mercer whole.csv >> whole.csv',
                 '"$M" fit whole.csv -o new.mercer --scores /dev/stdout --json | cat',
                 '"$M" fit whole.csv -o - --scores /dev/fd/1 | cat',
                 '"$M" fit whole.csv -o - --scores /dev/stdout > out',
                 '"$M" transform m.mercer whole.csv -o /dev/stdout --json | cat'):
        done = shell(mercer, f"set -o pipefail; {line}")
        assert done.returncode == 2 and b"error[M109]" in done.stderr, f"{line}: {done}"
        now = contents(mercer)
        now.pop("out", None)
        assert now == before, line
    done = shell(mercer, '"$M" fit whole.csv -o log 2> log; cat log')
    assert b"error[M109]" in done.stdout, done
    # What hurts nobody is allowed.
    for line in ('"$M" convert whole.csv - > out 2>&1', '"$M" fit whole.csv -o /dev/null --scores /dev/null',
                 '"$M" convert - - < whole.csv | cat', '"$M" fit whole.csv -o /dev/stdout > out',
                 '"$M" convert t.csv out.csv --rejects /dev/stderr'):
        done = shell(mercer, f"set -o pipefail; {line}")
        assert done.returncode == 0, f"{line}: {done}"


def test_long_names(mercer):
    mercer("data", "blobs", "-n", "30", "-o", "x.csv")
    longest = "n" * 255
    shutil.copy(mercer.path("x.csv"), mercer.path(longest))
    refused = mercer("fit", longest, status=4).err
    assert "error[M410]" in refused and "-o model.mercer" in refused and "Solved" not in refused, refused
    mercer("fit", longest, "-o", "m.mercer")
    mercer("fit", "x.csv", "-o", "m" * 255)
    mercer("fit", "x.csv", "-o", "ü" * 127)
    assert not [name for name in mercer.files() if ".part-" in name]
    for args in (["fit", "x.csv", "-o", "m" * 256], ["fit", "x.csv", "--scores", "m" * 252 + ".csv"],
                 ["fit", "x.csv", "--checkpoint", "m" * 256], ["convert", "x.csv", "m" * 252 + ".csv"],
                 ["fit", "x.csv", "-o", "./" * 2100 + "m"]):
        refused = mercer(*args, status=4).err
        assert "error[M410]" in refused and "Solved" not in refused, refused
    assert "error[M4" in mercer("fit", "n" * 300, "-o", "q", status=4).err
    assert "error[M4" in mercer("info", "n" * 300, status=4).err


def test_too_many_names_for_a_model_file_are_said_before_the_fit(mercer):
    label = "a long name of a class and longer still: a text that nobody meant as the name of a class "
    rows = "".join(f"{i % 7},{i % 11},{3 * label}{i}\n" for i in range(62_000))
    mercer.write("x.csv", "x,y,class\n" + rows)
    result = mercer("fit", "x.csv", "--kernel", "linear", "--label", "class", status=4)
    assert "error[M410]" in result.err and "--label none" in result.err, result.err
    assert "Plan" not in result.err and mercer.files() == ["x.csv"], result.err
    mercer("fit", "x.csv", "--kernel", "linear", "--label", "none")


def test_a_folder_that_goes_meanwhile_costs_no_model(mercer):
    mercer("data", "blobs", "-n", "300", "-o", "x.csv")
    os.mkdir(mercer.path("gone"))
    os.mkfifo(mercer.path("table"))
    process = mercer.start("fit", "table", "-o", "gone/m.mercer", "--format", "csv",
                           env=mercer.environment({"TMPDIR": mercer.folder}))
    with open(mercer.path("table"), "wb") as pipe:  # the names were looked at before
        os.rmdir(mercer.path("gone"))
        pipe.write(mercer.read("x.csv"))
    _, err = process.communicate(timeout=60)
    assert process.returncode == 4 and b"error[M402]" in err and b"the model is in " in err, err
    kept = err.split(b"the model is in ")[1].split(b"\n")[0].decode()
    assert kept.startswith(mercer.folder) and kept.endswith("/m.mercer"), kept
    mercer("info", kept)
    assert f"mv {kept} gone/m.mercer".encode() in err, err


def mounting(mercer, script):
    """Runs the script where mounting is allowed; None where it is not."""
    done = subprocess.run(["unshare", *([] if os.geteuid() == 0 else ["-r"]), "-m", "bash", "-c", script],
                          cwd=mercer.folder, capture_output=True, check=False,
                          env=mercer.environment({"M": mercer.binary}))
    return None if done.returncode == 99 or b"unshare" in done.stderr else done


def test_a_file_that_is_mounted_is_written_through(mercer):
    mercer("data", "blobs", "-n", "60", "-o", "x.csv")
    mercer("fit", "x.csv", "-o", "want.mercer", "--reproducible", "--quiet")
    mercer.write("outside", b"a longer file than any model is" * 1000)
    mercer.write("m.mercer", b"")
    done = mounting(mercer, 'mount --bind outside m.mercer || exit 99; '
                            '"$M" fit x.csv -o m.mercer --force --reproducible --quiet')
    if done is None:
        print("mounted files: not tried, mounting is not permitted here")
        return
    assert done.returncode == 0, done
    assert mercer.read("outside") == mercer.read("want.mercer"), "not the model"
    assert mercer.files() == ["m.mercer", "outside", "want.mercer", "x.csv"], mercer.files()

    # A small disk behind the file: the old content stays. A read-only folder around it: written directly.
    os.mkdir(mercer.path("disk"))
    done = mounting(mercer, 'mount -t tmpfs -o size=8k none disk || exit 99; echo old > disk/f; '
                            'mount --bind disk/f m.mercer || exit 99; "$M" fit x.csv -o m.mercer --force; status=$?; '
                            'cp disk/f was; exit $status')
    assert done.returncode == 0 or mercer.read("was") == b"old\n", done
    os.mkdir(mercer.path("fixed"))
    mercer.write("fixed/m", b"")
    mercer.write("outside", b"something else")
    done = mounting(mercer, 'mount --bind fixed fixed && mount --bind outside fixed/m && mount -o remount,bind,ro fixed '
                            '|| exit 99; touch fixed/new && exit 98; "$M" fit x.csv -o fixed/m --force --reproducible --quiet')
    assert done.returncode == 0 and mercer.read("outside") == mercer.read("want.mercer"), done


def test_a_full_disk_at_the_end_leaves_the_checkpoint(mercer):
    mercer("data", "s_curve", "-n", "600", "-o", "t.npy")
    os.mkdir(mercer.path("disk"))
    how = "--solver block_krylov --kernel gaussian:sigma=0.5 --checkpoint c.checkpoint"
    done = mounting(mercer, f'mount -t tmpfs -o size=8k none disk || exit 99; "$M" fit t.npy {how} -o disk/m.mercer')
    if done is None:
        print("full disk: not tried, mounting is not permitted here")
        return
    assert done.returncode == 4 and b"error[M410]" in done.stderr and b"passes are kept" in done.stderr, done
    assert b"--resume c.checkpoint" in done.stderr, done
    result = mercer("fit", "t.npy", *how.split()[:-2], "-o", "m.mercer", "--resume", "c.checkpoint", "--json").json
    assert result["checkpoint"]["replayed"] > 0 and "c.checkpoint" not in mercer.files(), result["checkpoint"]


def test_commands_without_a_table_name_their_files_too(mercer):
    mercer.write("s.toml", 'name = "s"\ndata = "circles"\nn = 20\n')
    before = mercer.read("s.toml")
    done = shell(mercer, '"$M" bench s.toml --runs 1 >> s.toml')
    assert done.returncode == 2 and b"error[M109]" in done.stderr and mercer.read("s.toml") == before, done
    mercer.write(".config/mercer/machine.json", b"")
    done = shell(mercer, '"$M" calibrate --seconds 0.01 --json > .config/mercer/machine.json')
    assert done.returncode == 2 and b"error[M109]" in done.stderr, done


def test_names_that_begin_with_dashes(mercer):
    mercer("data", "blobs", "-n", "30", "-o", "--", status=4)  # no format in that name, and no file either
    mercer("data", "-o", "./-t.csv", "-n", "30", "--", "blobs")
    mercer("data", "blobs", "-n", "30", "-o", "-u.csv")
    mercer("fit", "--method", "pca", "--", "-t.csv")
    assert "-t.mercer" in mercer.files(), mercer.files()
    mercer("fit", "./-t.csv", "--method", "pca", "-o", "./--model", "--scores=-s.csv")
    for args in (["info", "--", "-t.mercer"], ["info", "./-t.mercer"], ["plan", "--", "-t.csv"],
                 ["plan", "./-t.csv"], ["transform", "-o", "-o.csv", "--", "--model", "-t.csv"],
                 ["transform", "./--model", "./-t.csv", "-o", "./-o.csv"],
                 ["inverse", "-o", "-i.csv", "--", "--model", "-s.csv"], ["inverse", "./--model", "./-s.csv"],
                 ["convert", "--", "-t.csv", "-c.npy"], ["convert", "./-t.csv", "./-c.tsv"],
                 ["list", "--", "kernels"], ["explain", "--", "M109"]):
        mercer(*args)
    assert {"-o.csv", "-i.csv", "-c.npy", "-c.tsv"} <= set(mercer.files()), mercer.files()
    mercer("bench", "--runs", "1", "--", "-none.toml", status=4)


def test_small_mistakes_are_said(mercer):
    refused = mercer("data", "digits", "-n", "99999", status=2)
    assert "M102" in refused.err and "1797" in refused.err and refused.out == b"", refused.err
    mercer("data", "digits", "-n", "1797", "-o", "d.npy")
    mercer("fit", "d.npy", "--progress", "json", "--progress", "auto", "--progress", "none", "--json", "--json",
           "--quiet", "--quiet")
    assert "M102" in mercer("fit", "d.npy", "--progress", "none", "--progress", "loud", status=2).err
    for option in ("--checkpoint", "--resume"):
        assert "M102" in mercer("fit", "d.npy", option, "-", status=2).err
    assert "-" not in mercer.files()


def test_a_table_replaces_nothing_but_a_table(mercer):
    mercer("data", "blobs", "-n", "30", "-o", "t.csv")
    fit = ["fit", "t.csv", "--method", "ppca", "--components", "1", "-o", "m.mercer"]
    mercer(*fit, "--scores", "s.csv")
    model = mercer.read("m.mercer")
    picture = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00"
    for words in (fit + ["--scores", "x.csv"], ["transform", "m.mercer", "t.csv", "-o", "x.csv"],
                  ["inverse", "m.mercer", "s.csv", "-o", "x.csv"], ["score", "m.mercer", "t.csv", "-o", "x.csv"],
                  ["impute", "m.mercer", "t.csv", "-o", "x.csv"], ["sample", "m.mercer", "-n", "3", "-o", "x.csv"],
                  ["convert", "t.csv", "x.csv"], ["data", "moons", "-o", "x.csv"]):
        for kept in (model, picture):
            mercer.write("x.csv", kept)
            says(mercer(*words, status=4), "error[M409]: x.csv exists and is no table", "or add --force")
            assert mercer.read("x.csv") == kept, words
        mercer(*words, "--force")
        mercer(*words)  # a table now
        assert mercer.read("x.csv") != picture
    mercer.write("x.csv", model)
    says(mercer("plan", "t.csv", "--rejects", "x.csv", status=4), "error[M409]: x.csv exists and is no table",
         "fix: name another file for the rejected rows (--rejects)\n")
    mercer("data", "moons", "-o", "p.csv.gz")
    mercer("data", "moons", "-n", "7", "-o", "p.csv.gz")  # what is compressed is looked into
    mercer.write("empty.csv", "")
    mercer("data", "moons", "-o", "empty.csv")


def test_no_model_is_called_like_a_table(mercer):
    mercer("data", "blobs", "-n", "30", "-o", "t.csv")
    for name, format in (("m.csv", "csv"), ("m.npy", "npy"), ("m.tsv.gz", "csv"), ("m.NPZ", "npz"), ("m.svm", "libsvm")):
        says(mercer("fit", "t.csv", "-o", name, status=4), f"error[M409]: {name} is the name of a table ({format})",
             "end its name in .mercer", "--scores")
        assert name not in mercer.files()
    mercer("fit", "t.csv", "-o", "m.csv", "--force")
    mercer("fit", "t.csv", "-o", "m.csv")  # over a model
    mercer("fit", "t.csv", "-o", "m.dat")
    mercer("fit", "t.csv", "-o", "model")

"""Models that somebody else made: of right checksums and wrong content, on pipes, not models at all."""

import os
import re
import resource
import subprocess
import sys
import threading

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from model_edit import edited  # noqa: E402 - found by the line above

STEERING = "\x1b]0;title\x07\x1b[31mred\r\n\x9b"
MEMORY = 1 << 30  # of address space, far below the files here


def fitted(mercer, *options):
    mercer("data", "blobs", "-n", "40", "--dim", "3", "-o", "t.csv")
    mercer("fit", "t.csv", "-o", "m.mercer", "--scores", "s.csv", *options)
    return mercer.read("m.mercer")


def within(mercer, *args):
    """Runs the program with little address space."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))  # noqa: E731
    with mercer.start(*args, preexec_fn=limit, stdin=subprocess.DEVNULL) as process:
        out, err = process.communicate(timeout=60)
        return process.returncode, out.decode(), err.decode()


def test_two_gigabytes_of_nothing_are_not_read(mercer):
    if b"__asan_init" in mercer.read(mercer.binary):
        return  # its shadow alone is larger than the limit
    with open(mercer.path("hole"), "wb") as file:
        file.truncate(2 << 30)
    for command in (["info", "hole"], ["transform", "hole", "t.csv"], ["inverse", "hole", "t.csv"]):
        status, _, err = within(mercer, *command)
        assert status == 7 and "error[M700]" in err and "--memory" not in err, err


def test_a_header_that_claims_too_much_is_not_believed(mercer):
    content = fitted(mercer)
    for length in (16 << 20, 1 << 40, (1 << 64) - 1):
        mercer.write("m.mercer", length.to_bytes(8, "little") + content[8:])
        result = mercer("info", "m.mercer", status=7)
        assert "error[M701]" in result.err, result.err


def test_a_model_comes_through_a_pipe(mercer):
    content = fitted(mercer)
    plain = mercer("info", "m.mercer").text
    assert mercer("info", "-", stdin=content).text == plain
    os.mkfifo(mercer.path("pipe"))

    def feed(bytes_given):
        with open(mercer.path("pipe"), "wb") as pipe:
            pipe.write(bytes_given)

    for given, status in ((content, 0), (content[:-1], 7), (content + b"x", 7)):
        writer = threading.Thread(target=feed, args=(given,))
        writer.start()
        result = mercer("info", "pipe", status=status)
        writer.join()
        assert status == 7 or result.text == plain
        assert status == 0 or "error[M701]" in result.err, result.err


def test_words_of_a_model_cannot_steer_a_terminal(mercer):
    def steer(model):
        for words in (model.values, model.values["plan"], model.values["certificate"], model.values["label"],
                      model.values["options"]):
            for name, value in words.items():
                if isinstance(value, str) and name not in ("precision", "scale", "as", "whiten", "tolerance_of", "kind"):
                    words[name] = STEERING + value
        model.values["columns"] = [STEERING + name for name in model.values["columns"]]
        model.values["label"]["classes"] = [STEERING + name for name in model.values["label"]["classes"]]
        model.values["warnings"] = [{"code": code, "message": STEERING} for code in ("W600", "W601", "W602", "W999")]

    for options in ([], ["--method", "pca"]):
        mercer.write("m.mercer", edited(fitted(mercer, *options), steer))
        result = mercer("info", "m.mercer")
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", result.text + result.err), result.text
        assert not re.search(r"[\x00-\x09\x0b-\x1f]", mercer("info", "m.mercer", "--json").text)
        for command, status in ((["transform", "m.mercer", "t.csv"], 7), (["inverse", "m.mercer", "t.csv"], 7)):
            result = mercer(*command, status=status)
            assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", result.err), result.err


def test_a_wrong_number_of_columns_is_refused_before_a_table_is_written(mercer):
    content = fitted(mercer, "--method", "pca")
    for columns in ([], ["x"], ["a", "b", "c", "d"], ["a", None, "c"], None):
        mercer.write("m.mercer", edited(content, lambda model: model.values.update(columns=columns)))
        for command in (["inverse", "m.mercer", "s.csv"], ["info", "m.mercer"], ["transform", "m.mercer", "t.csv"]):
            result = mercer(*command, status=7)
            assert "error[M703]" in result.err and "columns" in result.err and not result.out, result.err


def test_shares_that_are_not_known_are_shown_as_bounds(mercer):
    content = fitted(mercer)
    mercer.write("m.mercer", edited(content, lambda model: model.values.update(explained_variance_ratio=[None, 0.25])))
    text = mercer("info", "m.mercer").text
    assert "≤ " in text and " 25.00 %" in text and "nan" not in text, text
    assert mercer("info", "m.mercer", "--json").json["explained_variance_ratio"] == [None, 0.25]

"""What the golden tests of the program share: a case, its fresh folder, the run and what must hold after it.

Whatever the input, the program must not die by a signal, show a stack trace or a sanitizer's report, or mix words
into the data on standard output. A failing run has a code, a hint that can be followed, for tables and models the
file it is about, and with --json one object that says the same.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile

LIMIT = 60  # seconds one run may take

# Signs of a mistake that no exit status excuses.
REPORTS = ["AddressSanitizer", "LeakSanitizer", "runtime error:", "terminate called", "Assertion", "assertion failed",
           "Traceback"]


class Result:
    """What a run left behind."""

    def __init__(self, status, out, err):
        self.status, self.out, self.raw_err = status, out, err
        self.err = err.decode("utf-8", "replace")

    def json(self):
        return json.loads(self.out)


def run(binary, args, folder, stdin=b"", stdout=None, meanwhile=None, **more):
    """Runs the program in the folder; stdin is bytes; meanwhile is called with the running process."""
    if meanwhile:
        with subprocess.Popen([binary, *args], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            meanwhile(process, folder)
            out, err = process.communicate(timeout=LIMIT)
            return Result(process.returncode, out, err)
    done = subprocess.run([binary, *args], cwd=folder, input=stdin, stdout=stdout or subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=LIMIT, check=False, **more)
    return Result(done.returncode, done.stdout or b"", done.stderr)


class Case:
    """One bad or degenerate input.

    number: its place in the list of inputs; args: the command; code: "M204", "W205", "ok", or None where only the
    exit status counts; texts: essential words on standard error; files: name -> content; steps: commands to run
    first; after: called with (folder, result) when the run is over, returns what is wrong or None; absent: words
    that must not appear; about: the file an error must name; prepare: called with the folder before the run; once:
    run without --json only; user: the number of the user to run as; stdout: a file in place of standard output;
    meanwhile: called with the running process and the folder.
    """

    def __init__(self, number, args, status, code, *texts, files=None, steps=(), stdin=b"", after=None, absent=(),
                 about=None, prepare=None, once=False, user=None, stdout=None, meanwhile=None):
        self.number, self.args, self.status, self.code, self.texts = number, args, status, code, texts
        self.files, self.steps, self.stdin, self.after, self.absent = files or {}, steps, stdin, after, absent
        self.about, self.prepare, self.once, self.user, self.stdout = about, prepare, once, user, stdout
        self.meanwhile = meanwhile

    def title(self):
        words = " ".join(a if re.fullmatch(r"[\w./:=,+*-]+", a) else repr(a) for a in self.args)
        return f"case {self.number}: mercer {words}"


def warnings_in(text):
    return set(re.findall(r"^warning\[(W\d+)\]", text, re.M))


def errors_in(text):
    return re.findall(r"^error\[(M\d+)\]", text, re.M)


def wrong_anywhere(case, result):
    """What must hold for every run."""
    if result.status < 0:
        yield f"died of signal {-result.status}"
    elif result.status != case.status:
        yield f"exit status {result.status}, expected {case.status}"
    for report in REPORTS:
        if report in result.err:
            yield f"shows {report!r}"
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f]", result.err):
        yield "control characters on standard error"
    if case.code is None:
        return
    expected = [case.code] if case.code.startswith("M") else []
    if errors_in(result.err) != expected:
        yield f"errors {errors_in(result.err)}, expected {expected}"
    warned = warnings_in(result.err)
    if case.code.startswith("W") and case.code not in warned:
        yield f"no warning {case.code}, only {sorted(warned)}"
    if case.code == "ok" and warned:
        yield f"unexpected warnings {sorted(warned)}"


def wrong_in_words(case, result):
    """The words of the run without --json."""
    for text in case.texts:
        if text.lower() not in result.err.lower():
            yield f"says nothing of {text!r}"
    for text in case.absent:
        if text.lower() in result.err.lower():
            yield f"says {text!r}"
    if case.code is None or not case.code.startswith("M"):
        return
    if result.out:
        yield f"standard output has {result.out[:40]!r}"
    if "\n  fix: " not in result.err:
        yield "no fix"
    if case.about and case.about not in result.err[result.err.find("error["):]:
        yield f"does not name {case.about!r}"


def wrong_in_json(case, result):
    """The object of the run with --json."""
    try:
        value = result.json()
    except ValueError:
        yield f"--json gives {result.out[:60]!r}"
        return
    if value.get("schema") != 1:
        yield "--json without schema 1"
    if not (case.code or "").startswith("M"):
        codes = [w["code"] for w in value.get("warnings", [])]
        if case.code.startswith("W") and "warnings" in value and case.code not in codes:
            yield f"--json has the warnings {codes}"
        return
    error = value.get("error", {})
    if sorted(value) != ["error", "schema"] or sorted(error) != ["code", "hint", "message", "place"]:
        yield f"--json has other fields: {value}"
        return
    if error["code"] != case.code:
        yield f"--json has the code {error['code']}"
    for part in ("message", "place", "hint"):
        text = error[part]
        if text is not None and (not isinstance(text, str) or not text or text not in result.err):
            yield f"--json {part} {text!r} differs from the text"


def prepare(case, binary, folder):
    for name, content in case.files.items():
        with open(os.path.join(os.fsencode(folder), os.fsencode(name)), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
    for step in case.steps:
        done = run(binary, step, folder)
        if done.status != 0:
            raise RuntimeError(f"the step {' '.join(step)} failed: {done.err}")
    if case.prepare:
        case.prepare(folder)


def run_case(case, binary, folder, json_too):
    """What is wrong with the case, as a list of sentences."""
    stdout = open(case.stdout, "wb") if case.stdout else None
    more = {"user": case.user, "env": {**os.environ, "HOME": folder}} if case.user is not None else {}
    args = [*case.args[:1], "--json", *case.args[1:]] if json_too else case.args
    try:
        result = run(binary, args, folder, case.stdin, stdout, case.meanwhile, **more)
    except subprocess.TimeoutExpired:
        return [f"runs for more than {LIMIT} s"]
    finally:
        if stdout:
            stdout.close()
    wrong = list(wrong_anywhere(case, result))
    wrong += wrong_in_json(case, result) if json_too and not case.stdout else []
    wrong += wrong_in_words(case, result) if not json_too else []
    if case.after and not json_too:
        problem = case.after(folder, result)
        wrong += [problem] if problem else []
    if wrong and os.environ.get("SHOW"):
        print(result.err, end="")
    return [f"{'--json: ' if json_too else ''}{text}" for text in wrong]


def reachable(binary, parent):
    """A copy of the program that any user can run, wherever the project lies."""
    copy = os.path.join(parent, "mercer")
    if not os.path.exists(copy):
        shutil.copy(binary, copy)
        os.chmod(copy, 0o755)
    return copy


def check(case, binary, parent):
    """Runs a case, and again with --json. Returns what is wrong."""
    wrong = []
    for json_too in [False] if case.once else [False, True]:
        folder = tempfile.mkdtemp(dir=parent)
        os.chmod(folder, 0o777)
        try:
            prepare(case, binary, folder)
            program = reachable(binary, parent) if case.user is not None else binary
            wrong += run_case(case, program, folder, json_too)
        except (RuntimeError, OSError) as problem:
            wrong.append(str(problem))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return wrong


def run_all(cases, binary):
    """Runs all cases; prints one line per failing one and the counts. Returns the exit status."""
    failed = 0
    parent = tempfile.mkdtemp(prefix="mercer-bad-input-")
    os.chmod(parent, 0o755)
    try:
        for case in cases:
            wrong = check(case, binary, parent)
            failed += bool(wrong)
            if wrong:
                print(f"{case.title()}: {'; '.join(wrong)}")
    finally:
        shutil.rmtree(parent, ignore_errors=True)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0

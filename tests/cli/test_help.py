"""Help texts, manual pages and completions: all of them are what the commands take, and nothing else."""

import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import termios

from program import needs, says

GROUPS = ("Method", "Kernel", "Answer", "Machine", "Table", "Output", "Common")


def commands_of(mercer):
    return mercer("help", "--json").json["commands"]


def methods_of(mercer):
    return [method["name"] for method in mercer("list", "methods", "--json").json["methods"]]


def test_help_of_a_fit_stands_in_groups(mercer):
    text = mercer("fit", "--help").text
    words = " ".join(text.split())
    at = [text.index(f"\n{group}:\n") for group in GROUPS]
    assert at == sorted(at), "the groups are in another order"
    for group, option in (("Method", "--method NAME"), ("Kernel", "--kernel KERNEL"), ("Answer", "--components COUNT"),
                          ("Answer", "--certify"), ("Machine", "--memory SIZE"), ("Machine", "--time TIME"),
                          ("Table", "--columns COLS"), ("Table", "--header yes|no"), ("Output", "--scores FILE"),
                          ("Options of kernel_pca", "--scale")):
        part = text.split(f"\n{group}:\n")[1].split("\n\n")[0]
        assert "\n" + f"  {option}" in "\n" + part, f"{option} is not in {group}"
    for shown in ("(default kernel_pca)", "(default gaussian:sigma=median)", "(default 1e-06)", "none|standard|range|whiten"):
        assert shown in words, shown
    assert text.split("Examples:\n")[1].count("\n  mercer fit ") == 2 and "Examples:\n  mercer fit " in text  # three


def test_help_of_a_method_is_that_of_its_options(mercer):
    for method in mercer("list", "methods", "--json").json["methods"]:
        value = mercer("fit", "--method", method["name"], "--help", "--json").json
        given = {re.sub("^--(no-)?", "", option["flags"][0]): option for option in value["options"] if option["of_method"]}
        assert set(given) == {option["name"] for option in method["options"]}, method["name"]
        text = mercer("help", "fit", "--method", method["name"]).text
        assert text == mercer("fit", f"--method={method['name']}", "--help").text
        for option in method["options"]:
            assert given[option["name"]]["help"] == option["help"], "another method's words"
            assert f"  {given[option['name']]['flags'][0]}" in text, option["name"]
            if option.get("choices"):
                assert given[option["name"]]["choices"] == option["choices"]
                assert all(word in text for word in option["choices"]), option


def test_choices_and_defaults_that_the_help_does_not_name_are_added(mercer):
    text = " ".join(mercer("fit", "--method", "ica", "--help").text.split())
    assert "--algorithm fastica|likelihood" in text and "(default fastica)" in text
    assert "--restarts N further random starts; the best is kept (default 0)" in text


def test_lines_are_as_long_as_the_terminal_is_wide(mercer):
    for words in (["--help"], ["fit", "--help"], ["transform", "--help"]):
        longest = max(len(line) for line in mercer(*words).text.split("\n"))
        assert 80 < longest <= 100, (words, longest)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 64, 0, 0))
    with subprocess.Popen([mercer.binary, "predict", "--help"], stdout=theirs, env=mercer.environment()) as narrow:
        os.close(theirs)
        text = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:
                break
            if not piece:
                break
            text += piece
        narrow.wait()
    os.close(ours)
    lines = text.decode().replace("\r", "").split("\n")
    assert len(lines) > 20 and max(len(line) for line in lines) <= 64, max(lines, key=len)


def test_help_lists_what_a_command_takes_and_no_more(mercer):
    for command in commands_of(mercer):
        text = mercer(command["command"], "--help").text
        assert text.startswith(f"mercer {command['command']}: ") and f"\nUsage: mercer {command['command']} " in text
        for option in command["options"]:
            if not option["of_method"]:
                assert re.search(rf"^  {', '.join(option['flags'])}\b", text, re.M), option
    for quick in ("list", "explain", "info", "help", "completion"):  # nothing to be quiet about
        assert "--progress" not in mercer(quick, "--help").text


def test_help_answers_in_json(mercer):
    everything = commands_of(mercer)
    assert [command["command"] for command in everything] == sorted(command["command"] for command in everything)
    one = mercer("sample", "--help", "--json").json
    needs(one, "schema", "command", "summary", "arguments", "options")
    rows = next(option for option in one["options"] if option["flags"] == ["-n", "--rows"])
    assert rows["value"] == "N" and rows["help"] == "how many rows" and rows["group"] == "Options"
    says(mercer("help", "fitt", status=2), 'unknown command "fitt"', 'did you mean "fit"?')


def test_manual_pages_hold_every_option(mercer):
    page = mercer("help", "--man").text
    assert page.startswith(".TH MERCER 1 ") and "\\fBfit\\fR" in page
    for command in commands_of(mercer):
        page = mercer("help", command["command"], "--man").text
        assert page.startswith(f".TH MERCER\\-{command['command'].upper()} 1 ")
        for section in ("NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
            assert f"\n.SH {section}\n" in page, section
        for option in command["options"]:
            assert option["flags"][-1].replace("-", "\\-") in page, option
    fit = mercer("help", "fit", "--man").text
    for method in methods_of(mercer):
        assert f"\n.SS {method}\n" in fit, method
    if shutil.which("man"):
        mercer.write("fit.1", fit)
        done = subprocess.run(["man", "--warnings", "-l", mercer.path("fit.1")], capture_output=True, text=True, check=False,
                              env={**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8"})
        assert done.returncode == 0 and "--components COUNT" in done.stdout and not done.stderr, done.stderr


def completed(mercer, *words):
    """What bash offers for the last of these words."""
    mercer.write("mercer.bash", mercer("completion", "bash").out)
    script = 'source mercer.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mercer; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", script, "bash", *words], cwd=mercer.folder, capture_output=True, text=True, check=True)
    assert not done.stderr, done.stderr
    return [line for line in done.stdout.split("\n") if line]


def test_bash_completes_commands_options_and_values(mercer):
    assert completed(mercer, "mercer", "f") == ["fit"]
    assert completed(mercer, "mercer", "") == [command["command"] for command in commands_of(mercer)]
    assert completed(mercer, "mercer", "fit", "--comp") == ["--components"]
    assert completed(mercer, "mercer", "fit", "--method", "") == methods_of(mercer)
    assert completed(mercer, "mercer", "fit", "--header", "") == ["yes", "no"]
    assert completed(mercer, "mercer", "fit", "--precision", "=", "s") == ["single"]
    assert "gaussian" in completed(mercer, "mercer", "fit", "--kernel", "g")
    assert completed(mercer, "mercer", "data", "swi") == ["swiss_roll"]
    assert "W233" in completed(mercer, "mercer", "explain", "W23")
    mercer.write("some.csv", "1,2\n")
    assert completed(mercer, "mercer", "fit", "so") == ["some.csv"] == completed(mercer, "mercer", "fit", "x", "--weights", "so")
    assert completed(mercer, "mercer", "fit", "x", "--seed", "so") == []
    for command in commands_of(mercer):
        offered = completed(mercer, "mercer", command["command"], "-")
        assert offered == [flag for option in command["options"] for flag in option["flags"]], command["command"]


def test_zsh_completes_every_option(mercer):
    script = mercer("completion", "zsh").text
    assert script.startswith("#compdef mercer\n")
    for command in commands_of(mercer):
        part = script.split(f"\n    {command['command']})\n")[1].split("&& return")[0]
        for option in command["options"]:
            assert f"'*{option['flags'][-1]}[" in part, option
    if shutil.which("zsh"):
        mercer.write("_mercer", script)
        subprocess.run(["zsh", "-n", mercer.path("_mercer")], check=True)
    says(mercer("completion", "fish", status=2), "error[M102]", "bash, zsh")


def test_help_of_a_method_shows_no_option_that_it_refuses(mercer):
    mercer("data", "blobs", "-n", "40", "-o", "b.csv")
    mercer("fit", "b.csv", "--method", "pca", "-o", "on.mercer")
    given = {"--start": "on.mercer", "--weights": "b.csv", "--chunks": None, "--on": "on.mercer", "--cross-validate": "3",
             "--scores": "s.csv", "--draw": None}
    shown = {}
    for method in methods_of(mercer):
        text = mercer("fit", "--method", method, "--help").text
        for option, value in given.items():
            if re.search(rf"^  {option}\b", text, re.M):
                shown.setdefault(option, []).append(method)
                continue
            words = ["fit", "b.csv", "--method", method, option] + ([value] if value else [])
            target = ["--target", "1"] if method in ("pls", "pcr") else []
            told = mercer(*words, *target, "-o", "m.mercer", status=None)
            assert told.status in (2, 7), (words, told.status, told.err)
    # The help where no method is named, which is that of kernel_pca, shows all.
    assert shown["--weights"] == ["kernel_pca", "metric_mds"] and shown["--chunks"] == ["kernel_pca", "pca"], shown
    assert "pls" not in shown["--start"] and "pls" in shown["--cross-validate"] and "pca" not in shown["--on"], shown
    assert "nearest_mean" not in shown["--draw"] and len(shown["--scores"]) > 10, shown

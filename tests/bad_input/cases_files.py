"""Cases 21-38: the file itself: missing, empty, unreadable, of another kind or encoding."""

import os
import signal
import threading

from harness import Case
from tables import GOOD

X = {"x.csv": GOOD}
PLAIN = "x,y\n1,2\n3,5\n4,4\n"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\0\0\0\0"
JPEG = b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1"
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n"
ELF = b"\x7fELF\2\1\1" + bytes(9) + b"\2\0\x3e\0" + bytes(40)
NOBODY = 65534


def missing():
    return [
        Case(21, ["fit", "y.csv"], 4, "M401", 'did you mean "x.csv"', files=X, about="y.csv"),
        Case(21, ["fit", "no/x.csv"], 4, "M401", "no folder", files=X, about="no/x.csv"),
        Case(21, ["fit", "x.csv/x.csv"], 4, "M401", files=X, about="x.csv/x.csv"),
        Case(21, ["info", "x.mercre"], 4, "M401", 'did you mean "x.mercer"', files=X, steps=[["fit", "x.csv"]],
             about="x.mercre"),
        Case(21, ["fit", ""], 2, "M110", "TABLE has no value"),
        Case(22, ["fit", "f"], 4, "M406", files=X, prepare=lambda at: os.mkdir(os.path.join(at, "f")), about="f"),
        Case(22, ["info", "."], 4, "M406", about="."),
        Case(22, ["fit", "x.csv", "-o", "f"], 4, "M406", files=X,
             prepare=lambda at: os.mkdir(os.path.join(at, "f")), about="f"),
    ]


def forbidden():
    """23: as root nothing is forbidden, so there the program runs as nobody."""
    def close(folder):
        os.chmod(os.path.join(folder, "x.csv"), 0)
        os.chmod(os.path.join(folder, "y.csv"), 0o644)

    def shut(folder):
        close(folder)
        os.chmod(folder, 0o555)

    files = {"x.csv": GOOD, "y.csv": GOOD}
    user = NOBODY if os.geteuid() == 0 else None
    return [
        Case(23, ["fit", "x.csv"], 4, "M404", "permission", files=files, prepare=close, user=user, about="x.csv"),
        Case(23, ["fit", "y.csv"], 4, "M404", "permission", files=files, prepare=shut, user=user, about="y.mercer"),
    ]


def empty():
    return [
        Case(24, ["fit", "e.csv"], 3, "M201", files={"e.csv": ""}, about="e.csv"),
        Case(24, ["fit", "e.npy"], 3, "M201", files={"e.npy": ""}, about="e.npy"),
        Case(24, ["fit", "-"], 3, "M201", about="standard input"),
        Case(24, ["fit", "/dev/null"], 3, "M201", about="/dev/null"),
        Case(24, ["info", "e.mercer"], 7, "M700", files={"e.mercer": ""}, about="e.mercer"),
        Case(25, ["fit", "e.csv"], 3, "M201", files={"e.csv": "\n"}, about="e.csv"),
        Case(25, ["fit", "e.csv"], 3, "M201", files={"e.csv": "\r\n \n\n"}, about="e.csv"),
        Case(26, ["fit", "h.csv"], 3, "M202", "no rows", files={"h.csv": "x,y,z\n"}, about="h.csv"),
    ]


def full_disk():
    """27: a device that takes nothing."""
    full = "/dev/full"
    model = [["fit", "x.csv"]]
    if not os.path.exists(full):
        return []
    return [
        Case(27, ["fit", "x.csv", "-o", full], 4, "M410", files=X, about=full),
        Case(27, ["fit", "x.csv", "--scores", full], 4, "M410", files=X, about=full),
        Case(27, ["transform", "x.mercer", "x.csv", "-o", full], 4, "M410", files=X, steps=model, about=full),
        Case(27, ["data", "circles"], 4, "M410", "standard output", stdout=full),
        Case(27, ["transform", "x.mercer", "x.csv"], 4, "M410", files=X, steps=model, stdout=full),
        Case(27, ["list"], 4, "M410", stdout=full),
        Case(27, ["--help"], 4, "M410", stdout=full, once=True),
        Case(27, ["info", "x.mercer"], 4, "M410", files=X, steps=model, stdout=full),
    ]


def streams():
    """28: what can be read only once."""
    def pipe(folder):
        path = os.path.join(folder, "pipe.csv")
        os.mkfifo(path)

        def write():
            with open(path, "w", encoding="utf-8") as file:
                file.write(GOOD)
        threading.Thread(target=write, daemon=True).start()

    return [
        Case(28, ["fit", "-"], 0, "ok", "standard input", "7 × 3", stdin=GOOD.encode()),
        Case(28, ["fit", "/dev/stdin", "-o", "m.mercer"], 0, "ok", "7 × 3", stdin=GOOD.encode()),
        Case(28, ["fit", "pipe.csv"], 0, "ok", "7 × 3", prepare=pipe),
        Case(28, ["transform", "x.mercer", "-"], 0, "ok", files=X, steps=[["fit", "x.csv"]], stdin=GOOD.encode()),
    ]


def other_kinds():
    kinds = [(PNG, "PNG"), (JPEG, "JPEG"), (PDF, "PDF"), (ELF, "ELF")]
    found = [Case(29, ["fit", "t.csv"], 3, "M203", text, files={"t.csv": content}, about="t.csv")
             for content, text in kinds]
    found += [Case(29, ["fit", "-"], 3, "M203", "PNG", stdin=PNG),
              Case(29, ["fit", "t.xyz"], 3, "M203", "PDF", files={"t.xyz": PDF}, about="t.xyz"),
              Case(29, ["fit", "x.mercer"], 3, "M203", "model", files=X, steps=[["fit", "x.csv"]],
                   about="x.mercer"),
              Case(29, ["fit", "/bin/sh"], 3, "M203", "ELF", about="/bin/sh"),
              Case(30, ["fit", "t.npy"], 0, "ok", "content is csv", ".npy", "--format", files={"t.npy": GOOD}),
              Case(30, ["fit", "--format", "npy", "x.csv"], 4, "M420", files=X, about="x.csv")]
    return found


def strange_names():
    """34: names that would steer a terminal; the harness refuses control characters on standard error."""
    name = "a\x1b[31mred\n.csv"
    shown = "a\\x1b[31mred\\x0a.csv"
    return [
        Case(34, ["fit", name], 0, "ok", shown, files={name: GOOD}),
        Case(34, ["fit", name], 4, "M401", shown),
        Case(34, ["fit", name], 3, "M204", shown, files={name: "x\n1\n2\noops\n3\n"}),
        Case(34, ["fit", "x.csv", "-o", "m\x1b[2J.mercer"], 0, "ok", "m\\x1b[2J.mercer", files=X),
        Case(34, ["fit", "x.csv", "--kernel", "\x1b[2J"], 2, "M111", "\\x1b[2J", files=X),
        Case(34, ["\x1b[2J"], 2, "M100", "\\x1b[2J"),
        Case(34, ["fit", "x.csv", "--\x1b[2J"], 2, "M101", "\\x1b[2J", files=X),
        Case(34, ["fit", "x.csv", "--method", "\x1b[2J"], 2, "M112", "\\x1b[2J", files=X),
        Case(34, ["list", "\x1b[2J"], 2, "M112", "\\x1b[2J"),
        Case(34, ["fit", "x.csv", "--memory", "\x1b[2J"], 2, "M108", "\\x1b[2J", files=X),
        Case(34, ["fit", "t.csv"], 3, "M204", 'column "\\x1b[2J"', 'value "q\\x1b"',
             files={"t.csv": "\x1b[2J\n" + "100\n" * 30 + "q\x1b\n"}),
        Case(34, ["fit", "t.csv", "--drop", "x\x1b[2"], 3, "M216", 'did you mean "x\\x1b[2J"',
             files={"t.csv": "x\x1b[2J,y\n" + "100,2\n" * 30}),
    ]


def encodings():
    latin = b"x,kind\n1,caf\xe9\n2,caf\xe9\n4,the\n"
    return [
        Case(35, ["fit", "t.csv"], 3, "M205", "UTF-16", "iconv", files={"t.csv": PLAIN.encode("utf-16")},
             about="t.csv"),
        Case(35, ["fit", "t.csv"], 3, "M205", "UTF-16BE", "iconv", files={"t.csv": PLAIN.encode("utf-16-be")},
             about="t.csv"),
        Case(36, ["fit", "t.csv"], 0, "ok", "7 × 3", files={"t.csv": b"\xef\xbb\xbf" + GOOD.encode()}),
        Case(37, ["fit", "t.csv"], 0, "W205", "2 labels", files={"t.csv": latin}),
        Case(38, ["fit", "t.csv"], 3, "M206", "t.csv:3", files={"t.csv": "x,y\n1,2\n3,\0004\n5,6\n"}, about="t.csv"),
    ]


def cut_while_read(process, folder):
    """Stops the program in the middle of the table, cuts the table's end off, and lets it go on."""
    name, position = os.path.join(folder, "t.csv"), 0
    while position < 1 << 20 and process.poll() is None:
        for number in os.listdir(f"/proc/{process.pid}/fd"):
            try:
                if os.readlink(f"/proc/{process.pid}/fd/{number}") != name:
                    continue
                with open(f"/proc/{process.pid}/fdinfo/{number}", encoding="ascii") as file:
                    position = int(file.readline().split()[1])
            except OSError:
                continue  # closed meanwhile
    process.send_signal(signal.SIGSTOP)
    os.truncate(name, 1 << 20)
    process.send_signal(signal.SIGCONT)


def shrinking():
    return [Case(33, ["fit", "t.csv"], 4, "M405", files={"t.csv": b"1.25,2.5,3.75\n4.5,1.5,0.25\n" * (6 << 20)},
                 meanwhile=cut_while_read, about="t.csv")]


def cases():
    return [*missing(), *forbidden(), *empty(), *full_disk(), *streams(), *other_kinds(), *strange_names(),
            *encodings(), *shrinking()]

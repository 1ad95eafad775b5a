"""Cases 39-60: the content of text tables."""

from harness import Case
from tables import GOOD


def bad(number, text, code, *texts, options=(), status=3):
    return Case(number, ["fit", "t.csv", *options], status, code, *texts, files={"t.csv": text}, about="t.csv")


def good(number, text, *texts, code="ok", options=()):
    return Case(number, ["fit", "t.csv", *options], 0, code, *texts, files={"t.csv": text})


def refused():
    return [
        bad(39, "x,y\n1,2\n2,n/x\n3,4\n4,?x\n", "M204", 'column "y"', "t.csv:3:2", 'value "n/x"', "2 such rows: 3, 5",
            '--na "n/x" --missing drop'),
        bad(40, "x,y,z\n1,2,3\n4,5\n7,8,9\n", "M207", "t.csv:3", "2", "3"),
        bad(41, "x,y,z\n1,2,3\n4,5,6,7\n7,8,9\n", "M207", "t.csv:3", "4", "3"),
        bad(42, "x,y\n1,2\n\"3,4\n5,6\n", "M208", "t.csv:3"),
        bad(44, "x;y\n1,234;1\n2,345;2\n", "M209", "t.csv:2:1", "--thousands"),
        bad(52, "a,b\nu,v\nw,x\n", "M211", '"a"', '"b"', "--encode onehot"),
        bad(53, "x,y\n1,NA\n2,\n3,?\nnull,4\n5,6\n", "M212", "4 missing values", '"x": 1', '"y": 3', "t.csv:2:2",
            "--missing drop"),
        bad(54, "x,y\n1,inf\n2,3\n-Infinity,4\n", "M212", "infinite", "never filled in", "t.csv:4:1"),
        bad(54, "x,y\n1,inf\n2,3\n3,4\n", "M212", "t.csv:2:2", options=["--missing", "mean"]),
        bad(55, "x,y\n1,2\n1e400,3\n4,5\n", "M213", "t.csv:3:1", "1e400"),
        bad(57, "x,y\n1,2\n0x1p3,3\n4,5\n", "M204", "t.csv:3:1", "0x1p3"),
        bad(39, "x,y\n1,2\n3,5\n", "M216", '"yy"', 'did you mean "y"', options=["--drop", "yy"]),
        bad(39, "x,y\n1,2\n3,5\n", "M216", '"2-3"', "goes beyond the 2", options=["--columns", "2-3"]),
        bad(39, "x,y\n1,2\n3,5\n", "M216", '"z*"', options=["--drop", "z*"]),
        Case(39, ["fit", "s.csv", "t.csv"], 3, "M280", 'column "y"', "s.csv", about="t.csv",
             files={"s.csv": "x,y\n1,2\n3,5\n", "t.csv": "x\n1\n3\n"}),
        Case(39, ["transform", "m.mercer", "t.csv"], 3, "M281", '"pink"', "row 1", "--encode-unknown zero", about="t.csv",
             files={"s.csv": "x,c\n1,red\n3,blue\n2,red\n", "t.csv": "x,c\n1,pink\n"},
             steps=[["fit", "s.csv", "--encode", "onehot:c", "-o", "m.mercer"]]),
        bad(60, "x,d\n1,1/2/2021\n3,3/4/2021\n2,5/6/2021\n", "M282", '"1/2/2021"', "row 1", "date-dmy:d",
            options=["--encode", "date:d"]),
        bad(60, "x,d\n1,2021-02-01\n3,soon\n2,2021-02-03\n", "M282", '"soon"', "row 2",
            options=["--encode", "date:d"]),
    ]


def accepted():
    return [
        good(43, "x;y\n1,5;0,25\n2,5;-3\n4,5;1\n", "3 × 2", "decimal mark is a comma", "--decimal"),
        good(44, "x;y\n1,234;100\n2,345;200\n3,000;200\n", "3 × 2", options=["--thousands", ","]),
        good(44, "x;y\n1,234.5;100\n2,000.5;200\n3,000.5;200\n", "3 × 2", "grouped by commas", "--thousands"),
        good(45, GOOD.replace("\n", "\r\n"), "7 × 3"),
        good(45, GOOD.replace("\n", "\r"), "7 × 3"),
        good(46, "x,y,\n1,2,\n3,5,\n4,4,\n", "3 × 2", "end of each line"),
        good(47, "x,x,y\n1,2,3\n3,5,1\n4,4,4\n", "3 × 3", '"x.1"', code="W210"),
        good(48, "x,,y\n1,2,3\n3,5,1\n4,4,4\n", "3 × 3"),
        Case(48, ["convert", "t.csv", "-"], 0, "ok", files={"t.csv": "x,,y\n1,2,3\n3,5,1\n"}, once=True,
             after=lambda _at, result: None if result.out.startswith(b"x,col2,y\n") else "no name col2"),
        good(49, "1.5,2\n3,5\n4,4\n", "3 × 2", "no header", "--header yes"),
        good(50, "2019,2020,2021\n1,2,3\n4,5,7\n", "3 × 3", "--header yes"),
        good(50, "2019,2020,2021\n1,2,3\n4,5,7\n5,5,5\n", "3 × 3", options=["--header", "yes"]),
        good(51, "Measured in May\nx,y\n1,2\n3,5\n4,4\n", "3 × 2", "1 line above the table skipped", "--skip"),
        good(53, "x,y\n1,NA\n2,\n3,1\n5,6\n7,7\n", "3 × 2", "2 rows with missing values left out",
             options=["--missing", "drop"]),
        good(53, "x,y\n1,NA\n2,\n3,1\n5,6\n", "4 × 2", "2 missing values filled in", "mean",
             options=["--missing", "mean"]),
        good(56, "x,y\n1e-400,2\n3,5\n4,4\n", "3 × 2", "1 number", code="W213"),
        good(60, "day,x,y\n2020-01-01,1,2\n2020-01-02,3,5\n2020-01-03,4,4\n", "3 × 2", '"day"', "row names"),
        # Beyond the list: whole numbers in a column that is called label are classes.
        good(60, "x,y,label\n1,2,0\n3,5,1\n4,4,0\n", "3 × 2", "2 classes", "--label none"),
        good(60, "x,y,label\n1,2,0\n3,5,1\n4,4,0\n", "3 × 2", "called as classes are: set aside",
             options=["--label", "none"]),
        good(60, "x,y,label\n1,2,0\n3,5,1\n4,4,0\n", "3 × 3", options=["--columns", "x,y,label"]),
    ]


def huge():
    """58 and 59 at their real size: a line of 257 MB, and ten million columns and one."""
    line = b"1" * (257 << 20)
    columns = b"1," * 10_000_000 + b"1\n"
    return [
        Case(58, ["fit", "-"], 3, "M214", "line", "256", stdin=line, once=True),
        Case(59, ["fit", "-"], 3, "M215", "10 000 001", stdin=columns, once=True),
    ]


def cases():
    return [*refused(), *accepted(), *huge()]

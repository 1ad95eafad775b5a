"""The report of a model: one whole page of every method, what it says, what must never be run, where it goes."""

import base64
import hashlib
import html.parser
import json
import os
import re
import struct

from program import numbers, says
from test_plot import material

VOID = {"meta", "link", "input", "br", "hr", "img", "col"}
MOST = 2_000_000  # bytes of a page
SCRIPT = '<script>alert("x")</script>'


class Page(html.parser.HTMLParser):
    """A page taken apart, with what is wrong about it."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.stack, self.ids, self.links, self.headings, self.tables = [], [], [], [], []
        self.content, self.texts, self.kept, self.policy, self.title = {}, [], {"script": [], "style": []}, None, ""
        self.data, self.svgs, self.landmarks = None, [], []
        self.feed(text)
        self.close()
        assert not self.stack, f"not closed: {self.stack}"
        self.text = " ".join(" ".join(self.texts).split())

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        assert len(found) == len(attributes), f"an attribute twice: {attributes}"
        for name, value in attributes:
            assert not name.startswith("on") and name != "style", f"<{tag} {name}=...>"
            if name in ("src", "href", "action", "srcset", "data", "poster"):
                self.links.append(value)
        if "id" in found:
            self.ids.append(found["id"])
        if found.get("http-equiv") == "Content-Security-Policy":
            self.policy = found["content"]
        if tag in ("header", "nav", "main", "footer"):
            self.landmarks.append(tag)
        if tag == "svg" and "svg" not in self.stack:
            self.svgs.append({"role": found.get("role"), "title": ""})
        if tag == "th":
            assert found.get("scope") in ("col", "row"), "a heading of a table without scope"
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")
        if re.fullmatch("h[1-6]", tag):
            self.headings.append([int(tag[1]), ""])
        if tag == "script" and found.get("type") == "application/json":
            self.data = ""
        if tag not in VOID:
            self.stack.append(tag)
        if tag in self.kept and found.get("type") != "application/json":
            self.kept[tag].append("")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.stack.pop()

    def handle_endtag(self, tag):
        assert self.stack and self.stack[-1] == tag, f"</{tag}> ends {self.stack[-3:]}"
        self.stack.pop()

    def handle_data(self, data):
        where = self.stack[-1] if self.stack else ""
        if where == "script" and self.data == "":
            self.data = json.loads(data)
        elif where in self.kept:
            self.kept[where][-1] += data
        elif where == "title" and "svg" in self.stack:
            self.svgs[-1]["title"] = self.svgs[-1]["title"] or data
        elif where == "title":
            self.title += data
        elif data.strip():
            self.texts.append(data)
            if self.headings and re.fullmatch("h[1-6]", where):
                self.headings[-1][1] += data
            if where in ("td", "th"):
                self.tables[-1][-1][-1] += data


def whole(content):
    """What must hold of every page."""
    assert len(content) <= MOST, f"{len(content)} bytes"
    text = content.decode("utf-8")
    page = Page(text)
    assert text.startswith("<!doctype html>") and page.title
    for link in page.links:
        assert link.startswith(("#", "data:image/png;base64,")), link
    assert not re.search(r"url\(|@import", "".join(page.kept["style"]))
    assert len(set(page.ids)) == len(page.ids), "an id twice"
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)
    assert page.landmarks == ["header", "nav", "main", "footer"]
    levels = [level for level, _ in page.headings]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b <= a + 1 for a, b in zip(levels, levels[1:])), levels
    assert all(name.strip() for _, name in page.headings)
    for svg in page.svgs:
        assert svg["role"] == "img" and svg["title"], "a picture without words"
    for kind in ("script", "style"):  # one of each, which the policy names
        assert len(page.kept[kind]) == 1
        digest = base64.b64encode(hashlib.sha256(page.kept[kind][0].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in page.policy, f"the {kind} is not the one that is named"
    assert page.policy.startswith("default-src 'none';") and "unsafe" not in page.policy
    assert " nan" not in page.text.lower() and "inf " not in page.text
    return page


def report(mercer, *words, **more):
    return whole(mercer("report", *words, "-o", "-", "--quiet", **more).out)


def headings(page):
    return [name for level, name in page.headings if level == 2]


def cells(page):
    return [cell for table in page.tables for row in table for cell in row]


def sent(column):
    """The scores of a column as the script has them."""
    shares = struct.unpack(f"<{len(base64.b64decode(column['values'])) // 2}H", base64.b64decode(column["values"]))
    return [column["low"] + share / 65535 * (column["high"] - column["low"]) for share in shares]


def test_every_method_has_a_whole_page_with_and_without_its_table(mercer):
    methods = {entry["name"]: entry["summary"] for entry in mercer("list", "methods", "--json").json["methods"]}
    tables = material(mercer)
    assert set(tables) == set(methods), "a method without a model here"
    for method, table in tables.items():
        for more in ([], [table]):
            page = report(mercer, method + ".mercer", *more)
            assert methods[method] in page.text and page.title == f"{method} of {table}"
            wanted = ["At a glance", "How good the answer is", "Data", "Method", "How it was made"]
            assert [name for name in headings(page) if name in wanted] == wanted
            assert f"mercer fit {table}" in page.text and "60 rows" in page.text
            if more:
                assert page.svgs, f"{method} has no picture with its table"
        formula = page.text[page.text.index(methods[method] + ".") :]
        assert re.search("[=ΣᵀφΦ]", formula[:400]), f"{method} states no formula"


def test_rows_of_the_page_are_the_scores(mercer):
    mercer("data", "blobs", "-n", "50", "--dim", "4", "-o", "b.csv")
    mercer("fit", "b.csv", "--method", "pca", "--components", "3", "--scores", "s.csv")
    scores = numbers(mercer.read("s.csv").decode(), labels=1)
    data = report(mercer, "b.mercer").data
    assert data["rows"] == 50 and data["step"] == 1 and len(data["components"]) == 3
    for k, column in enumerate(data["components"]):
        own = [row[k] for row in scores]
        assert (column["low"], column["high"]) == (min(own), max(own)) and column["name"] == f"PC{k + 1}"
        for told, true in zip(sent(column), own):
            assert abs(told - true) <= 0.51 / 65535 * (max(own) - min(own))
    labels = [line.split(",")[-1] for line in mercer.read("b.csv").decode().split()[1:]]
    group = struct.unpack("<50H", base64.b64decode(data["group"]))
    assert [data["classes"][c] for c in group] == labels


def test_words_of_the_certificate_follow_the_certificate(mercer):
    mercer("data", "circles", "-n", "3000", "-o", "c.csv")  # few rows are solved whole, whatever is asked
    words = {"proven, with what rounding": ["--certify", "deterministic"], "Chance could make": ["--certify", "probabilistic", "--solver", "block_krylov"],
             "was not asked, and is not known": ["--certify", "none", "--solver", "block_krylov"],
             "Asked for were the eigenvalues alone": ["--tolerance", "eigenvalues:1e-3", "--solver", "block_krylov"]}
    for said, options in words.items():
        mercer("fit", "c.csv", *options, "-o", "c.mercer")
        page = report(mercer, "c.mercer")
        assert said in page.text, f"{options}: nothing of {said!r}"
        assert not any(other in page.text for other in words if other != said and "eigenvalues" not in said + other), options
        value = mercer("info", "c.mercer", "--json").json
        worst = max(value["residuals"])
        told = float(re.search(r"at most (\S+?) of the largest eigenvalue|residuals are at most (\S+)\.", page.text).expand(r"\1\2"))
        assert abs(told - worst) <= 0.06 * worst, options
        table = next(table for table in page.tables if table[0][0] == "component")
        assert [row[0] for row in table[1:]] == ["PC1", "PC2"]
        for row, mu, upper in zip(table[1:], value["eigenvalues"], value["certificate"]["eigenvalue_upper"] or [None, None]):
            assert abs(float(row[1]) - mu) <= 1e-6 * mu
            if upper:
                assert abs(float(row[2]) - upper) <= 1e-6 * upper
    mercer("fit", "c.csv", "--method", "metric_mds", "--iterations", "1", "-o", "m.mercer", status=None)
    assert "no certificate" in report(mercer, "m.mercer").text or "see the warnings" in report(mercer, "m.mercer").text


def test_kernel_and_numbers_stand_in_the_formula(mercer):
    mercer("data", "circles", "-n", "70", "-o", "c.csv")
    mercer("fit", "c.csv", "--kernel", "gaussian:sigma=0.3")
    page = report(mercer, "c.mercer")
    kernel = mercer("info", "c.mercer", "--json").json["kernel"]
    assert kernel["formula"] in page.text and kernel["spec"] in page.text and "n = 70" in page.text
    assert "H K H" in page.text
    mercer("fit", "c.csv", "--kernel", "linear", "--no-center", "-o", "u.mercer")
    assert "not centred" in report(mercer, "u.mercer").text
    mercer("fit", "c.csv", "--method", "ppca", "--components", "1", "-o", "p.mercer")
    noise = mercer("info", "p.mercer", "--json").json["figures"]["noise_variance"]
    assert f"s² = {noise:.6g}" in report(mercer, "p.mercer").text


def test_the_plan_is_told_with_what_was_weighed(mercer):
    mercer("data", "circles", "-n", "70", "-o", "c.csv")
    mercer("fit", "c.csv", "--reproducible")
    plan = mercer("info", "c.mercer", "--json").json["plan"]
    page = report(mercer, "c.mercer")
    table = next(table for table in page.tables if table[0][0] == "operator + solver")
    assert len(table) > 5 and any("chosen" in row[4] for row in table[1:])
    assert plan["operator"] in page.text and plan["solver"] in page.text
    mercer("fit", "c.csv", "--method", "pca", "-o", "p.mercer")  # keeps no rows: nothing to weigh on
    assert "mercer plan TABLE" in report(mercer, "p.mercer").text
    assert "mercer plan TABLE" not in report(mercer, "p.mercer", "c.csv").text


def test_data_set_aside_and_missing_are_told(mercer):
    mercer.write("t.csv", "name,when,x,y,kind\n" + "".join(
        f"row-{i},2024-01-{1 + i % 28:02},{i * i % 13},{'' if i == 3 else i * 7 % 5},{'ab'[i % 2]}\n" for i in range(30)))
    mercer("fit", "t.csv", "--method", "pca", "--missing", "mean")
    page = report(mercer, "t.mercer")
    value = mercer("info", "t.mercer", "--json").json
    aside = next(table for table in page.tables if table[0] == ["column", "reason"])
    assert aside[1:] == [[one["name"], one["reason"]] for one in value["set_aside"]]
    assert "1 value filled in" in page.text and value["fingerprint"] in page.text
    classes = next(table for table in page.tables if table[0][0] == "class")
    assert sorted(row[:2] for row in classes[1:]) == [["a", "15"], ["b", "15"]]
    used = next(table for table in page.tables if table[0][0] == "column" and table is not aside)
    assert [row[0] for row in used[1:]] == ["x", "y"]
    assert page.data["names"][:2] == ["row-0", "row-1"]
    # With the table, figures of the columns.
    page = report(mercer, "t.mercer", "t.csv")
    used = next(table for table in page.tables if table[0][:2] == ["column", "smallest"])
    xs = [i * i % 13 for i in range(30)]
    assert [float(cell) for cell in used[1][1:4:2]] == [min(xs), max(xs)] and abs(float(used[1][2]) - sum(xs) / 30) < 1e-3


def test_warnings_stand_with_their_meaning(mercer):
    mercer("data", "circles", "-n", "60", "-o", "c.csv")
    mercer("fit", "c.csv", "--kernel", "sigmoid", "--components", "3")
    warnings = mercer("info", "c.mercer", "--json").json["warnings"]
    assert warnings, "nothing to be warned of"
    page = report(mercer, "c.mercer")
    assert "Warnings" in headings(page)
    for warning in warnings:
        meaning = mercer("explain", warning["code"], "--json").json["text"]
        assert warning["code"] in page.text and warning["message"] in page.text and " ".join(meaning.split()) in page.text


def test_hostile_texts_are_shown_and_never_run(mercer):
    """Names of classes, columns, rows and files, and the title, that are markup."""
    evil = ['</script><img src=x onerror=alert(1)>', '"\'><b>&amp;', "]]>--><!--"]
    quoted = [text.replace('"', '""') for text in evil]
    name = "<svg onload=alert(1)>.csv"
    mercer.write(name, f'id,"{quoted[0]}","{quoted[1]}",z,"kind{quoted[2]}"\n' + "".join(
        f'"{quoted[i % 3]}{i}",{i},{i * i % 7},{i * 3 % 11},"{quoted[i % 3]}"\n' for i in range(30)))
    mercer("fit", name, "--method", "pca", "--components", "3", "--label", "kind" + evil[2], "-o", "<title>.mercer")
    for more in ([], [name]):
        page = report(mercer, "<title>.mercer", *more, "--title", SCRIPT)
        assert page.title == SCRIPT
        assert page.data["classes"] == evil and page.data["names"][0] == evil[0] + "0"
        assert page.data["classTitle"] == "kind" + evil[2]
        shown = cells(page)
        for text in (evil[0], evil[1], *evil):
            assert text in shown, text
        assert name in page.text and "<title>.mercer" in page.text
    raw = mercer("report", "<title>.mercer", "--title", SCRIPT, "-o", "-", "--quiet").text
    assert raw.count("<script") == 2 and raw.count("</script") == 2 and "<img" not in raw and "<b>" not in raw


def test_the_same_bytes_again(mercer):
    material(mercer)
    for model in ("kernel_pca", "pls", "metric_mds", "kernel_lda"):
        mercer("report", model + ".mercer", "-o", "a.html", "--quiet")
        mercer("report", model + ".mercer", "-o", "b.html", "--quiet")
        assert mercer.read("a.html") == mercer.read("b.html"), model


def test_the_page_goes_where_it_is_sent(mercer):
    mercer("data", "circles", "-n", "40", "-o", "circles.csv")
    os.mkdir(mercer.path("models"))
    mercer("fit", "circles.csv", "-o", "models/ring.mercer")
    result = mercer("report", "models/ring.mercer")
    says(result, "Wrote", "ring.html")
    assert "ring.html" in mercer.files() and result.out == b""
    whole(mercer.read("ring.html"))
    value = mercer("report", "models/ring.mercer", "-o", "x.html", "--json").json
    assert value["schema"] == 1 and value["output"] == "x.html" and value["bytes"] == len(mercer.read("x.html"))
    assert {"scatter", "scree", "contour"} <= set(value["figures"]) and value["left_out"] == [] and value["n"] == 40
    out = mercer("report", "models/ring.mercer", "-o", "-")
    assert out.out.startswith(b"<!doctype html>")
    assert b"models/" not in out.out, "a folder of this machine is on the page"
    says(mercer("report", "models/ring.mercer", "-o", "-", "--json", status=2), "M102")
    mercer.write("notes.html", "<!doctype html><p>mine")
    says(mercer("report", "models/ring.mercer", "-o", "notes.html", status=4), "M409", "not a report", "--force")
    assert mercer.read("notes.html") == b"<!doctype html><p>mine"
    mercer("report", "models/ring.mercer", "-o", "notes.html", "--force")
    mercer("report", "models/ring.mercer", "-o", "notes.html", "--title", "again")
    assert whole(mercer.read("notes.html")).title == "again"
    os.link(mercer.path("models/ring.mercer"), mercer.path("twin.html"))
    says(mercer("report", "models/ring.mercer", "-o", "twin.html", "--force", status=2), "M109")
    says(mercer("report", "models/ring.mercer", "circles.csv", "-o", "circles.csv", "--force", status=2), "M109")
    says(mercer("report", "models/ring.mercer", "-o", "nowhere/a.html", status=4), "M402")
    says(mercer("report", "models/ring.mercer", "-o", "models", status=4), "M406")
    says(mercer("report", "models/ring.mercer", "--image-size", "9", status=2), "M102")
    says(mercer("report", "models/ring.mercer", "notes.html", "-o", "y.html", status=None), "error[")


def test_images_are_seen_where_their_size_is_told(mercer):
    mercer("data", "digits", "-n", "60", "-o", "digits.csv")
    mercer("fit", "digits.csv", "--method", "pca", "--components", "4")
    plain = mercer("report", "digits.mercer", "digits.csv", "-o", "d.html", "--json").json["figures"]
    sized = mercer("report", "digits.mercer", "digits.csv", "--image-size", "8x8", "-o", "d.html", "--json").json["figures"]
    assert set(sized) - set(plain) == {"eigenimages", "reconstructions", "nearest_images"}
    whole(mercer.read("d.html"))


def test_twenty_thousand_rows_stay_small(mercer):
    mercer("data", "blobs", "-n", "20000", "--dim", "6", "--noise", "0.4", "-o", "many.csv")
    lines = mercer.read("many.csv").decode().split("\n")
    mercer.write("named.csv", "id," + lines[0] + "\n" + "".join(f"sample-{i},{line}\n" for i, line in enumerate(lines[1:-1])))
    mercer("fit", "named.csv", "--method", "pca", "--components", "6")
    page = report(mercer, "named.mercer")  # whole() checks the size
    assert page.data["rows"] == 20000 and page.data["names"][19999] == "sample-19999"
    whole(mercer("report", "named.mercer", "named.csv", "-o", "-", "--quiet").out)


def test_a_million_rows_are_a_part_of_themselves(mercer):
    mercer("data", "blobs", "-n", "1000000", "--dim", "3", "-o", "large.npy")
    mercer("fit", "large.npy", "--method", "pca", "--components", "3", "-o", "large.mercer")
    page = report(mercer, "large.mercer")
    assert page.data is None and "mercer report MODEL TABLE" in page.text
    page = report(mercer, "large.mercer", "large.npy")
    assert page.data["step"] == 50 and page.data["rows"] == 20000 and "every 50th" in page.text


def test_one_row_and_equal_rows_are_no_trouble(mercer):
    mercer("data", "blobs", "-n", "30", "--dim", "3", "-o", "b.csv")
    mercer("fit", "b.csv", "--method", "pca")
    lines = mercer.read("b.csv").decode().split("\n")
    mercer.write("one.csv", "\n".join(lines[:2]) + "\n")
    mercer.write("equal.csv", "\n".join([lines[0]] + 40 * [lines[1]]) + "\n")
    for table, count in (("one.csv", 1), ("equal.csv", 40)):
        page = report(mercer, "b.mercer", table)
        assert page.data["rows"] == count and "new rows" in page.title


def test_fit_names_the_pictures_as_next(mercer):
    mercer("data", "circles", "-n", "40", "-o", "circles.csv")
    says(mercer("fit", "circles.csv"), "Next ", "mercer plot circles.mercer", "mercer report circles.mercer")


def test_the_command_that_makes_it_again_reads_the_same_columns(mercer):
    for name in ("a.csv", "b.csv"):
        mercer.write(name, "when,size,x,y\n" + "".join(
            f"{i + 1}.0{1 + i % 9}.2024,{'SML'[i % 3]},{i * i % 7},{i % 5}\n" for i in range(20)))
    mercer("fit", "a.csv", "b.csv", "--encode", "onehot:size,date:when", "--components", "1", "-o", "m.mercer")
    mercer("report", "m.mercer", "-o", "m.html")
    text = html.unescape(mercer.read("m.html").decode())
    command = re.search(r"mercer fit a\.csv b\.csv --encode [^<\n]*", text)
    assert command, [line for line in text.splitlines() if "mercer fit" in line][:3]
    assert "onehot:size" in command[0] and "date-dmy:when" in command[0], command[0]
    again = command[0].replace("-o m.mercer", "-o again.mercer").replace("'", "").split()[1:]
    mercer(*again)
    one, other = (mercer("info", name, "--json").json for name in ("m.mercer", "again.mercer"))
    assert one["columns"] == other["columns"] and one["eigenvalues"] == other["eigenvalues"]


def test_errors_of_cross_validation_begin_with_no_component(mercer):
    mercer("data", "blobs", "-n", "60", "--dim", "4", "-o", "t.csv")
    mercer("fit", "t.csv", "--method", "pls", "--target", "x1", "--components", "auto", "--label", "none", "-o", "p.mercer")
    mercer("report", "p.mercer", "-o", "p.html")
    text = mercer.read("p.html").decode()
    table = text[text.index("rmsep, by the number of components"):]
    headings = re.findall(r"<th[^>]*>([^<]*)</th>", table)[:4]
    assert headings[:3] == ["row", "0", "1"], headings

#!/usr/bin/env python3
"""Reports in a browser: axe-core finds nothing, the script runs under the page's own policy, nothing is fetched, hostile
texts are shown and not run, and without scripts the page is whole.

usage: browse.py MERCER_BINARY AXE_FILE [--look FOLDER]

AXE_FILE is axe.min.js of the npm package axe-core. --look keeps pictures of every page (light, dark, narrow, paper) for
people to look at. Needs Chromium and python3-websocket.
"""

import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import models  # noqa: E402 - found by the line above
from chromium import Chromium  # noqa: E402

RULES = "{resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}"
TIP = "(document.getElementById('scatter-tip').hidden ? '' : document.getElementById('scatter-tip').innerText)"
INK = "document.querySelector('canvas').toDataURL()"


def violations(page, axe):
    page.run(axe + "; 1")
    found = page.run(f"axe.run(document, {RULES}).then((r) => r.violations.map((v) => v.id + ': ' + "
                     "v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + ' ' + n.failureSummary).join(' | ')))")
    passed = page.run("axe.run(document).then((r) => r.passes.length)")
    assert passed > 15, f"axe looked at nothing: {passed} rules passed"
    return found


def accessible(page, path, axe):
    problems = []
    for scheme in ("light", "dark"):
        for width in (1000, 400):
            page.open(path, scheme, width)
            page.run("document.querySelectorAll('details').forEach((one) => { one.open = true; }); 1")
            problems += [f"{scheme}, {width} px: {one}" for one in violations(page, axe)]
    return problems


def alone(page, path):
    """Nothing is refused, nothing fetched, nothing wider than the window."""
    problems = []
    for width in (1000, 400):
        page.open(path, width=width)
        problems += page.complaints()
        problems += [f"fetches {url[:80]}" for url in page.fetched() if not url.startswith(("file://", "data:"))]
        over = page.run("document.documentElement.scrollWidth - window.innerWidth")
        if over > 0:
            problems.append(f"{over} px wider than a window of {width} px")
    return problems


def lives(page, path):
    """Pointing tells of a row, keys, wheel and buttons zoom, classes go and come, a name is found."""
    page.open(path)
    if not page.run("!!document.getElementById('scatter-data')"):
        return []
    problems = []

    def expect(what, found):
        if not found:
            problems.append(what)

    expect("the script has not begun", page.run("document.documentElement.classList.contains('live')"))
    expect("two scatter plots are shown", page.run("getComputedStyle(document.querySelector('.still')).display") == "none")
    page.run("document.querySelector('canvas').scrollIntoView({block: 'center', behavior: 'instant'}); 1")
    wait = "new Promise((done) => setTimeout(done, 60))"
    page.run(wait)
    whole = page.run(INK)
    page.run("document.getElementById('scatter-name').value = '1'; document.querySelector('#scatter-find button').click(); 1")
    page.run(wait)
    told = page.run(TIP)
    expect("the first row is not found", told and "PC1" in told)
    expect("it is not said aloud", "PC1" in (page.run("document.getElementById('scatter-said').textContent") or ""))
    box = page.run("(() => { const r = document.querySelector('canvas').getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()")
    page.mouse("mouseMoved", box[0] + 1, box[1] + 1)
    page.run(wait)
    expect("a row is told of where there is none", page.run(TIP) == "")
    expect("the picture did not come back", page.run(INK) == whole)
    hits = 0
    for i in range(400):  # over the plot, line by line: rows are met
        page.mouse("mouseMoved", box[0] + 70 + (i % 20) / 20 * (box[2] - 90), box[1] + 15 + (i // 20) / 20 * (box[3] - 70))
        hits += bool(page.run(TIP))
    expect("no row is met by pointing", hits > 0)
    page.mouse("mouseMoved", box[0] + 1, box[1] + 1)
    page.mouse("mouseWheel", box[0] + 200, box[1] + 200, deltaX=0, deltaY=-300)
    page.run(wait)
    expect("the wheel zooms before the plot was chosen", page.run(INK) == whole)
    page.run("window.scrollTo(0, 0); document.querySelector('canvas').scrollIntoView({block: 'center', behavior: 'instant'}); document.querySelector('canvas').focus(); 1")
    page.key("+", "+")
    page.run(wait)
    near = page.run(INK)
    expect("the key + does not zoom", near != whole)
    page.key("0", "0")
    page.run(wait)
    expect("the key 0 does not show all", page.run(INK) == whole)
    page.run("document.getElementById('scatter-in').click(); 1")
    page.run(wait)
    expect("the button does not zoom as the key does", page.run(INK) == near)
    page.run("document.getElementById('scatter-all').click(); 1")
    page.run(wait)
    if page.run("document.querySelectorAll('#scatter-classes button').length") > 1:
        page.run("document.querySelector('#scatter-classes button').click(); 1")
        page.run(wait)
        expect("a class does not go", page.run(INK) != whole)
        page.run("document.querySelector('#scatter-classes button').click(); 1")
        page.run(wait)
        expect("a class does not come back", page.run(INK) == whole)
    problems += page.complaints()
    return problems


def still(page, path):
    """Without scripts: the still picture and all sections are there, the controls are not."""
    page.open(path, scripts=False)
    document = page.send("DOM.getDocument", depth=1)["root"]["nodeId"]

    def shown(selector):
        node = page.send("DOM.querySelector", nodeId=document, selector=selector)["nodeId"]
        if not node:
            return None
        try:
            return page.send("DOM.getBoxModel", nodeId=node)["model"]["height"] > 0
        except RuntimeError:
            return False  # it has no box

    problems = []
    if shown("#scatter-data") is not None:
        if shown("#scatter"):
            problems.append("without scripts there are controls")
        if not shown(".still svg"):
            problems.append("without scripts there is no scatter plot")
    for part in ("#glance", "#certificate", "#data", "#method", "#origin", "nav", "footer"):
        if not shown(part):
            problems.append(f"without scripts there is no {part}")
    return problems


def harmless(page, path):
    """Every hostile text is on the page as text, and none was run."""
    page.open(path)
    problems = [f"says {one}" for one in page.complaints()]
    title = page.run("document.title")
    if title != models.HOSTILE:
        problems.append(f"the title is {title!r}")
    if page.run("document.querySelectorAll('img, b, [onerror], [onload]').length"):
        problems.append("a text became markup")
    if page.run("document.querySelectorAll('script').length") != 2:
        problems.append("there are other scripts")
    for text in ("onerror=alert(1)", "<svg onload=alert(2)>", "]]>--><!--"):
        if text not in page.run("document.body.textContent"):
            problems.append(f"{text} is not shown")
    return problems


def look(page, name, path, folder):
    for scheme, width in (("light", 1000), ("dark", 1000), ("light", 400)):
        page.open(path, scheme, width)
        page.run("document.querySelectorAll('details').forEach((one) => { one.open = one.querySelectorAll('tr').length < 40; }); 1")
        page.pictures(os.path.join(folder, f"{name}-{scheme}-{width}"))
    page.open(path)
    page.paper(os.path.join(folder, f"{name}.pdf"))


def main():
    mercer, axe_file = os.path.abspath(sys.argv[1]), sys.argv[2]
    folder_to_look = sys.argv[4] if len(sys.argv) > 4 and sys.argv[3] == "--look" else None
    with open(axe_file) as file:
        axe = file.read()
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="mercer-reports-") as folder, Chromium() as page:
        for name in models.make(mercer, folder):
            path = os.path.join(folder, name + ".html")
            if folder_to_look:
                os.makedirs(folder_to_look, exist_ok=True)
                look(page, name, path, folder_to_look)
                continue
            checks = [("axe", lambda: accessible(page, path, axe)), ("alone", lambda: alone(page, path)),
                      ("alive", lambda: lives(page, path)), ("still", lambda: still(page, path))]
            if name == "hostile":
                checks.append(("harmless", lambda: harmless(page, path)))
            for what, check in checks:
                problems = check()
                passed, failed = passed + (not problems), failed + bool(problems)
                for problem in problems:
                    print(f"{name}, {what}: {problem}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""A headless Chromium and its pages, spoken to by the protocol of its developer tools."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

import websocket  # python3-websocket

START = 60  # seconds Chromium may take to begin


class Chromium:
    """One browser with one page; `with Chromium() as page:`."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="mercer-chromium-")
        words = ["chromium", "--headless=new", "--remote-debugging-port=0", f"--user-data-dir={self.folder}",
                 "--remote-allow-origins=*", "--no-first-run", "--disable-gpu", "--hide-scrollbars", "--force-color-profile=srgb"]
        if os.geteuid() == 0:
            words.append("--no-sandbox")
        self.log = open(os.path.join(self.folder, "log"), "wb")
        self.process = subprocess.Popen([*words, "about:blank"], stdout=self.log, stderr=self.log)
        try:
            self.socket = websocket.create_connection(self._address(), timeout=120)
        except BaseException:
            self.__exit__()
            raise
        self.number, self.events = 0, []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "DOM"):
            self.send(domain + ".enable")
        return self

    def __exit__(self, *_):
        if hasattr(self, "socket"):
            self.socket.close()
        self.process.terminate()
        self.process.wait(30)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _address(self):
        path, end = os.path.join(self.folder, "DevToolsActivePort"), time.monotonic() + START
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            if os.path.exists(path):
                with open(path) as file:
                    lines = file.read().split("\n")
                if len(lines) > 1:
                    return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
            time.sleep(0.05)
        with open(os.path.join(self.folder, "log"), "rb") as file:
            raise RuntimeError("Chromium did not begin: " + file.read().decode("utf-8", "replace")[-2000:])

    def send(self, method, **params):
        self.number += 1
        own = self.number
        message = {"id": own, "method": method, "params": params}
        if hasattr(self, "session"):
            message["sessionId"] = self.session
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == own:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)
            if answer.get("method") == "Page.javascriptDialogOpening":  # it would stop everything else
                self.number += 1
                close = {"id": self.number, "method": "Page.handleJavaScriptDialog", "params": {"accept": False}, "sessionId": self.session}
                self.socket.send(json.dumps(close))

    def open(self, path, scheme="light", width=1000, height=900, scripts=True):
        """Shows a file; what was noticed of the page before it is forgotten."""
        self.send("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.events.clear()
        self.send("Page.navigate", url="file://" + os.path.abspath(path))
        end = time.monotonic() + START
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            assert time.monotonic() < end, f"{path} was not loaded"
            self.send("Runtime.evaluate", expression="1")
        if scripts:
            self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def run(self, code):
        """What an expression in the page is; promises are waited for."""
        answer = self.send("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def key(self, key, text=""):
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def complaints(self):
        """Errors and refusals of the page since it was opened."""
        said = []
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                said.append(params["entry"]["text"])
            if event.get("method") == "Runtime.exceptionThrown":
                said.append(str(params["exceptionDetails"])[:500])
            if event.get("method") == "Runtime.consoleAPICalled":
                said.append(f"console.{params['type']}")
            if event.get("method") == "Page.javascriptDialogOpening":
                said.append("a dialog: " + params["message"])
        return said

    def fetched(self):
        """Addresses the page asked for."""
        return [event["params"]["request"]["url"] for event in self.events if event.get("method") == "Network.requestWillBeSent"]

    def pictures(self, path, height=1500):
        """The whole page, in pieces that a screen has room for: PATH-1.png, PATH-2.png, ..."""
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        for i in range(-(-int(size["height"]) // height)):
            clip = {"x": 0, "y": i * height, "width": size["width"], "height": min(height, size["height"] - i * height), "scale": 1}
            data = self.send("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]
            with open(f"{path}-{i + 1}.png", "wb") as file:
                file.write(base64.b64decode(data))

    def paper(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.send("Page.printToPDF", printBackground=False)["data"]))

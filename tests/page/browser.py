# SPDX-License-Identifier: Apache-2.0
"""Drives a headless Chromium over the DevTools protocol through two pipes: no package, no port."""

import base64
import json
import os
import shutil
import subprocess
import tempfile


class Browser:
    """One browser with one page. `events` has every event of the page."""

    def __init__(self, program, width=1280, height=900):
        self.profile = tempfile.mkdtemp(prefix="feedrate-page-")
        to_browser, self.commands = os.pipe()
        self.replies, from_browser = os.pipe()
        # The browser reads descriptor 3 and writes descriptor 4.
        def connect():
            spare = [os.dup(to_browser), os.dup(from_browser)]
            os.dup2(spare[0], 3)
            os.dup2(spare[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             # Keeps input before the first frame.
             "--allow-pre-commit-input", "--hide-scrollbars", "--disable-background-networking", "--disable-component-update",
             "--remote-debugging-pipe", f"--user-data-dir={self.profile}", f"--window-size={width},{height}"],
            preexec_fn=connect, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.last_id = 0
        self.events = []
        self.session = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def close(self):
        try:
            os.close(self.commands)
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.replies)
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _read(self):
        while b"\0" not in self.buffer:
            part = os.read(self.replies, 1 << 20)
            if not part:
                raise RuntimeError("Chromium has ended")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, **parameters):
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            reply = self._read()
            if reply.get("id") == self.last_id:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']}")
                return reply["result"]
            self.events.append(reply)

    def wait_for(self, event):
        for known in self.events:
            if known.get("method") == event:
                return
        while True:
            message = self._read()
            self.events.append(message)
            if message.get("method") == event:
                return

    def open(self, url):
        self.events = []
        self.send("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")
        is_drawn = self.ask("new Promise(done => { const look = (left) => document.documentElement.dataset.renderedMs || left === 0"
                            " ? done(left > 0) : setTimeout(look, 10, left - 1); look(3000); })")
        if not is_drawn:
            raise RuntimeError(f"{url}: was not drawn: {self.complaints()}")

    def ask(self, expression):
        """Evaluates an expression in the page; awaits a promise."""
        result = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def press(self, key):
        code = {"Enter": 13, "ArrowRight": 39, "Escape": 27, "Tab": 9}[key]
        text = {"text": "\r"} if key == "Enter" else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, windowsVirtualKeyCode=code, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def move_to(self, x, y):
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def resize(self, width, height, mobile=False):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2 if mobile else 1, mobile=mobile)

    def screenshot(self, path, whole=True):
        shot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def print_pdf(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.send("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]))

    def complaints(self):
        """Errors and warnings of the console and of the browser's log, and exceptions."""
        found = []
        for event in self.events:
            method, what = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(what["exceptionDetails"].get("exception", {}).get("description", "exception"))
            if method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning"):
                found.append(str([argument.get("value") for argument in what["args"]]))
            if method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
                found.append(what["entry"]["text"])
        return found

    def requests(self):
        return [event["params"]["request"]["url"] for event in self.events if event.get("method") == "Network.requestWillBeSent"]

"""Headless Chromium, driven over its debugging pipe: pages of any width, light and dark, measured and pictured."""

import base64
import json
import os
import subprocess
from pathlib import Path
from typing import Any

QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # the network is cut
)  # fmt: skip


class Browser:
    """One browser with one tab. Messages of the DevTools protocol go over descriptors 3 and 4, ended by a zero byte:
    that takes no port, and no client library."""

    def __init__(self, program: str, profile: Path) -> None:
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        # The browser expects the two at 3 and 4, where Python may have put others of its own.
        shell = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
        words = [program, *QUIET, "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"]
        self._process = subprocess.Popen(
            ["bash", "-c", shell, *words], pass_fds=(theirs_in, theirs_out), stderr=subprocess.DEVNULL
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._rest = b""
        self._number = 0
        self._session: str | None = None
        self.complaints: list[str] = []  # of the console, since the page was opened
        tab = next(t for t in self("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self._session = self("Target.attachToTarget", targetId=tab["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self(f"{domain}.enable")

    def __call__(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = os.read(self._in, 1 << 20)
            assert more, "the browser has ended"
            self._rest += more
        text, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(text)
        self._heed(message)
        return message

    def _heed(self, message: dict[str, Any]) -> None:
        """What a page complains of: console.warn and console.error, the browser's own entries, exceptions."""
        said, kind = message.get("params", {}), message.get("method")
        if kind == "Runtime.consoleAPICalled" and said["type"] in ("warning", "error", "assert"):
            self.complaints.append(" ".join(str(a.get("value", a.get("description"))) for a in said["args"]))
        elif kind == "Log.entryAdded" and said["entry"]["level"] in ("warning", "error"):
            self.complaints.append(said["entry"]["text"])
        elif kind == "Runtime.exceptionThrown":
            self.complaints.append(said["exceptionDetails"]["text"])

    def open(self, page: Path, width: int, dark: bool = False, height: int = 900) -> None:
        """Returns when the page's charts are drawn."""
        self.resize(width, height)
        self.scheme(dark)
        self.complaints.clear()
        self("Page.navigate", url=page.resolve().as_uri())
        self.ask("new Promise(done => document.readyState == 'complete' ? done() : addEventListener('load', done))")
        self.ask("window.drawn")

    def resize(self, width: int, height: int = 900) -> None:
        self("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def scheme(self, dark: bool) -> None:
        """What the reader prefers."""
        feature = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self("Emulation.setEmulatedMedia", features=[feature])

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression, awaited."""
        found = self("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def picture(self, path: Path, top: int = 0, height: int | None = None) -> None:
        """The whole page, or a part of it."""
        size = self("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": top, "width": size["width"], "height": height or size["height"] - top, "scale": 1}
        taken = self("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(taken["data"]))

    def close(self) -> None:
        os.close(self._out)
        self._process.wait(timeout=300)
        os.close(self._in)

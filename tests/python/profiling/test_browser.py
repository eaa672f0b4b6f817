# SPDX-License-Identifier: Apache-2.0
"""Opens pages of launches in Debian's chromium, without a window."""

from __future__ import annotations

import json
import re
import shutil
import struct
import subprocess
import zlib
from pathlib import Path
from typing import Any

import pytest

import cannery
from cannery import cases
from cannery.profiling import Launch

from . import pictures

pytestmark = [
    pytest.mark.twin_only("a card is measured, not modelled"),
    pytest.mark.release,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium (apt install)"),
]

#: A script that uses the page like a reader, and writes what it finds into the document.
PROBE = """
<script>
addEventListener("error", (event) => { document.documentElement.dataset.error = event.message; });
setTimeout(() => {
  const canvas = document.getElementById("timeline");
  const context = canvas.getContext("2d");
  const pixels = () => new Uint32Array(
    context.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  const before = pixels();
  const counts = new Set(before);
  const box = canvas.getBoundingClientRect();
  let said = "";
  const at = (type, x, y) => canvas.dispatchEvent(new PointerEvent(type, {
    bubbles: true, clientX: box.left + x, clientY: box.top + y, pointerId: 1 }));
  for (let y = 90; y < box.height && !said; y += 6) {
    for (let x = 100; x < box.width - 20 && !said; x += 40) {
      at("pointermove", x, y);
      const tip = document.getElementById("tip");
      if (!tip.hidden && tip.textContent.includes("bytes: ")) { said = tip.textContent; }
    }
  }
  for (const key of ["+", "+", "ArrowRight"]) {
    document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  }
  // The page draws in the browser's next frame. On a busy machine, this frame is late.
  const look = (tries) => {
    const after = pixels();
    const moved = after.length !== before.length || after.some((pixel, i) => pixel !== before[i]);
    if (!moved && tries > 0) {
      setTimeout(() => look(tries - 1), 200);
      return;
    }
    const wide = document.documentElement.scrollWidth - innerWidth;
    document.documentElement.dataset.probe = JSON.stringify({
      colours: counts.size, said, wide, moved });
  };
  setTimeout(() => look(20), 400);
}, 400);
</script>
"""


def chromium(page: Path, *options: str) -> subprocess.CompletedProcess[str]:
    flags = ("--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=8000")
    more = (f"--user-data-dir={page.parent / 'browser'}", "--enable-logging=stderr")
    return subprocess.run(
        ["chromium", *flags, *more, *options, page.as_uri()],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )


def complaints(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Returns the messages of the page's console, except a hint that the test itself causes."""
    lines = [line for line in done.stderr.splitlines() if ":CONSOLE:" in line]
    return [line for line in lines if "willReadFrequently" not in line]


def colours(png: Path) -> set[bytes]:
    """Returns the set of pixels of a picture, still in PNG's filtered form."""
    data = png.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    at, packed = 8, b""
    width = depth = 0
    while at < len(data):
        (size,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, _, bits, form, *_ = struct.unpack(">IIBBBBB", body)
            assert bits == 8
            depth = {2: 3, 6: 4}[form]
        packed += body if kind == b"IDAT" else b""
        at += 12 + size
    raw = zlib.decompress(packed)
    stride = width * depth
    # The test only looks for a blank page. Such a page has equal rows, also in filtered form.
    rows = [raw[i + 1 : i + 1 + stride] for i in range(0, len(raw), stride + 1)]
    return {row[i : i + depth] for row in rows for i in range(0, stride, depth)}


def probed(launch: Launch, folder: Path, *options: str) -> dict[str, Any]:
    page = folder / "page.html"
    launch.html(page)
    text = page.read_text("utf-8")
    page.write_text(text.replace("</body>", PROBE + "</body>"), "utf-8")
    done = chromium(page, "--dump-dom", *options)
    assert not complaints(done)
    assert "data-error" not in done.stdout
    found = re.search(r'data-probe="([^"]*)"', done.stdout)
    assert found, done.stdout[:500]
    probe: dict[str, Any] = json.loads(found[1].replace("&quot;", '"').replace("&amp;", "&"))
    slices = re.search(r'data-slices="(\d+)"', done.stdout)
    assert slices
    probe["slices"] = int(slices[1])
    return probe


def operator(op: str) -> Launch:
    workloads = cases.find(op)
    prepared = workloads.prepare(workloads.case("small", workloads.dtypes[0]), 0)
    with cannery.profile() as p:
        prepared.call()
    return p.launches[0]


@pytest.mark.parametrize("width", [1240, 480])
def test_a_strangers_kernel(shared_cache: Path, tmp_path: Path, width: int) -> None:
    with cannery.use(cache_dir=shared_cache):
        launch = pictures.profiled(cannery.compile_kernel(pictures.SOURCE, "twice"))
    probe = probed(launch, tmp_path, f"--window-size={width},1600")
    assert probe["slices"] > 100
    assert probe["colours"] > 10  # the canvas is not blank
    assert probe["moved"]  # the keys moved the timeline
    assert probe["wide"] <= 0  # no element is wider than the window
    for words in ("modelled", "UB+0x", "bytes: ", "core "):
        assert words in probe["said"]


@pytest.mark.parametrize("op", cases.names())
def test_operators(op: str, tmp_path: Path) -> None:
    probe = probed(operator(op), tmp_path, "--window-size=1240,2000")
    assert probe["colours"] > 10
    assert probe["moved"]
    assert probe["said"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_screenshot(tmp_path: Path, scheme: str) -> None:
    launch = operator("swi_glu_grad")
    launch.html(tmp_path / "page.html")
    picture = tmp_path / "page.png"
    dark = ("--blink-settings=preferredColorScheme=0",) if scheme == "dark" else ()
    done = chromium(
        tmp_path / "page.html", f"--screenshot={picture}", "--window-size=1240,2000", *dark
    )
    assert not complaints(done)
    assert len(colours(picture)) > 50

// SPDX-License-Identifier: Apache-2.0
// Draws the timeline of a modelled launch. Names from the kernel are inserted as text, not as HTML.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const canvas = document.getElementById("timeline");
  const tip = document.getElementById("tip");
  const picked = document.getElementById("picked");
  const context = canvas.getContext("2d");
  const LEFT = 74, RIGHT = 10, AXIS = 24, HEAD = 24, ROW = 20, LEVEL = 30, GM = 44, GAP = 8;
  const span = Math.max(1, data.task);
  let from = 0, to = span, width = 0, hover = null, kept = null, colours = {}, asked = false;

  // The slices of all tracks; unpack() adds the slices of one track.
  const slices = [];
  const rows = [];
  let height = AXIS;

  function addRow(kind, size, more) {
    rows.push(Object.assign({ kind, y: height, size }, more));
    height += size;
  }

  function unpack(core, track) {
    const row = { core: core.name, pipe: track.pipe, first: slices.length };
    let time = 0, address = 0;
    track.took.forEach((took, i) => {
      const begin = time + track.gap[i];
      time = begin + took;
      const operation = data.operations[track.op[i]];
      const places = operation[8].length - 1;
      slices.push({
        begin, end: time, operation, why: track.why[i], row,
        count: track.count ? track.count[i] : 1,
        busy: track.busy ? track.busy[i] / 100 : null,
        at: track.at.slice(address, address + places),
      });
      address += places;
    });
    row.last = slices.length;
    return row;
  }

  addRow("gm", GM, {});
  height += GAP;
  for (const core of data.cores) {
    addRow("head", HEAD, { text: (core.role ? core.role + ": " : "") + "core " + core.name });
    for (const track of core.tracks) {
      const row = unpack(core, track);
      row.start = (track.pipe === "S" ? core.start : []).map(([term, begin, end]) =>
        ({ begin, end, row, count: 1, why: 0, operation: ["start: " + term, "", "", "wait"] }));
      addRow("track", ROW, { track: row });
      row.y = rows[rows.length - 1].y;
    }
    if (core.ub[0].length > 0) { addRow("ub", LEVEL, { ub: core.ub }); }
    height += GAP;
  }
  const arrows = new Map();
  for (let i = 0; i + 1 < data.arrows.length; i += 2) {
    for (const end of [data.arrows[i], data.arrows[i + 1]]) {
      if (!arrows.has(end)) { arrows.set(end, []); }
      arrows.get(end).push([data.arrows[i], data.arrows[i + 1]]);
    }
  }
  slices.forEach((slice, i) => { slice.id = i; });

  const WAITS = ["wait", "cross wait", "barrier", "all cores"];
  const isWait = (slice) => WAITS.includes(slice.operation[3]);
  const x = (time) => LEFT + (time - from) / (to - from) * (width - LEFT - RIGHT);
  const timeAt = (pixel) => from + (pixel - LEFT) / (width - LEFT - RIGHT) * (to - from);

  function us(ns) {
    if (ns < 1000) { return Math.round(ns) + " ns"; }
    const value = ns / 1000;
    return (value < 10 ? value.toFixed(3) : value < 100 ? value.toFixed(2) : value.toFixed(1)) + " µs";
  }

  function bytes(number) {
    if (number < 1024) { return number + " B"; }
    if (number < 1048576) { return +(number / 1024).toPrecision(3) + " KiB"; }
    return +(number / 1048576).toPrecision(3) + " MiB";
  }

  function place(address) {
    let found = null;
    for (const range of data.gm.ranges) {
      if (range[1] <= address && (found === null || range[1] >= found[1])) { found = range; }
    }
    const offset = "0x" + (found ? address - found[1] : address).toString(16);
    return (found ? found[0] : "GM") + "+" + offset;
  }

  function words(slice) {
    const [opcode, call, dtype, , flag, moved, file, line, pieces] = slice.operation;
    const took = slice.end - slice.begin;
    const lines = [];
    if (slice.count > 1) {
      lines.push(slice.count + " instructions, the longest " + opcode + ", " + slice.row.pipe + " of core " + slice.row.core);
    } else {
      lines.push(opcode + (dtype ? " " + dtype : "") + (flag ? " " + flag : "") + ", " + slice.row.pipe + " of core " + slice.row.core);
    }
    lines.push(us(slice.begin) + " to " + us(slice.end) + ": " + us(took) +
      (isWait(slice) ? " of waiting" : ", " + Math.round(took * data.mhz / 1000) + " cycles") + " (modelled)");
    if (slice.busy !== null && slice.count > 1) { lines.push("works for " + Math.round(100 * slice.busy) + " % of that"); }
    const reason = data.reasons[slice.why];
    if (reason) { lines.push("waits for: " + reason); }
    if (call) { lines.push("step of " + call); }
    const operands = pieces.map((piece, i) => piece + (i < slice.at.length ? place(slice.at[i]) : "")).join("");
    if (operands) { lines.push(...operands.split("; ").map((each) => "  " + each)); }
    if (moved > 0) { lines.push("bytes: " + bytes(moved)); }
    lines.push(file + ":" + line);
    return lines.join("\n");
  }

  function ticks() {
    const wanted = (to - from) / Math.max(2, (width - LEFT - RIGHT) / 110);
    const power = Math.pow(10, Math.floor(Math.log10(Math.max(1, wanted))));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= wanted) || wanted;
    const found = [];
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) { found.push(at); }
    return found;
  }

  function label(text, at, y, colour, limit) {
    if (limit !== undefined) {
      const whole = text;
      while (text && context.measureText(text + (text === whole ? "" : "…")).width > limit) { text = text.slice(0, -1); }
      if (text !== whole && text.length < 5) { return; }
      text += text === whole ? "" : "…";
    }
    context.fillStyle = colour;
    context.fillText(text, at, y);
  }

  function drawSlice(slice, y) {
    const left = Math.max(LEFT, x(slice.begin)), right = Math.min(width - RIGHT, x(slice.end));
    const wide = Math.max(1, right - left);
    const colour = colours[slice.row.pipe];
    const wait = isWait(slice);
    // If a slice represents several instructions, the opacity of its colour shows its busy share.
    context.globalAlpha = slice.count > 1 ? 0.22 + 0.78 * slice.busy : wait ? 0.22 : 1;
    context.fillStyle = colour;
    context.fillRect(left, y + 2, wide, ROW - 4);
    context.globalAlpha = 1;
    if (wide > 3 && !wait) {
      context.fillStyle = colours.ground;
      context.fillRect(left + wide - 0.5, y + 2, 0.5, ROW - 4);
    }
    if (wide > 26) {
      const text = wait && data.reasons[slice.why] ? data.reasons[slice.why] : slice.operation[0];
      label(text, left + 4, y + ROW / 2, wait ? colours.ink : colours.ground, wide - 7);
    }
  }

  function drawTrack(row) {
    const { track, y } = row;
    label(track.pipe, 12, y + ROW / 2, colours.ink);
    let low = track.first, high = track.last;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (slices[middle].end < from) { low = middle + 1; } else { high = middle; }
    }
    track.start.filter((slice) => slice.end > from && slice.begin < to).forEach((slice) => drawSlice(slice, y));
    let drawn = -1;
    for (let i = low; i < track.last && slices[i].begin <= to; ++i) {
      const right = Math.floor(x(slices[i].end));
      if (right <= drawn && x(slices[i].end) - x(slices[i].begin) < 1) { continue; }
      drawSlice(slices[i], y);
      drawn = right;
    }
  }

  function drawSteps(times, levels, most, y, size, colour) {
    context.fillStyle = colour;
    context.globalAlpha = 0.55;
    for (let i = 0; i < times.length; ++i) {
      const end = i + 1 < times.length ? times[i + 1] : span;
      if (end < from || times[i] > to || levels[i] === 0) { continue; }
      const left = Math.max(LEFT, x(times[i])), right = Math.min(width - RIGHT, x(end));
      const high = (size - 6) * levels[i] / most;
      context.fillRect(left, y + size - 2 - high, Math.max(0.5, right - left), high);
    }
    context.globalAlpha = 1;
  }

  function drawGm(row) {
    const { loads, stores, width: bucket } = data.gm;
    const times = loads.map((_, i) => i * bucket);
    const half = (GM - 4) / 2;
    const most = Math.max(1, ...loads, ...stores);
    drawSteps(times, loads, most, row.y, half, colours.MTE2);
    drawSteps(times, stores, most, row.y + half + 2, half, colours.MTE3);
    label("GM in", 12, row.y + half / 2 + 2, colours.ink);
    label("GM out", 12, row.y + half * 1.5 + 4, colours.ink);
  }

  function drawUb(row) {
    const most = Math.max(1, ...row.ub[1]);
    drawSteps(row.ub[0], row.ub[1], most, row.y, LEVEL, colours.S);
    label("UB", 12, row.y + 10, colours.ink);
    label(bytes(most), 12, row.y + 22, colours.dim);
  }

  function drawArrow(pair) {
    const [set, wait] = pair.map((id) => slices[id]);
    const left = x(set.end), right = Math.max(left, Math.min(x(wait.end), Math.max(left, x(wait.begin))));
    const top = set.row.y + ROW / 2, bottom = wait.row.y + ROW / 2;
    const down = bottom >= top ? 1 : -1;
    context.strokeStyle = context.fillStyle = colours.accent;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(left, top);
    context.lineTo(right, bottom);
    context.stroke();
    context.beginPath();
    context.moveTo(right, bottom);
    context.lineTo(right - 4, bottom - 7 * down);
    context.lineTo(right + 4, bottom - 7 * down);
    context.fill();
  }

  function frame(slice, colour) {
    const left = Math.max(LEFT, x(slice.begin)), right = Math.min(width - RIGHT, x(slice.end));
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.strokeRect(left - 1, slice.row.y + 1, Math.max(3, right - left + 2), ROW - 2);
  }

  function draw() {
    asked = false;
    const scale = window.devicePixelRatio || 1;
    width = canvas.clientWidth;
    canvas.style.height = height + "px";
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = colours.ground;
    context.fillRect(0, 0, width, height);
    context.font = "12px system-ui, 'DejaVu Sans', sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "left";
    for (const time of ticks()) {
      context.fillStyle = colours.line;
      context.fillRect(x(time), AXIS - 4, 1, height);
      context.textAlign = "center";
      const at = Math.min(width - 34, Math.max(LEFT + 16, x(time)));
      label(us(time).replace(/\.?0+ µs/, " µs"), at, 10, colours.dim);
      context.textAlign = "left";
    }
    for (const row of rows) {
      if (row.kind === "track") { drawTrack(row); }
      if (row.kind === "gm") { drawGm(row); }
      if (row.kind === "ub") { drawUb(row); }
      if (row.kind === "head") {
        context.fillStyle = colours.card;
        context.fillRect(0, row.y + 2, width, HEAD - 4);
        context.font = "600 12px system-ui, 'DejaVu Sans', sans-serif";
        label(row.text, 8, row.y + HEAD / 2, colours.ink);
        context.font = "12px system-ui, 'DejaVu Sans', sans-serif";
      }
    }
    const shown = [...new Set([kept, hover])].filter((slice) => slice !== null);
    context.save();
    context.beginPath();
    context.rect(LEFT - 2, 0, width - LEFT, height);
    context.clip();
    for (const slice of shown) {
      (arrows.get(slice.id) || []).slice(0, 64).forEach(drawArrow);
      frame(slice, slice === kept ? colours.accent : colours.ink);
    }
    context.restore();
    document.documentElement.dataset.slices = String(slices.length);
  }

  function ask() {
    if (!asked) {
      asked = true;
      requestAnimationFrame(draw);
    }
  }

  function zoom(factor, at) {
    const least = Math.min(span, 20);
    const range = Math.min(span, Math.max(least, (to - from) * factor));
    const share = (at - from) / (to - from);
    from = Math.min(span - range, Math.max(0, at - share * range));
    to = from + range;
    ask();
  }

  function move(by) {
    const range = to - from;
    from = Math.min(span - range, Math.max(0, from + by));
    to = from + range;
    ask();
  }

  function act(what) {
    const middle = (from + to) / 2;
    if (what === "in") { zoom(0.6, middle); }
    if (what === "out") { zoom(1 / 0.6, middle); }
    if (what === "left") { move(-(to - from) / 4); }
    if (what === "right") { move((to - from) / 4); }
    if (what === "all") { zoom(Infinity, middle); }
  }

  function sliceAt(px, py) {
    const row = rows.find((each) => each.kind === "track" && py >= each.y && py < each.y + ROW);
    if (!row || px < LEFT || px > width - RIGHT) { return null; }
    const time = timeAt(px), near = (to - from) / width * 3;
    let best = null;
    for (let i = row.track.first; i < row.track.last; ++i) {
      const slice = slices[i];
      if (slice.begin > time + near) { break; }
      if (slice.begin <= time && time < slice.end) { return slice; }
      const away = Math.min(Math.abs(slice.begin - time), Math.abs(slice.end - time));
      if (away <= near && (best === null || away < best.away)) { best = { slice, away }; }
    }
    return best === null ? null : best.slice;
  }

  function showTip(event, slice) {
    tip.hidden = slice === null;
    if (slice === null) { return; }
    tip.textContent = words(slice);
    const box = canvas.getBoundingClientRect();
    const px = event.clientX - box.left, py = event.clientY - box.top;
    tip.style.left = Math.max(0, Math.min(px + 14, box.width - tip.offsetWidth - 4)) + "px";
    tip.style.top = (py + 18 + tip.offsetHeight > box.height && py - tip.offsetHeight > 10
      ? py - tip.offsetHeight - 10 : py + 18) + "px";
  }

  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (drag !== null && event.buttons !== 0) {
      const by = event.clientX - drag.x;
      if (drag.moved || Math.abs(by) > 3) {
        drag = { x: event.clientX, moved: true };
        tip.hidden = true;
        move(-by / (width - LEFT - RIGHT) * (to - from));
      }
      return;
    }
    const found = sliceAt(event.offsetX, event.offsetY);
    if (found !== hover) {
      hover = found;
      ask();
    }
    showTip(event, found);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (drag !== null && !drag.moved) {
      kept = sliceAt(event.offsetX, event.offsetY);
      picked.hidden = kept === null;
      picked.textContent = kept === null ? "" : words(kept);
      ask();
    }
    drag = null;
  });
  canvas.addEventListener("pointerleave", () => {
    hover = null;
    tip.hidden = true;
    ask();
  });
  canvas.addEventListener("dblclick", (event) => zoom(0.4, timeAt(event.offsetX)));
  canvas.addEventListener("wheel", (event) => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      zoom(Math.exp(event.deltaY / 300), timeAt(event.offsetX));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      move((event.deltaX || event.deltaY) / width * (to - from));
    }
  }, { passive: false });
  const KEYS = { "+": "in", "=": "in", "-": "out", "_": "out", ArrowLeft: "left", ArrowRight: "right", 0: "all" };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS)) { return; }
    event.preventDefault();
    act(KEYS[event.key]);
  });
  for (const button of document.querySelectorAll("button[data-do]")) {
    button.addEventListener("click", () => act(button.dataset.do));
  }

  function restyle() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ground", "card", "ink", "dim", "line", "accent", "S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"]) {
      colours[name] = style.getPropertyValue("--" + name).trim();
    }
    ask();
  }
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);
  window.addEventListener("resize", ask);
  restyle();
  draw();
})();

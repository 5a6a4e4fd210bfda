// The page: passes input to live.wasm, and shows its pixels.

import { listen } from "./input.js";

// The lists of `text` in src/lib.rs.
const SCENE_NAME = 0;
const SCENE_ABOUT = 1;
const OVERLAY_NAME = 2;
const OVERLAY_ABOUT = 3;
const QUERY_NAME = 4;

// At first: what most phones step within a frame.
const BODIES = 20_000;
// The panel covers half of a narrower canvas.
const PANEL_WIDTH_MIN = 760;
// A comparison runs once the scene has been the same for this long.
const COMPARE_AFTER_MS = 1500;

const element = (id) => document.getElementById(id);
const canvas = element("canvas");
const context = canvas.getContext("2d", { alpha: false });

let wasm;

function text(list, index) {
  const length = wasm.text(list, index);
  const bytes = new Uint8Array(wasm.memory.buffer, wasm.text_address(), length);
  return new TextDecoder().decode(bytes);
}

function texts(list) {
  const all = [];
  for (let name = text(list, 0); name !== ""; name = text(list, all.length)) all.push(name);
  return all;
}

async function load() {
  const imports = { host: { now: () => performance.now() } };
  const response = await fetch(new URL("live.wasm", import.meta.url));
  if (!response.ok) throw new Error(`live.wasm: ${response.status} ${response.statusText}; was it built?`);
  const { instance } = await WebAssembly.instantiate(await response.arrayBuffer(), imports);
  wasm = instance.exports;
}

// The canvas has a pixel for each CSS pixel: its text is as large as that of the page.
function size() {
  return [Math.max(1, canvas.clientWidth), Math.max(1, canvas.clientHeight)];
}

function draw() {
  const [width, height] = size();
  wasm.resize(width, height);
  wasm.frame();
  const [drawnWidth, drawnHeight] = [wasm.width(), wasm.height()];
  if (canvas.width !== drawnWidth || canvas.height !== drawnHeight) {
    [canvas.width, canvas.height] = [drawnWidth, drawnHeight];
  }
  // Memory may have moved since the last frame.
  const pixels = new Uint8ClampedArray(wasm.memory.buffer, wasm.pixels(), 4 * drawnWidth * drawnHeight);
  context.putImageData(new ImageData(pixels, drawnWidth, drawnHeight), 0, 0);
}

// Controls

function fillSelect(id, names, abouts) {
  names.forEach((name, index) => {
    const option = new Option(name, index);
    option.title = abouts?.[index] ?? "";
    element(id).add(option);
  });
}

function addControls() {
  fillSelect("scene", texts(SCENE_NAME), texts(SCENE_ABOUT));
  fillSelect("query", texts(QUERY_NAME));
  const abouts = texts(OVERLAY_ABOUT);
  texts(OVERLAY_NAME).forEach((name, index) => {
    const button = document.createElement("button");
    Object.assign(button, { textContent: name, title: `${index + 1}: ${abouts[index]}` });
    button.dataset.key = String(index + 1);
    element("overlays").append(button);
  });
  for (const button of document.querySelectorAll("button[data-key]")) {
    button.addEventListener("click", () => {
      press(button.dataset.key);
      canvas.focus(); // further keys are not for the button
    });
  }
  for (const id of ["scene", "bodies", "moving", "bound"]) {
    element(id).addEventListener("change", () => {
      const [scene, bodies, moving, bound] = ["scene", "bodies", "moving", "bound"].map((id) => Number(element(id).value));
      wasm.apply(scene, bodies, moving, bound);
      showState();
      canvas.focus();
    });
  }
  element("query").addEventListener("change", () => {
    wasm.set_query(Number(element("query").value));
    canvas.focus();
  });
  element("compare").addEventListener("click", compare);
}

function press(key) {
  const isKnown = wasm.key(key.codePointAt(0));
  if (isKnown) showState();
  return isKnown;
}

function choose(id, value) {
  const select = element(id);
  // A key may have chosen what the list does not have.
  if (![...select.options].some((option) => Number(option.value) === value)) select.add(new Option(value, value));
  select.value = [...select.options].find((option) => Number(option.value) === value).value;
}

let compared = "";
let timer;

// Shows what keys and controls have changed.
function showState() {
  for (const id of ["scene", "bodies", "moving", "bound", "query"]) choose(id, wasm[id]());
  const on = wasm.overlays();
  [...element("overlays").children].forEach((button, index) => button.classList.toggle("on", ((on >> index) & 1) === 1));
  element("pause").classList.toggle("on", wasm.is_paused() !== 0);
  const world = `${wasm.scene()} ${wasm.bodies()}`;
  if (world !== compared) {
    compared = world;
    element("figures").textContent = "measuring";
    clearTimeout(timer);
    timer = setTimeout(compare, COMPARE_AFTER_MS);
  }
}

// Comparison

function milliseconds(time) {
  if (time >= 1000) return `${(time / 1000).toPrecision(2)} s`;
  return `${time.toPrecision(time < 10 ? 2 : 3)} ms`;
}

function compare() {
  clearTimeout(timer);
  const agrees = wasm.compare() !== 0;
  const [bodies, pairs, triphase, grid, brute, few, bruteOfFew] = [0, 1, 2, 3, 4, 5, 6].map((k) => wasm.figure(k));
  const count = (number) => number.toLocaleString("en-US");
  const times = (time) => `${count(Number((time / triphase).toPrecision(2)))} times`;
  const scaled = few < bodies ? `, scaled from ${milliseconds(bruteOfFew)} for ${count(few)} of them` : "";
  const figures = [
    `This browser, one thread, all ${count(pairs)} pairs of ${count(bodies)} bodies:`,
    `<b>triphase ${milliseconds(triphase)}</b>,`,
    `a plain grid ${milliseconds(grid)} (${times(grid)}),`,
    `brute force ${milliseconds(brute)} (${times(brute)}${scaled}).`,
  ];
  if (!agrees) figures.push("They found different pairs!");
  element("figures").innerHTML = figures.join(" ");
}

// Start

function show(error) {
  element("figures").textContent = String(error);
  console.error(error);
}

function loop() {
  try {
    draw();
  } catch (error) {
    return show(error);
  }
  requestAnimationFrame(loop);
}

try {
  await load();
  const parameters = new URLSearchParams(location.search);
  const scene = Math.max(0, texts(SCENE_NAME).indexOf(parameters.get("scene") ?? ""));
  const bodies = Number(parameters.get("bodies") ?? BODIES) || BODIES;
  if (!wasm.start(...size(), scene, bodies)) throw new Error("the world rejects this scene");
  wasm.set_panel(size()[0] >= PANEL_WIDTH_MIN);
  wasm.key("f".codePointAt(0));
  addControls();
  listen(canvas, wasm, press);
  showState();
  loop();
  globalThis.live = wasm; // for tests, and for those who open the console
} catch (error) {
  show(error);
}

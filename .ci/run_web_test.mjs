// Tests the page in web/ in a headless browser, through its debugging pipe:
//
//   node run_web_test.mjs FOLDER PICTURES SCENE:BODIES:FRAMES:HASH...
//
// The page must load, step, and react to keys, wheel, mouse and touch; the hashes of its pairs must
// be the given ones; its three ways to find pairs must agree; and nothing may be reported as an
// error. Writes two pictures of it to the folder PICTURES. BROWSER is the program, `chromium` if
// not set.

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";

const SECONDS_MAX = 180;
const [folder, pictures, ...hashes] = process.argv.slice(2);
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };

// A static host.
const server = createServer(async (request, response) => {
  const path = new URL(request.url, "http://localhost").pathname;
  const name = path === "/" ? "index.html" : path.slice(1);
  const content = /^[\w.]+$/.test(name) ? await readFile(join(folder, name)).catch(() => null) : null;
  if (content === null) return response.writeHead(404).end();
  response.setHeader("content-type", types[extname(name)] ?? "text/plain");
  response.end(content);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const profile = await mkdtemp(join(tmpdir(), "triphase-web-"));
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe"];
const browser = spawn(process.env.BROWSER ?? "chromium", [...flags, `--user-data-dir=${profile}`, "about:blank"], {
  stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
});
const closed = new Promise((resolve) => browser.on("close", resolve));
const failed = new Promise((_, reject) => {
  browser.on("error", reject);
  setTimeout(() => reject(new Error(`not done after ${SECONDS_MAX} s`)), SECONDS_MAX * 1000).unref();
});

// The protocol: messages of JSON, each ended by a zero byte.
const errors = [];
const waiting = new Map();
let received = "";
browser.stdio[4].setEncoding("utf8").on("data", (data) => {
  received += data;
  const messages = received.split("\0");
  received = messages.pop();
  messages.forEach((message) => receive(JSON.parse(message)));
});

function receive({ id, result, error, method, params }) {
  if (id !== undefined) {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    return error ? reject(new Error(error.message)) : resolve(result);
  }
  if (method === "Runtime.exceptionThrown") errors.push(params.exceptionDetails.exception?.description ?? params);
  if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type)) {
    errors.push(params.args.map((argument) => argument.description ?? argument.value).join(" "));
  }
  if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level)) errors.push(params.entry.text);
}

let lastId = 0;
let sessionId;
function send(method, params = {}) {
  const id = ++lastId;
  browser.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

async function evaluate(expression) {
  const { result, exceptionDetails } = await send("Runtime.evaluate", { expression, returnByValue: true });
  if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description}`);
  return result.value;
}

async function until(expression, what) {
  for (let tries = 0; tries < 300; tries++) {
    if (await evaluate(expression)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${what}: still not ${expression}; errors: ${errors.join("; ")}`);
}

function check(isTrue, what) {
  if (!isTrue) throw new Error(what);
  console.log(`ok: ${what}`);
}

async function load(parameters, width, height, isPhone) {
  await send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: isPhone });
  await send("Emulation.setTouchEmulationEnabled", { enabled: isPhone });
  await send("Page.navigate", { url: `http://127.0.0.1:${server.address().port}/${parameters}` });
  await until("globalThis.live !== undefined && live.step_number() > 20", "the page runs");
}

async function takePicture(name) {
  const { data } = await send("Page.captureScreenshot", { format: "png" });
  await writeFile(join(pictures, name), Buffer.from(data, "base64"));
}

async function testInput() {
  for (const key of ["1", "2", "7", "q", "q"]) {
    const code = key.toUpperCase().codePointAt(0);
    await send("Input.dispatchKeyEvent", { type: "keyDown", text: key, key, windowsVirtualKeyCode: code });
    await send("Input.dispatchKeyEvent", { type: "keyUp", key, windowsVirtualKeyCode: code });
  }
  check((await evaluate("live.overlays()")) === 0b1000011, "keys switch overlays");
  check((await evaluate("document.querySelectorAll('#overlays .on').length")) === 3, "buttons show what is on");
  const query = await evaluate("document.getElementById('query').selectedOptions[0].text");
  check(query === "circle", `the second query is ${query}`);

  const [x, y] = [700, 400];
  let before = await evaluate("live.scale()");
  await send("Input.dispatchMouseEvent", { type: "mouseWheel", x, y, deltaX: 0, deltaY: -400 });
  await until(`live.scale() > 1.4 * ${before}`, "the wheel zooms");
  before = await evaluate("live.middle(0)");
  const mouse = (type, x) => send("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons: 1, clickCount: 1 });
  await mouse("mousePressed", x);
  await mouse("mouseMoved", x - 100);
  await mouse("mouseReleased", x - 100);
  const moved = ((await evaluate("live.middle(0)")) - before) * (await evaluate("live.scale()"));
  check(Math.abs(moved - 100) < 1, `dragging by 100 pixels moves the world by ${moved.toFixed(1)}`);
}

async function testTouch() {
  const touch = (type, ...points) =>
    send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
  const scale = await evaluate("live.scale()");
  await touch("touchStart", [150, 500], [250, 500]);
  await touch("touchMove", [120, 500], [280, 500]);
  await touch("touchMove", [100, 500], [300, 500]);
  await touch("touchEnd");
  const ratio = (await evaluate("live.scale()")) / scale;
  check(Math.abs(ratio - 2) < 0.05, `two fingers twice as far apart zoom by ${ratio.toFixed(2)}`);
  const middle = await evaluate("live.middle(1)");
  await touch("touchStart", [200, 400]);
  await touch("touchMove", [200, 480]);
  await touch("touchEnd");
  const moved = ((await evaluate("live.middle(1)")) - middle) * (await evaluate("live.scale()"));
  check(Math.abs(moved - 80) < 1, `one finger moves the world by ${moved.toFixed(1)} of 80 pixels`);
}

async function testHashes() {
  for (const expected of hashes) {
    const [scene, bodies, frames, hash] = expected.split(":");
    const index = `[...document.getElementById("scene").options].findIndex((option) => option.text === "${scene}")`;
    const found = await evaluate(`BigInt.asUintN(64, live.pair_hash(${index}, ${bodies}, ${frames})).toString(16)`);
    check(found.padStart(16, "0") === hash, `${scene}, ${bodies} bodies: pairs of ${frames} frames as natively, ${hash}`);
  }
}

async function test() {
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  sessionId = (await send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
  await Promise.all(["Runtime.enable", "Log.enable", "Page.enable"].map((method) => send(method)));

  await load("", 1280, 800, false);
  check(true, "the page loads and steps");
  await until("live.phase_time() > 0", "phases are measured");
  check(true, "phases of steps are measured");
  await testHashes();
  await testInput();
  await until("document.getElementById('figures').textContent.startsWith('This browser')", "the comparison");
  const figures = await evaluate("document.getElementById('figures').textContent");
  check(!figures.includes("different"), figures);
  await takePicture("web.png");

  await load("?scene=castles&bodies=10000", 390, 844, true);
  await testTouch();
  await takePicture("web-phone.png");
  check(errors.length === 0, `no errors or warnings on the console ${errors.join("; ")}`);
  console.log(`pictures: ${join(pictures, "web.png")}, ${join(pictures, "web-phone.png")}`);
}

try {
  await Promise.race([test(), failed]);
} catch (error) {
  console.error(`FAILED: ${error.message}`);
  if (errors.length > 0) console.error(`reported by the page: ${errors.join("; ")}`);
  process.exitCode = 1;
}
server.close();
browser.kill();
await closed;
await rm(profile, { recursive: true, force: true, maxRetries: 5 });
process.exit();

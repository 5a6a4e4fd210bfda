// Measures a module in a headless browser: node browser.mjs MODULE [BODIES [FRAMES [portable]]]
//
// Serves the page to this machine only, until it posts its result. BROWSER is the program,
// `chromium` if not set.

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SECONDS_MAX = 120;
const [module, bodies = "100000", frames = "300", level = ""] = process.argv.slice(2);
const files = {
  "/": [new URL("index.html", import.meta.url), "text/html"],
  "/measure.mjs": [new URL("measure.mjs", import.meta.url), "text/javascript"],
  "/module.wasm": [module, "application/wasm"],
};

let posted;
const result = new Promise((resolve) => (posted = resolve));
const server = createServer(async (request, response) => {
  const path = new URL(request.url, "http://localhost").pathname;
  if (request.method === "POST") {
    let body = "";
    for await (const chunk of request) body += chunk;
    response.end();
    posted(body);
  } else if (path in files) {
    const [file, type] = files[path];
    response.setHeader("content-type", type);
    response.end(await readFile(file));
  } else {
    response.writeHead(404).end();
  }
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const profile = await mkdtemp(join(tmpdir(), "triphase-browser-"));
const page = `http://127.0.0.1:${server.address().port}/?bodies=${bodies}&frames=${frames}&level=${level}`;
const flags = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`, page];
const browser = spawn(process.env.BROWSER ?? "chromium", flags, { stdio: "ignore" });
browser.on("error", (error) => posted(String(error)));
const timer = setTimeout(() => posted(`no result after ${SECONDS_MAX} s`), SECONDS_MAX * 1000);

const text = await result;
console.log(text);
clearTimeout(timer);
server.close();
const closed = new Promise((resolve) => browser.on("close", resolve));
browser.kill();
await closed;
await rm(profile, { recursive: true, force: true, maxRetries: 5 });
process.exit(text.startsWith("{") ? 0 : 1);

// Measures a module in a headless browser, or the one with threads that threads/build has built:
//
//   node browser.mjs MODULE [BODIES [FRAMES [portable]]]
//   node browser.mjs threads [BODIES [FRAMES [THREADS]]]
//
// Serves the page to this machine only, until it posts its result. BROWSER is the program,
// `chromium` if not set.

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const SECONDS_MAX = 120;
const [module, bodies = "100000", frames = "300", option = ""] = process.argv.slice(2);
const folder = fileURLToPath(new URL(".", import.meta.url));
const [page, files] = module === "threads" ? ["threads/", {}] : ["", { "module.wasm": module }];
const types = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };

let posted;
const result = new Promise((resolve) => (posted = resolve));
const server = createServer(async (request, response) => {
  const path = new URL(request.url, "http://localhost").pathname.slice(1);
  const file = files[path] ?? join(folder, path.replace(/^$|\/$/, "$&index.html"));
  // Without these, a page has no shared memory.
  response.setHeader("cross-origin-opener-policy", "same-origin");
  response.setHeader("cross-origin-embedder-policy", "require-corp");
  if (request.method === "POST") {
    let body = "";
    for await (const chunk of request) body += chunk;
    response.end();
    posted(body);
    return;
  }
  const content = await readFile(file).catch(() => null);
  if (content === null) return response.writeHead(404).end();
  response.setHeader("content-type", types[extname(file)] ?? "text/plain");
  response.end(content);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const profile = await mkdtemp(join(tmpdir(), "triphase-browser-"));
const query = new URLSearchParams({ bodies, frames, option });
const url = `http://127.0.0.1:${server.address().port}/${page}?${query}`;
const flags = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`, url];
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

// Measures the steps on as many threads as its message says.

import init, { initThreadPool } from "./pkg/triphase_wasm_threads.js";
import { measure } from "../measure.mjs";

onmessage = async ({ data: { bodies, frames, option } }) => {
  const threads = Number(option || navigator.hardwareConcurrency);
  let result;
  try {
    const exports = await init();
    await initThreadPool(threads);
    result = JSON.stringify({ threads, ...measure(exports, { bodies: Number(bodies), frames: Number(frames) }) });
  } catch (error) {
    result = String(error);
  }
  postMessage(result);
};

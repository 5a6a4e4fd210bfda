// Measures the steps of a module: for node (run.mjs), for the page (index.html) and for the worker of
// threads/index.html.
//
// Only the second half of the frames counts: until then, engines run code that is compiled fast
// instead of well. main.rs does the same.

export async function load(bytes) {
  return (await WebAssembly.instantiate(bytes)).instance.exports;
}

export function measure(exports, { bodies = 100_000, frames = 300, portable = false } = {}) {
  const { start, step, advance, order_hash, memory } = exports;
  start(bodies, Number(portable));
  const times = [];
  let pairs = 0;
  for (let frame = 0; frame < frames; frame++) {
    const begin = performance.now();
    pairs += step();
    const time = ((performance.now() - begin) * 1e6) / bodies;
    if (frame >= Math.floor(frames / 2)) times.push(time);
    advance();
  }
  times.sort((a, b) => a - b);
  return {
    bodies,
    frames,
    pairs,
    ns_per_body_min: Number(times[0].toFixed(1)),
    ns_per_body_median: Number(times[Math.floor(times.length / 2)].toFixed(1)),
    pair_order_hash: BigInt.asUintN(64, order_hash()).toString(16).padStart(16, "0"),
    memory_mib: memory.buffer.byteLength / 2 ** 20,
  };
}

// Runs a test program that was built for wasm32-unknown-unknown, which has neither arguments nor
// output. A test that fails stops the program; its message is then in the program's memory, where
// the test harness captured it.
import { readFileSync } from "node:fs";

Error.stackTraceLimit = 50;
const [path] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(readFileSync(path));
const start = performance.now();
try {
    process.exitCode = instance.exports.main(0, 0);
} catch (error) {
    const memory = Buffer.from(instance.exports.memory.buffer).toString("latin1");
    for (const [message] of memory.matchAll(/panicked at [\w./-]+:\d+:\d+:\n[^\0]{1,8000}/g)) {
        console.error(message);
    }
    throw error;
}
const seconds = ((performance.now() - start) / 1000).toFixed(1);
console.log(`${path.split("/").pop()}: exit code ${process.exitCode} after ${seconds} s`);

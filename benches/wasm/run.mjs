// Measures a module in node: node run.mjs MODULE [BODIES [FRAMES [portable]]]

import { readFile } from "node:fs/promises";
import { load, measure } from "./measure.mjs";

const [module, bodies, frames, level] = process.argv.slice(2);
const options = { bodies: Number(bodies ?? 100_000), frames: Number(frames ?? 300), portable: level === "portable" };
console.log(JSON.stringify(measure(await load(await readFile(module)), options)));

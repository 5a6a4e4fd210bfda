// Pointer, wheel and keys: one finger or button drags, two fingers zoom, the pointer asks.

const WHEEL_ZOOM = 1.0015;
const KEY_PAN = 40;
const KEY_ZOOM = 1.15;
const WHEEL_PIXELS_MAX = 300;
// Pixels of a line, for browsers that count lines of the wheel.
const LINE = 33;

export function listen(canvas, wasm, press) {
  const pointers = new Map();
  const position = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  // The middle of all pointers that are down, and their distance.
  const grip = () => {
    const all = [...pointers.values()];
    const middle = [0, 1].map((axis) => all.reduce((sum, at) => sum + at[axis], 0) / all.length);
    const spread = all.length > 1 ? Math.hypot(all[0][0] - all[1][0], all[0][1] - all[1][1]) : 0;
    return { middle, spread };
  };

  canvas.addEventListener("pointerdown", (event) => {
    canvas.focus();
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, position(event));
    wasm.point(...position(event));
  });

  canvas.addEventListener("pointermove", (event) => {
    wasm.point(...position(event));
    if (!pointers.has(event.pointerId)) return;
    const before = grip();
    pointers.set(event.pointerId, position(event));
    const after = grip();
    wasm.pan(after.middle[0] - before.middle[0], after.middle[1] - before.middle[1]);
    if (before.spread > 0 && after.spread > 0) wasm.zoom(...after.middle, after.spread / before.spread);
  });

  for (const end of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
  }
  // A query stays where a finger was.
  canvas.addEventListener("pointerleave", (event) => event.pointerType === "touch" || wasm.leave());

  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * LINE;
      const limited = Math.max(-WHEEL_PIXELS_MAX, Math.min(WHEEL_PIXELS_MAX, pixels));
      wasm.zoom(...position(event), WHEEL_ZOOM ** -limited);
    },
    { passive: false },
  );

  window.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLSelectElement || event.target instanceof HTMLButtonElement;
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    const middle = [canvas.clientWidth / 2, canvas.clientHeight / 2];
    const moves = {
      ArrowLeft: () => wasm.pan(KEY_PAN, 0),
      ArrowRight: () => wasm.pan(-KEY_PAN, 0),
      ArrowUp: () => wasm.pan(0, KEY_PAN),
      ArrowDown: () => wasm.pan(0, -KEY_PAN),
      PageUp: () => wasm.zoom(...middle, KEY_ZOOM),
      PageDown: () => wasm.zoom(...middle, 1 / KEY_ZOOM),
    };
    if (moves[event.key]) moves[event.key]();
    else if ([...event.key].length !== 1 || !press(event.key)) return;
    event.preventDefault();
  });
}

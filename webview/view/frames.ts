/** Blocks are drawn, or what lies over them is painted, once in the next frame. */
export function framesOf(drawBlocks: () => void, paintOver: () => void) {
  let scheduled = false;
  let wantsBlocks = false;
  function paint(): void {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      if (wantsBlocks) drawNow();
      else paintOver();
    });
  }
  function drawNow(): void {
    wantsBlocks = false;
    drawBlocks();
  }
  return {
    paint,
    draw(): void {
      wantsBlocks = true;
      paint();
    },
    drawNow,
  };
}

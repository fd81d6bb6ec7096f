import type { Run } from '../schedule/evaluation.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { eachBlock } from './blocks.ts';
import { fontSize, type Sheet } from './sheet.ts';

/** Which rows show the numbers of their microbatches, and at which size: a row shows all of them or none. */
export interface Labels {
  readonly size: number;
  readonly rows: readonly boolean[];
}

const sizes = [fontSize, 6, 5];
const digitWidth = 0.64;

/** If more than a quarter of the rows have a block that is too narrow for its number, no row shows any. */
export function labelsOf(plan: PipelinePlan, run: Run, sheet: Sheet): Labels {
  const none: Labels = { size: fontSize, rows: plan.devices.map(() => false) };
  const narrowest = new Float64Array(plan.devices.length).fill(Number.POSITIVE_INFINITY);
  const halved = new Uint8Array(plan.devices.length);
  let highest = 0;
  const scale = (sheet.right - sheet.left) / sheet.seconds;
  eachBlock(plan, run, ({ device, start, end, microbatch, until, labelled, half }) => {
    if (microbatch < 0) return;
    if (half !== 'whole') halved[device] = 1;
    const from = labelled === 0 ? 0 : (until[labelled - 1] ?? 0);
    const width = (end - start) * ((until[labelled] ?? 1) - from) * scale;
    if (width > 0 && width < (narrowest[device] ?? 0)) narrowest[device] = width;
    if (microbatch > highest) highest = microbatch;
  });
  const digits = String(highest).length;
  for (const size of sizes) {
    if (sheet.row < size + 1) continue;
    const rows = Array.from(narrowest, (width, device) => {
      const high = sheet.row / (halved[device] === 1 ? 2 : 1);
      return width >= digits * digitWidth * size + 0.8 && high >= size + 1;
    });
    if (rows.filter((shown) => !shown).length * 4 <= rows.length) return { size, rows };
  }
  return none;
}

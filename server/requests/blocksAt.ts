import type { Searches } from '../../engine/basics/searches.ts';
import { nodeAt } from '../../grammar/index.ts';
import type { BlocksAnswer, BlocksRequest, WrittenBlocks } from '../../webview/protocol/requests.ts';
import { base64 } from '../../platform/common/base64.ts';
import { toOffset } from '../text/convert.ts';
import { operationsOf, writingTexts } from '../text/writers.ts';
import type { View } from '../view.ts';
import { triedResolution } from './plan.ts';
import { withShown } from './shownSchedules.ts';

/** Operations above which no blocks are marked: finding them would take seconds. */
export const mostMarked = 2_000_000;

/** Operations that the text at a position writes, in each pipeline of the file that uses its schedule. A step for each device. */
export function* blocksAt(
  view: View,
  { position, overrides }: BlocksRequest,
  searches: Searches,
): Generator<void, BlocksAnswer, void> {
  const around = nodeAt(view.syntax, toOffset(view.lines, position));
  if (!around.some((node) => node.kind === 'block' && node.keyword.text === 'schedule')) return [];
  const { plan, tracers } = withShown(view, triedResolution(view, { overrides }, searches), overrides);
  const found: WrittenBlocks[] = [];
  for (const { name: pipeline, schedule } of plan.pipelines) {
    const tracer = tracers.get(pipeline);
    if (schedule.kind !== 'rows' || tracer?.uri !== view.uri) continue;
    const texts = writingTexts(tracer, around);
    if (texts.length === 0) continue;
    const operations = operationsOf(schedule.rows);
    if (operations > mostMarked) {
      found.push({ pipeline, operations });
      continue;
    }
    const rows: string[] = [];
    for (const device of schedule.rows.keys()) {
      yield;
      rows.push(bitsOf(tracer.written(device, texts)));
    }
    found.push({ pipeline, operations, rows });
  }
  return found;
}

/** One bit for each mark, in base64; empty where none is set. */
function bitsOf(marks: Uint8Array): string {
  if (!marks.includes(1)) return '';
  const bits = new Uint8Array(Math.ceil(marks.length / 8));
  for (const [at, mark] of marks.entries()) bits[at >> 3] |= mark << (at & 7);
  return base64(bits);
}

import type { Range } from '../../grammar/syntax.ts';
import { phraseOf } from '../language/units.ts';
import { depthOf, type NumberCode, type RangeCode, usesOf } from './code.ts';
import { compileNumber } from './operands.ts';
import { createReporter } from '../findings/reporter.ts';
import { type Frame, newFrame, outside } from './frame.ts';
import type { Names } from './names.ts';

/** `a..b`, `a..<b`, with or without a step. */
export function rangeOf(names: Names, node: Range): RangeCode | undefined {
  const from = wholeEnd(names, node, 'from');
  const to = wholeEnd(names, node, 'to');
  const step = node.step === undefined ? undefined : compileNumber(names, node.step, 'number');
  if (from === undefined || to === undefined || (node.step !== undefined && step === undefined)) return undefined;
  const parts = step === undefined ? [from, to] : [from, to, step];
  const uses = usesOf(parts);
  const depth = depthOf(parts);
  const { exclusive } = node;
  const last = exclusive ? 0 : 1;
  if (step === undefined) {
    const count = (frame: Frame): number => {
      const first = from.at(frame);
      const found = to.at(frame) - first + last;
      if (!Number.isSafeInteger(first) || !Number.isSafeInteger(found)) return notWhole(frame, node, first, found);
      frame.first = first;
      frame.step = 1;
      if (found < 0) warnBackwards(frame, node, first, first + found - last);
      return found > 0 ? found : 0;
    };
    // Ends that are numbers need no pipeline to be wrong.
    const unknown = newFrame(new Float64Array(names.slots.size).fill(NaN), createReporter('', 0), {
      operations: 10,
      schedule: '',
    });
    if (!Number.isNaN(from.at(unknown)) && !Number.isNaN(to.at(unknown)))
      count({ ...unknown, report: names.context.report });
    return { kind: 'range', uses, depth, node, count };
  }
  const count = (frame: Frame): number => {
    const first = from.at(frame);
    const distance = to.at(frame) - first;
    const by = step.at(frame);
    if (!Number.isSafeInteger(first) || !Number.isSafeInteger(distance)) return notWhole(frame, node, first, distance);
    if (!Number.isSafeInteger(by) || by === 0) {
      outside(frame, node.step ?? node, 'The step', String(by), 'a whole number other than 0');
      return 0;
    }
    frame.first = first;
    frame.step = by;
    const turns = exclusive ? Math.ceil(distance / by) : Math.floor(distance / by) + 1;
    return turns > 0 ? turns : 0;
  };
  return { kind: 'range', uses, depth, node, count };
}

/** One end, a plain number. */
function wholeEnd(names: Names, node: Range, end: 'from' | 'to'): NumberCode | undefined {
  const code = compileNumber(names, node[end]);
  if (code === undefined || code.dimension === 'number') return code;
  names.context.report.report('type/mismatch', node, {
    expected: 'a range of whole numbers',
    found: `a range of ${phraseOf[code.dimension]}`,
  });
  return undefined;
}

function notWhole(frame: Frame, node: Range, first: number, found: number): number {
  const from = Number.isSafeInteger(first);
  const at = from ? node.to : node.from;
  outside(
    frame,
    at,
    `The ${from ? 'end' : 'start'} of the range`,
    String(from ? first + found : first),
    'a whole number',
  );
  return 0;
}

/** A range without a step counts up. One that ends before it starts is probably meant to count down. */
function warnBackwards(frame: Frame, node: Range, from: number, to: number): void {
  if (frame.warned.has(node) || frame.failed) return;
  frame.warned.add(node);
  frame.report.report('value/backwards', node, { from, to }, { hint: { kind: 'insert', text: ' step -1' } });
}

import type { Argument, Index } from '../../grammar/syntax.ts';
import { spellingHint } from '../findings/reporter.ts';
import { letters, writtenLetters } from '../program.ts';
import { depthOf, type NumberCode, type SequenceCode, usesOf } from './code.ts';
import { compileNumber, wrong } from './operands.ts';
import { type Frame, outside } from './frame.ts';
import type { Names } from './names.ts';
import { add, addRun } from './operationList.ts';

const writable: readonly string[] = writtenLetters;
/** Largest number that a program holds. */
const largest = 2 ** 31 - 1;

/** `F[0]`, `B[0..<microbatches]`, `I[j, stage = 2]`, `W[j, chunk = 1]`. */
export function operation(names: Names, node: Index): SequenceCode | undefined {
  const { target } = node;
  if (!names.context.links.has(target)) return undefined;
  if (!writable.includes(target.text)) return wrong(names, node, '`F[…]`, `B[…]`, `I[…]` or `W[…]`');
  const [first, second, third] = node.arguments;
  if (first === undefined || first.name !== undefined || third !== undefined)
    return wrong(names, node, 'a microbatch, and at most a `stage = …` or `chunk = …`');
  const stage = second === undefined ? ownStage(node) : stageArgument(names, second);
  const microbatches = names.compile(first.value);
  if (stage === undefined || microbatches === undefined) return undefined;
  const kind = letters.findIndex((letter) => letter === target.text);
  const place = second === undefined ? [] : [stage];
  const depth = depthOf([microbatches, ...place]);
  if (microbatches.kind === 'range') {
    const { count, uses } = microbatches;
    const emit = (frame: Frame): void => {
      const length = count(frame);
      if (length === 0) return;
      const { first: from, step } = frame;
      const last = from + (length - 1) * step;
      const least = Math.min(from, last);
      const most = Math.max(from, last);
      if (least < 0 || most > largest) {
        if (least === from && least < 0) negative(frame, first, 'The first microbatch', from);
        else if (least < 0) negative(frame, first, 'The last microbatch', last);
        else negative(frame, first, 'The last microbatch', most);
        return;
      }
      const at = stage.at(frame);
      if (at >= 0) addRun(frame.out, kind, at, from, step, length);
    };
    return { kind: 'sequence', uses, depth, size: (frame) => Math.max(1, count(frame)), emit };
  }
  const index = microbatches.kind === 'number' ? compileNumber(names, first.value, 'number') : undefined;
  if (index === undefined)
    return microbatches.kind === 'number' ? undefined : wrong(names, first.value, 'a microbatch or a range of them');
  const emit = (frame: Frame): void => {
    const microbatch = index.at(frame);
    const at = stage.at(frame);
    if (!(microbatch >= 0 && microbatch <= largest && Number.isInteger(microbatch)))
      negative(frame, first, 'The microbatch', microbatch);
    else if (at >= 0) add(frame.out, kind, at, microbatch);
  };
  return { kind: 'sequence', uses: usesOf([]), depth, size: () => 1, emit };
}

const negative = (frame: Frame, { value }: Argument, what: string, found: number): number =>
  outside(
    frame,
    value,
    what,
    found.toLocaleString('en-US'),
    found > largest ? `at most ${largest.toLocaleString('en-US')}` : 'a whole number of at least 0',
  );

type StageCode = Pick<NumberCode, 'at' | 'uses' | 'depth'>;

/** The only stage of the row's device. */
function ownStage(node: Index): StageCode {
  const at = (frame: Frame): number => {
    const { stagesOf } = frame;
    if (stagesOf.length === 1) return stagesOf[0];
    if (!frame.failed)
      frame.report.report('type/mismatch', node, {
        expected: 'operations that name their stage, such as `F[0, stage = 2]` or `F[0, chunk = 1]`',
        found: stagesOf.length === 0 ? 'a device without a stage' : `a device with ${stagesOf.length} stages`,
      });
    frame.failed = true;
    return NaN;
  };
  return { uses: usesOf([]), depth: 0, at };
}

/** `stage = 2` is a stage of the cut, `chunk = 1` the second stage of the row's device. */
function stageArgument(names: Names, { name, value, start, end }: Argument): StageCode | undefined {
  const key = name?.text ?? '';
  if (key !== 'stage' && key !== 'chunk') {
    const nearest = names.context.report.nearest(key, ['stage', 'chunk']) ?? 'stage';
    names.context.report.report(
      'key/unknown',
      name ?? { start, end },
      { key, block: 'operation', nearest },
      { hint: spellingHint(nearest) },
    );
    return undefined;
  }
  const number = compileNumber(names, value, 'number');
  if (number === undefined) return undefined;
  const whole = (frame: Frame): number => {
    const found = number.at(frame);
    if (Number.isInteger(found) && found >= 0 && found <= largest) return found;
    return outside(frame, value, `The ${key}`, String(found), 'a whole number of at least 0');
  };
  if (key === 'stage') return { ...number, at: whole };
  const at = (frame: Frame): number => {
    const chunk = whole(frame);
    const { stagesOf } = frame;
    if (chunk < stagesOf.length || Number.isNaN(chunk)) return stagesOf[chunk];
    const allowed = stagesOf.length === 1 ? '0: the device has one stage' : `from 0 to ${stagesOf.length - 1}`;
    return outside(frame, value, 'The chunk', String(chunk), allowed);
  };
  return { ...number, at };
}

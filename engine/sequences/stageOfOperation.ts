/** The stage of an operation: named, a chunk of the row's device, or the only one there. */
import type { Argument, Index } from '../../grammar/syntax.ts';
import { type NumberCode, usesOf } from './code.ts';
import { compileNumber } from './operands.ts';
import { type Frame, outside } from './frame.ts';
import type { Names } from './names.ts';

interface StageCode extends Pick<NumberCode, 'uses' | 'depth'> {
  /** NaN where there is none, which has been reported. */
  readonly at: (frame: Frame, microbatch: number) => number;
}

/** Largest number that a program holds. */
const largest = 2 ** 31 - 1;

const here = ({ stagesOf, running }: Frame, microbatch: number): readonly number[] =>
  running === undefined ? stagesOf : running(microbatch);

/**
 * The only stage of the row's device; where stages have copies, the only one there that runs the microbatch. An operation that the
 * schedule declares belongs to the first of several.
 */
export function ownStage(node: Index, declared: boolean): StageCode {
  const at = (frame: Frame, microbatch: number): number => {
    const stages = here(frame, microbatch);
    if (stages.length === 1) return stages[0];
    const [first = frame.stagesOf[0]] = stages;
    if (declared && first !== undefined) return first;
    const runs = frame.running === undefined ? '' : ` for microbatch ${microbatch.toLocaleString('en-US')}`;
    const found = stages.length === 0 ? 'a device without a stage' : `a device with ${stages.length} stages`;
    if (!frame.failed)
      frame.report.report('type/mismatch', node, {
        expected: 'operations that name their stage, such as `F[0, stage = 2]` or `F[0, chunk = 1]`',
        found: `${found}${runs}`,
      });
    frame.failed = true;
    return NaN;
  };
  return { uses: usesOf([]), depth: 0, at };
}

/** `stage = 2` is a stage of the cut; `chunk = 1` the second of the stages of the row's device that run the microbatch. */
export function stageArgument(names: Names, { name, value }: Argument): StageCode | undefined {
  const key = name?.text ?? '';
  const number = compileNumber(names, value, 'number');
  if (number === undefined) return undefined;
  const whole = (frame: Frame): number => {
    const found = number.at(frame);
    if (Number.isInteger(found) && found >= 0 && found <= largest) return found;
    return outside(frame, value, `The ${key}`, String(found), 'a whole number of at least 0');
  };
  if (key === 'stage') return { ...number, at: whole };
  const at = (frame: Frame, microbatch: number): number => {
    const chunk = whole(frame);
    const stages = here(frame, microbatch);
    if (chunk < stages.length || Number.isNaN(chunk)) return stages[chunk];
    const allowed = stages.length === 1 ? '0: the device has one stage' : `from 0 to ${stages.length - 1}`;
    return outside(frame, value, 'The chunk', String(chunk), allowed);
  };
  return { ...number, at };
}

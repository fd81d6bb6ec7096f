/** `time(F, s)` in a duration: what an operation takes by its layers. */
import type { Call } from '../../grammar/syntax.ts';
import { callArguments } from '../language/builtins.ts';
import { findFunction } from '../language/functions.ts';
import { letters } from '../values/program.ts';
import type { NumberCode } from './code.ts';
import { type Frame, outside } from './frame.ts';
import type { Names } from './names.ts';
import { compileNumber, wrong } from './operands.ts';

export function layerTime(names: Names, call: Call): NumberCode | undefined {
  const schema = findFunction('duration', call.callee.text);
  const expressions = schema && callArguments(names.context, call, schema);
  if (expressions === undefined) return undefined;
  const [kindAt, stageAt] = expressions;
  const kind = kindAt.kind === 'name' ? letters.findIndex((letter) => letter === kindAt.text) : -1;
  // An unknown name has been reported where it was looked up.
  if (kind < 0)
    return kindAt.kind === 'name' ? undefined : wrong(names, kindAt, 'an operation: `F`, `B`, `I`, `W` or `R`');
  const stage = compileNumber(names, stageAt, 'number');
  if (stage === undefined) return undefined;
  const at = (frame: Frame): number => {
    const found = stage.at(frame);
    const [stages] = frame.slots;
    if (!(Number.isInteger(found) && found >= 0 && found < stages))
      return outside(frame, stageAt, 'The stage', String(found), `a whole number from 0 to ${stages - 1}`);
    return frame.layers?.(kind, found) ?? NaN;
  };
  return { kind: 'number', dimension: 'time', uses: stage.uses, depth: stage.depth + 1, at };
}

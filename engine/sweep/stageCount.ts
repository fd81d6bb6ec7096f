/** Whether a pipeline says how many stages it has. */
import type { Block } from '../../grammar/index.ts';
import { stagesArgument } from '../fixes/recut.ts';
import { entriesOf, valueOf } from '../fixes/source.ts';

/** Whether the cut has a number of stages, so that a row may need another one. */
export function hasStageCount(body: Block): boolean {
  if (entriesOf(body, 'stage').length > 0) return true;
  const value = valueOf(body, 'stages');
  if (value?.kind !== 'call') return false;
  return value.callee.text === 'split' || (value.callee.text === 'balance' && stagesArgument(value) !== undefined);
}

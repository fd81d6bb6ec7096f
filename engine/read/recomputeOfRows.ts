/** Reads where the rows of a schedule recompute: in the backward, or only where they write an R. */
import { type Keys, notApplicable, readWord, valueOf } from '../language/keys.ts';
import { operationIn } from '../sequences/names.ts';
import type { CompiledSchedule } from '../sequences/schedule.ts';
import type { ReadContext } from './context.ts';

/** Whether only what has an R is recomputed: the text says it, for all shapes. `wrong`: reported. */
export function recomputesApart(
  context: ReadContext,
  { members }: CompiledSchedule,
  keys: Keys,
  kind: 'greedy' | 'rows' | 'slots',
): boolean | 'wrong' {
  const entry = keys.find('recompute');
  if (kind === 'greedy') {
    if (entry !== undefined) notApplicable(context, entry, '`prefer` decides: a rule recomputes apart if it lists R');
    return false;
  }
  const word = readWord<'written' | 'with_backward'>(context, keys, 'recompute');
  const rows = keys.all('row').flatMap(({ values = [] }) => values);
  const written = operationIn(context, rows, members, 'R');
  if (word.is === 'wrong') return word.is;
  if (word.is === 'absent') return written !== undefined;
  if (word.value === 'written' || written === undefined || entry === undefined) return word.value === 'written';
  const related = [{ place: context.report.place(written), message: 'This R.' }];
  const parameters = { expected: '`written`, because a row has an R', found: '`with_backward`' };
  context.report.report('type/mismatch', valueOf(entry) ?? entry.key, parameters, { related });
  return 'wrong';
}

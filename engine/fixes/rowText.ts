/** A row written out, operation by operation. */
import type { RowItem } from '../values/plan.ts';

/** `F[0..3], B[0], F[4]`. `named`: the device has several stages, so that operations name theirs. */
export function rowText(row: readonly RowItem[], named: boolean): string {
  const parts: string[] = [];
  for (let at = 0; at < row.length;) {
    const { op, stage, microbatch } = row[at];
    let end = at + 1;
    while (
      end < row.length &&
      row[end].op === op &&
      row[end].stage === stage &&
      row[end].microbatch === microbatch + (end - at)
    )
      end += 1;
    const numbers = end - at === 1 ? String(microbatch) : `${microbatch}..${microbatch + (end - at) - 1}`;
    parts.push(`${op}[${numbers}${named ? `, stage = ${stage}` : ''}]`);
    at = end;
  }
  return parts.join(', ');
}

/** Errors of published runs by their kind, as the engine carries them, and the table of their spreads. */
import { format } from 'prettier';
import { halfInterval } from '../../../../engine/analyze/spread.ts';
import { kindWords, spreadWords } from '../../../../engine/analyze/accuracyWords.ts';
import type { PublishedErrors } from '../../../../engine/analyze/publishedErrors.ts';
import { type Family, kindOf, predicted, type Run } from './published/run.ts';
import { percent } from './table.ts';

/** Share by which the run took more seconds or bytes than the simulation has. */
function excess({ memory, unit }: Family, run: Run): number {
  const isRate = memory !== true && unit !== 's';
  return isRate ? predicted(run) / run.measured - 1 : run.measured / predicted(run) - 1;
}

/** Memory has no part in it. */
const saysNothing = ({ memory }: Family, { fitted, deterministic }: Run): boolean =>
  fitted === true || (deterministic === true && memory !== true);

/** Of the runs that nothing was fitted to, that the engine has derived from shapes, and that run the kernels of a training. */
export function errorsByKind(families: readonly Family[]): readonly PublishedErrors[] {
  const groups = new Map<string, PublishedErrors & { errors: number[] }>();
  for (const family of families.filter(({ apart }) => apart !== true))
    for (const run of family.runs.filter((each) => !saysNothing(family, each))) {
      const kind = kindOf(run);
      if (kind === undefined) continue;
      const figure = family.memory === true ? 'memory' : 'time';
      const key = JSON.stringify([figure, kind.device, kind.format, kind.experts, kind.nodes]);
      const group = groups.get(key) ?? { figure, ...kind, errors: [] };
      groups.set(key, group);
      group.errors.push(Number(excess(family, run).toFixed(3)));
    }
  const sorted = [...groups].toSorted(([a], [b]) => (a < b ? 1 : -1));
  return sorted.map(([, group]) => ({ ...group, errors: group.errors.toSorted((a, b) => a - b) }));
}

const head = `/**
 * Share by which published runs took more seconds and bytes than their simulation, by kind: the runs of docs/accuracy.md that nothing was
 * fitted to. Made by \`UPDATE_ACCURACY=1 npx vitest run test/unit/flow/accuracy\`, which tests compare it with.
 */
import type { RunKind } from '../values/accuracy.ts';

export interface PublishedErrors extends RunKind {
  readonly figure: 'time' | 'memory';
  /** Ascending. */
  readonly errors: readonly number[];
}

`;

/** The text of `engine/analyze/publishedErrors.ts`. */
export const errorsText = (families: readonly Family[]): Promise<string> =>
  format(
    `${head}export const publishedErrors: readonly PublishedErrors[] = ${JSON.stringify(errorsByKind(families))};`,
    {
      parser: 'typescript',
      printWidth: 120,
      singleQuote: true,
    },
  );

/** One row for each kind, with what 4 of 5 further runs are within. */
export function spreadTable(families: readonly Family[]): string {
  const rows = errorsByKind(families).map(({ figure, errors, ...kind }) => {
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    const range = `${percent(errors[0])} to ${percent(errors.at(-1) ?? 0)}`;
    const half = errors.length < 5 ? '' : spreadWords({ share: halfInterval(errors) });
    const within = half === '' ? '' : `; 4 of 5 within ${half}`;
    return `| ${[`${figure}: ${kindWords(kind)}`, String(errors.length), range, `${percent(mean)}${within}`].join(' | ')} |`;
  });
  return ['| kind | runs | took more | mean |', '| --- | --- | --- | --- |', ...rows, ''].join('\n');
}

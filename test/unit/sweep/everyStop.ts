/** Stops a sweep at every row, and holds what it then says against the simulation of all rows. */
import { expect } from 'vitest';
import { check } from '../../../engine/flow/check.ts';
import { answerOf, asWritten, foundPoint } from '../../../engine/sweep/answer.ts';
import { rowCount, settingsOf } from '../../../engine/sweep/axes.ts';
import type { Outcome, RowFigures } from '../../../engine/sweep/evaluateRow.ts';
import { dominates, frontOf, isRoomy, paceOf } from '../../../engine/sweep/front.ts';
import { placeRow } from '../../../engine/sweep/placeRow.ts';
import { outcomeOf } from '../../../engine/sweep/rowsSearch.ts';
import { rowText } from '../../../engine/sweep/rowText.ts';
import { sweepSteps } from '../../../engine/sweep/sweep.ts';
import type { sweepCase } from './sweepCase.ts';

type Case = ReturnType<typeof sweepCase>;

/** Figures are the sums of the same times in another order. */
const rounding = 1e-9;

/** Stops at which a bound was stated, rows that were dropped, and rows that ran. */
export interface Stops {
  readonly bounded: number;
  readonly dropped: number;
  readonly ran: number;
}

export function holdsAtEveryStop({ base, axes }: Case): Stops {
  const rows = rowCount(axes);
  const every = Array.from({ length: rows }, (_, row) => outcomeOf(base, axes, row, []));
  for (const [row, outcome] of every.entries()) {
    if (outcome.kind === 'over') expectFull({ base, axes }, row);
    if (outcome.kind !== 'ran') continue;
    // Rows that are hardly worse, in time or in memory.
    const slower = { iteration: paceOf(outcome.figures) * (1 + rounding), peak: 0 };
    const fuller = { iteration: 0, peak: outcome.figures.peak * (1 + rounding) };
    expect(outcomeOf(base, axes, row, [slower, fuller]).kind, `row ${row}`).toBe('ran');
  }
  const fits = every.flatMap((outcome, row) =>
    outcome.kind === 'ran' && outcome.figures.meets ? [{ row, ...outcome.figures }] : [],
  );
  const looked = new Map<string, Outcome>();
  const written = asWritten(base);
  let [bounded, dropped] = [0, 0];
  for (let most = 0; most <= rows; most += 1) {
    const steps = sweepSteps(base, axes);
    const gone: number[] = [];
    const seen = new Set<number>();
    let count = 0;
    let step = steps.next();
    while (!step.done) {
      const { rows: wave, front } = step.value;
      const outcomes = wave.map((row) => {
        if (count === most) return undefined;
        count += 1;
        const key = JSON.stringify([row, front]);
        const outcome = looked.get(key) ?? outcomeOf(base, axes, row, front);
        looked.set(key, outcome);
        seen.add(row);
        if (outcome.kind === 'dropped') gone.push(row);
        return outcome;
      });
      step = steps.next({ outcomes, stop: count === most });
    }
    const result = step.value;
    const points = result.points.flatMap((point) => foundPoint(base, axes, point.row, point));
    const asked = { file: 'a.pipe', axes, minimise: 'iteration', limits: [] } as const;
    const answer = answerOf(base, asked, { ...result, points, written });
    const others = fits.filter(({ row }) => !seen.has(row));

    // Bound.
    const { unsearchedLeast: least } = result;
    expect(least === undefined, `stopped after ${most}`).toBe(result.unsearched === 0);
    if ((least ?? 0) > 0) bounded += 1;
    for (const { row, ...figures } of others)
      expect(paceOf(figures), `row ${row}, stopped after ${most}`).toBeGreaterThanOrEqual(
        (least ?? 0) * (1 - rounding),
      );
    // Dropped rows.
    const found = answer.points.filter((point) => point.front);
    for (const { row, ...figures } of fits.filter((fit) => gone.includes(fit.row)))
      expect(
        found.some((point) => dominates(point, figures)),
        `row ${row} is dropped`,
      ).toBe(true);
    if (most === rows) dropped = gone.length;
    // Front: of all rows that were looked at, or of all.
    expect(found.map(({ row }) => row).toSorted((a, b) => a - b)).toEqual(
      frontOf(fits.filter(({ row }) => seen.has(row)))
        .map(({ row }) => row)
        .toSorted((a, b) => a - b),
    );
    expectTrue(answer.certificate, answer.best, fits, others.length);
  }
  return { bounded, dropped, ran: every.filter(({ kind }) => kind === 'ran').length };
}

/** Each sentence that a certificate may have, read as a person reads it. */
function expectTrue(
  certificate: string,
  best: number | undefined,
  fits: readonly (RowFigures & { readonly row: number })[],
  left: number,
): void {
  const [, figure, unit] = /can be under ([\d.]+) (s|ms|µs|ns)\b/u.exec(certificate) ?? [];
  if (figure !== undefined) {
    const seconds = Number(figure) * { s: 1, ms: 1e-3, µs: 1e-6, ns: 1e-9 }[unit as 's'];
    // Where the best row keeps the margin of memory, the claim is of rows that keep it too.
    const meant = /\bkeeps .* free\b/u.test(certificate) ? fits.filter(isRoomy) : fits;
    // Half of the last of four digits.
    for (const { row, ...figures } of meant)
      expect(paceOf(figures), `row ${row}: ${certificate}`).toBeGreaterThanOrEqual(seconds * (1 - 5e-4));
  } else if (certificate.startsWith('None of') || certificate.startsWith('The only row does not')) {
    expect(fits, certificate).toEqual([]);
  } else if (certificate.startsWith('The only row')) {
    expect(fits.map(({ row }) => row)).toEqual([best]);
  } else {
    expect(certificate).toMatch(/^(No row was found that fits|The fastest row found takes .* Faster ones may be)/u);
    if (best === undefined) expect(fits.length).toBe(left);
  }
}

/** A row without room for what devices hold from the start: its simulation is over the memory of a device. */
function expectFull({ base, axes }: Case, row: number): void {
  const placed = placeRow(base, axes, settingsOf(axes, row));
  const written = 'refused' in placed ? placed : rowText(base, placed);
  if ('refused' in written) throw new Error(written.refused);
  const { uri, host, options } = base.file;
  const { pipelines } = check({ uri, text: written.text, host, options });
  const report = pipelines.find(({ plan }) => plan.name === base.pipeline)?.run?.report;
  expect(report?.devices.some(({ peak, capacity }) => peak > capacity)).toBe(true);
}

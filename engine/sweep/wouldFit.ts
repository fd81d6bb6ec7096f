/** The least change with which a search has a row that fits, where none does: simulated, in a sentence. */
import { bytes, count, iterationTime, list, share } from '../basics/quantities.ts';
import { table } from '../basics/table.ts';
import type { Axis } from '../definitions/search.ts';
import { overriddenAxes, rowCount, type Settings, settingsOf, settingsText } from './axes.ts';
import { sweepBase, type SweepBase } from './base.ts';
import { isOwnValue } from './changes.ts';
import type { Outcome, RowFigures } from './evaluateRow.ts';
import { isRoomy, paceOf } from './front.ts';
import { type OtherFile, withMoreNodes, withPackedWeights } from './otherFiles.ts';
import { placeRow } from './placeRow.ts';
import { outcomeOf } from './rowsSearch.ts';
import { takesChunks } from './scheduleText.ts';
import { defaultSpace } from './space/space.ts';
import { sweepSteps } from './sweep.ts';

/** Rows that are looked at for one change. */
const mostRows = 400;
/** Rows that are looked at for one that leaves the margin of memory, behind the first one that fits. */
const moreRows = 40;

export interface WouldFit {
  /** `recompute = full`, or `16 nodes`. */
  readonly change: string;
  readonly text: string;
}

interface Found {
  readonly settings: Settings;
  readonly figures: RowFigures;
}

/** A pause: what is known so far, and the work since the last one. */
export interface WouldFitPause {
  readonly known: WouldFit | undefined;
  /** Rows that were planned. */
  readonly rows: number;
  /** Operations that were put in order or simulated. */
  readonly operations: number;
}

type Steps<Result> = Generator<WouldFitPause, Result, void>;

const atRest = (known: WouldFit | undefined): WouldFitPause => ({ known, rows: 0, operations: 0 });

/**
 * First one value of a key that the search does not have, then frozen weights in 4 bits, then values of several keys. Last come twice,
 * four times, … the nodes, with the values of the search and with others. `given`: the axes are the space that was chosen around these, and are
 * chosen again. `limits` hold. Undefined if nothing is found. Pauses between rows with what is known so far.
 */
export function* wouldFitSteps(
  base: SweepBase,
  axes: readonly Axis[],
  limits: readonly string[],
  given: readonly Axis[] | undefined,
): Steps<WouldFit | undefined> {
  const said = (changes: readonly string[], found: Found): WouldFit => sentence(changes, found, limits);
  const space = defaultSpace(base).axes;
  const one = yield* oneValue(base, axes, space, said);
  if (one !== undefined) return one;
  const axesOf = (other: SweepBase): readonly Axis[] => (given === undefined ? axes : defaultSpace(other, given).axes);
  for (const packed of withPackedWeights(base)) {
    const found = yield* inFile(base, packed, limits, axesOf);
    if (found !== undefined) return said([packed.change], found);
  }
  const several = yield* severalValues(base, axes, space);
  if (several !== undefined) return said(several.changes, several.found);
  let wider: readonly OtherFile[] = [];
  for (const more of withMoreNodes(base)) {
    const found = yield* inFile(base, more, limits, axesOf);
    if (found !== undefined) return said([more.change], found);
    wider = [...wider, more];
  }
  // A space that was chosen whole has its other values already.
  if (given?.length === 0) return undefined;
  for (const more of wider) {
    const other = sweptIn(base, more, limits);
    if (other === undefined) continue;
    const found = yield* severalValues(other, axesOf(other), defaultSpace(other).axes);
    if (found !== undefined) return said([more.change, ...found.changes], found.found);
  }
  return undefined;
}

/** Of single values with which a row fits, the one with the best row: one that leaves the margin of memory, and the fastest of these. */
function* oneValue(
  base: SweepBase,
  axes: readonly Axis[],
  space: readonly Axis[],
  said: (changes: readonly string[], found: Found) => WouldFit,
): Steps<WouldFit | undefined> {
  let best: { readonly change: string; readonly found: Found } | undefined;
  for (const { key, values } of space) {
    const known = new Set(axes.find((axis) => axis.key === key)?.values ?? []);
    for (const value of values.filter((each) => !known.has(each))) {
      const found = yield* rowThatFits(
        base,
        overriddenAxes(axes, [{ key, values: [value] }]),
        best === undefined ? undefined : said([best.change], best.found),
      );
      if (found !== undefined && (best === undefined || isBetter(found, best.found)))
        best = { change: changeWords(key, value), found };
    }
  }
  return best === undefined ? undefined : said([best.change], best.found);
}

const isBetter = ({ figures }: Found, other: Found): boolean =>
  isRoomy(figures) === isRoomy(other.figures) ? paceOf(figures) < paceOf(other.figures) : isRoomy(figures);

/** Values of several keys with which a row fits, each of them needed. */
function* severalValues(
  base: SweepBase,
  axes: readonly Axis[],
  space: readonly Axis[],
): Steps<{ readonly changes: readonly string[]; readonly found: Found } | undefined> {
  let found = yield* rowThatFits(base, space);
  if (found === undefined) return undefined;
  let changed: readonly (readonly [key: string, value: string])[] = Object.entries(found.settings).filter(
    ([key, value]) => {
      const axis = axes.find((each) => each.key === key);
      return axis === undefined ? !isOwnValue(base, key, value) : !axis.values.includes(value);
    },
  );
  for (const each of changed) {
    const fewer = changed.filter((other) => other !== each);
    const without = yield* rowThatFits(base, overriddenAxes(axes, axesFor(fewer)));
    if (without === undefined) continue;
    changed = fewer;
    found = without;
  }
  const { schedule = base.schedule } = found.settings;
  const shown = changed.filter(([key]) => key !== 'chunks' || takesChunks(schedule));
  return { changes: shown.map(([key, value]) => changeWords(key, value)), found };
}

const axesFor = (values: readonly (readonly [key: string, value: string])[]): readonly Axis[] =>
  values.map(([key, value]) => ({ key, values: [value] }));

function* inFile(
  base: SweepBase,
  other: OtherFile,
  limits: readonly string[],
  axesOf: (other: SweepBase) => readonly Axis[],
): Steps<Found | undefined> {
  yield atRest(undefined);
  const swept = sweptIn(base, other, limits);
  return swept === undefined ? undefined : yield* rowThatFits(swept, axesOf(swept));
}

/** Another batch would be another training. */
function sweptIn(base: SweepBase, { files }: OtherFile, limits: readonly string[]): SweepBase | undefined {
  for (const file of files) {
    const swept = sweepBase(file, base.pipeline, limits);
    if (!('problem' in swept) && swept.batch === base.batch) return swept;
  }
  return undefined;
}

/** A file writes most keys so. Pipeline ranks and chunks are no keys of a pipeline: they follow from its stages and its schedule. */
function changeWords(key: string, value: string): string {
  if (key === 'pipeline') return count(Number(value), 'pipeline rank', 'pipeline ranks');
  if (key === 'chunks') return `${count(Number(value), 'chunk', 'chunks')} of each rank`;
  return `${key} = ${value}`;
}

/** What needs least memory, of keys that do not split the model over devices. */
const leanest: Readonly<Record<string, (values: readonly string[]) => string>> = table({
  micro_batch: (values) => String(Math.min(...values.map(Number))),
  schedule: (values) => values.find((value) => value === '1f1b') ?? values[0],
  chunks: ([first]) => first,
  recompute: (values) => values.find((value) => value === 'full') ?? values[0],
  optimizer: (values) => values.at(-1) ?? '',
});

/** A row that fits. Of many rows, those that need least memory are looked at first: if none of them fits, hardly another does. */
function* rowThatFits(base: SweepBase, axes: readonly Axis[], known?: WouldFit): Steps<Found | undefined> {
  if (rowCount(axes) <= mostRows) return yield* firstThatFits(base, axes, known);
  const lean = axes.map(({ key, values }) => ({
    key,
    values: Object.hasOwn(leanest, key) ? [leanest[key](values)] : values,
  }));
  const least = yield* firstThatFits(base, lean, known);
  if (least === undefined) return undefined;
  const other = yield* firstThatFits(base, axes, known);
  return other !== undefined && isBetter(other, least) ? other : least;
}

/**
 * The first row that is found to fit, of those that come first in a search; one that leaves the margin of memory, if that comes soon.
 * `known`: what a caller has meanwhile.
 */
function* firstThatFits(base: SweepBase, axes: readonly Axis[], known?: WouldFit): Steps<Found | undefined> {
  const steps = sweepSteps(base, axes, { isLean: true });
  let looked = 0;
  let [tight, most]: readonly [Found | undefined, number] = [undefined, mostRows];
  for (let step = steps.next(); step.done !== true;) {
    const { rows, front } = step.value;
    const outcomes: ReturnType<typeof outcomeOf>[] = [];
    for (const row of rows) {
      looked += 1;
      const outcome = outcomeOf(base, axes, row, front);
      yield { known, rows: 1, operations: operationsOf(base, axes, row, outcome) };
      if (outcome.kind === 'ran' && outcome.figures.meets) {
        const found = { settings: settingsOf(axes, row), figures: outcome.figures };
        if (isRoomy(outcome.figures)) return found;
        if (tight === undefined) [tight, most] = [found, Math.min(mostRows, looked + moreRows)];
      }
      if (looked >= most) return tight;
      outcomes.push(outcome);
    }
    step = steps.next({ outcomes });
  }
  return tight;
}

/** Forwards and backwards of a row; 0 if it was not put in order. */
function operationsOf(base: SweepBase, axes: readonly Axis[], row: number, { kind }: Outcome): number {
  const placed = kind === 'ran' || kind === 'full' ? placeRow(base, axes, settingsOf(axes, row)) : undefined;
  if (placed === undefined || 'refused' in placed) return 0;
  return 2 * placed.microbatches * (placed.stages ?? placed.ranks);
}

const sentence = (changes: readonly string[], { settings, figures }: Found, limits: readonly string[]): WouldFit => {
  const { peak, iteration, tight, batch } = figures;
  const samples = batch === undefined ? '' : ` for ${count(batch, 'sample', 'samples')}`;
  const left = tight === undefined ? '' : `, which leaves ${share(tight)} of a device`;
  const change = list(changes);
  return {
    change,
    text: `With ${change} it fits${limits.length === 0 ? '' : ' and meets the limits'}: ${bytes(peak)}${left}, ${iterationTime(iteration)}${samples} (${settingsText(settings)}). Faster rows are possible.`,
  };
};

/** Parts of one sweep put together: the same front as one run over all rows. */
import { type PlanAnswer, withFront } from './answer.ts';
import { rowCount, type Settings } from './axes.ts';

/** The whole answer, or why the parts do not make one. */
export function mergeAnswers(parts: readonly PlanAnswer[]): PlanAnswer | { readonly problem: string } {
  const [first] = parts;
  if (first === undefined) return { problem: 'There is no part to merge.' };
  const { of } = first.shard ?? { of: 1 };
  for (const part of parts)
    if (requestOf(part) !== requestOf(first))
      return { problem: 'The parts are of different searches: their files, keys, values or limits differ.' };
  const indices = parts.map(({ shard }) => shard?.index ?? 1);
  const twice = indices.find((index, at) => indices.indexOf(index) !== at);
  if (twice !== undefined) return { problem: `Part ${twice}/${of} is given twice.` };
  const missing = Array.from({ length: of }, (_, at) => at + 1).filter((index) => !indices.includes(index));
  if (missing.length > 0)
    return {
      problem: `${missing.length === 1 ? 'Part' : 'Parts'} ${missing.slice(0, 8).join(', ')}${missing.length > 8 ? ', …' : ''} of ${of} ${missing.length === 1 ? 'is' : 'are'} missing. Run ${missing.length === 1 ? 'it' : 'them'} with --shard ${missing[0]}/${of}.`,
    };
  const sum = (figure: 'simulated' | 'over' | 'dropped' | 'unsearched'): number =>
    parts.reduce((total, part) => total + part[figure], 0);
  const bounds = parts.flatMap(({ unsearched_least: least }) => (least === undefined ? [] : [least]));
  const {
    shard: _shard,
    best: _best,
    changes: _changes,
    certificate: _certificate,
    unsearched_least: _least,
    ...shared
  } = first;
  const merged = withFront({
    ...shared,
    rows: rowCount(first.search),
    simulated: sum('simulated'),
    over: sum('over'),
    dropped: sum('dropped'),
    unsearched: sum('unsearched'),
    ...(bounds.length === 0 ? {} : { unsearched_least: bounds.reduce((least, bound) => Math.min(least, bound)) }),
    refused: mergedReasons(parts),
    points: parts.flatMap(({ points }) => points).toSorted((a, b) => a.row - b.row),
  });
  const changes = parts.find(({ best }) => best !== undefined && best === merged.best)?.changes;
  return changes === undefined ? merged : { ...merged, changes };
}

/** What all parts of a sweep share. */
const requestOf = ({ file, pipeline, devices, batch, search, minimise, limits, written, shard }: PlanAnswer): string =>
  JSON.stringify([file, pipeline, devices, batch, search, minimise, limits, written, shard?.of ?? 1]);

function mergedReasons(parts: readonly PlanAnswer[]): PlanAnswer['refused'] {
  const known = new Map<string, { rows: number; readonly example: Settings }>();
  for (const { reason, rows, example } of parts.flatMap(({ refused }) => refused)) {
    const found = known.get(reason);
    if (found === undefined) known.set(reason, { rows, example });
    else found.rows += rows;
  }
  return [...known]
    .map(([reason, { rows, example }]) => ({ reason, rows, example }))
    .toSorted((a, b) => b.rows - a.rows || (a.reason < b.reason ? -1 : 1));
}

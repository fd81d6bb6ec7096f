/** Parts of one sweep put together: the same front as one run over all rows. */
import { list } from '../basics/quantities.ts';
import { type AnswerSource, type PlanAnswer, type PlanRequest, withFront } from './answer.ts';
import { rowCount } from './axes.ts';
import { partRows } from './sweep.ts';
import { type FullRow, lesser, mergedReasons } from './tally.ts';

/** The whole answer, or why the parts do not make one. The order of the parts changes nothing. */
export function mergeAnswers(given: readonly PlanAnswer[]): PlanAnswer | { readonly problem: string } {
  const parts = given.toSorted((a, b) => (a.shard?.index ?? 1) - (b.shard?.index ?? 1));
  const [first] = parts;
  if (first === undefined) return { problem: 'The parts have no rows yet. Merge again when one of them has begun.' };
  const { of } = first.shard ?? { of: 1 };
  for (const part of parts.slice(1)) {
    const differs = difference(first, part);
    if (differs !== undefined) return { problem: `${nameOf(first)} and ${nameOf(part)} cannot be merged: ${differs}.` };
  }
  const indices = parts.map(({ shard }) => shard?.index ?? 1);
  const twice = indices.find((index, at) => indices.indexOf(index) !== at);
  if (twice !== undefined) return { problem: `Part ${twice}/${of} is given twice. Name each part once.` };
  const absent = Array.from({ length: of }, (_, at) => at + 1).filter((index) => !indices.includes(index));
  const unfinished = parts.flatMap(({ shard, unsearched }) => (unsearched > 0 ? [shard?.index ?? 1] : []));
  const product = rowCount(first.search);
  const absentRows = absent.reduce((rows, index) => rows + partRows(product, { index, of }), 0);
  const sum = (figure: 'simulated' | 'over' | 'dropped' | 'unsearched'): number =>
    parts.reduce((total, part) => total + part[figure], 0);
  // Nothing is known of rows of a part that is absent: they may be as fast as they like.
  const bounds = [
    ...parts.flatMap(({ unsearched, unsearched_least: least = 0 }) => (unsearched > 0 ? [least] : [])),
    ...(absentRows > 0 ? [0] : []),
  ];
  const leastOf = (figure: 'least_full' | 'least_stored'): FullRow | undefined =>
    parts.reduce<FullRow | undefined>(
      (known, { [figure]: least }) => (least === undefined ? known : lesser(known, least)),
      undefined,
    );
  const [leastFull, leastStored] = [leastOf('least_full'), leastOf('least_stored')];
  const full = parts.reduce((total, part) => total + (part.full ?? 0), 0);
  const {
    shard: _shard,
    best: _best,
    tighter: _tighter,
    changes: _changes,
    certificate: _certificate,
    unsearched_least: _least,
    shares: _shares,
    full: _full,
    least_full: _leastFull,
    least_stored: _leastStored,
    least_over: _leastOver,
    ...shared
  } = first;
  const merged = withFront({
    ...shared,
    ...(absent.length + unfinished.length === 0 ? {} : { missing: { absent, unfinished, of } }),
    rows: product,
    simulated: sum('simulated'),
    over: sum('over'),
    ...(full === 0 ? {} : { full }),
    ...(leastFull === undefined ? {} : { least_full: leastFull }),
    ...(leastStored === undefined ? {} : { least_stored: leastStored }),
    dropped: sum('dropped'),
    unsearched: sum('unsearched') + absentRows,
    ...(bounds.length === 0 ? {} : { unsearched_least: bounds.reduce((least, bound) => Math.min(least, bound)) }),
    refused: mergedReasons(
      first.search,
      parts.map(({ refused }) => refused),
    ),
    points: parts.flatMap(({ points }) => points).toSorted((a, b) => a.row - b.row),
  });
  const changes = parts.find(({ best }) => best !== undefined && best === merged.best)?.changes;
  return changes === undefined ? merged : { ...merged, changes };
}

const nameOf = ({ shard, file }: PlanAnswer): string =>
  shard === undefined ? `The answer for ${file}` : `Part ${shard.index}/${shard.of} of ${file}`;

/** What two parts of one sweep share. */
const asked: readonly (readonly [what: string, of: (part: PlanRequest) => unknown])[] = [
  ['they are of different pipelines', ({ pipeline }) => pipeline],
  ['they are of different numbers of parts', ({ shard }) => shard?.of ?? 1],
  ['different batches were asked for', ({ batch_asked: wish }) => wish],
  ['they search different keys or values', ({ search }) => search],
  ['they have different limits', ({ limits }) => limits],
  ['they minimise different figures', ({ minimise }) => minimise],
];

/** Why two answers are not parts of one sweep. Paths do not matter: files may have moved. */
export function difference(first: PlanRequest, part: PlanRequest): string | undefined {
  const isEqual = (of: (each: PlanRequest) => unknown): boolean =>
    JSON.stringify(of(first)) === JSON.stringify(of(part));
  const other = asked.find(([, of]) => !isEqual(of));
  if (other !== undefined) return other[0];
  if (first.source === undefined || part.source === undefined)
    return 'they do not both say the contents that they are made from. Run them again with this version';
  const found = differentSource(first.source, part.source);
  if (found !== undefined) return found;
  const isSame = isEqual(({ devices, batch, written }) => [devices, batch, written]);
  return isSame ? undefined : 'their figures of the file as it is written differ';
}

function differentSource(first: AnswerSource, part: AnswerSource): string | undefined {
  if (first.program !== part.program)
    return `they are made by different versions of Pipewright, ${first.program} and ${part.program}`;
  if (first.text !== part.text) return 'the file was changed in between. Run all parts again';
  const changed = differing(first.files, part.files);
  if (changed.length > 0) return `${list(changed)}, which the file reads, was changed in between. Run all parts again`;
  if (first.engine !== part.engine) return 'they are for different engines';
  const set = differing(first.params, part.params);
  return set.length > 0 ? `\`--set\` gives other values of ${list(set)}` : undefined;
}

/** Names whose values differ, or that only one of both has. */
const differing = <Value>(
  first: Readonly<Record<string, Value>>,
  part: Readonly<Record<string, Value>>,
): readonly string[] =>
  [...new Set([...Object.keys(first), ...Object.keys(part)])].filter((name) => first[name] !== part[name]).toSorted();

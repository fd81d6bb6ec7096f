/** Edits that give links the latency that messages had. A link of two devices that is slower than the others gets a separate line. */
import type { Binary, BlockDeclaration, BlockItem, Entry, Quantity, SyntaxFile } from '../../grammar/index.ts';
import { time } from '../basics/quantities.ts';
import { findUnit } from '../language/units.ts';
import { type Flight, type LinkFlight, slowLinkWords } from '../runs/flights.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Calibration } from './calibrate.ts';
import type { Edit } from './edit.ts';

type Measured = Pick<Calibration, 'flights' | 'occupancy'>;

/** Fewer messages give no latency. */
const leastMessages = 5;
/** A link has one latency: times there and back differ by no more than this factor. */
const alike = 1.5;

/** No edits: the cluster has several links, or one whose latency is not written out. */
export function linkEdits(
  { text }: SyntaxFile,
  cluster: BlockDeclaration | undefined,
  plan: PipelinePlan,
  measured: Measured,
): { readonly edits: readonly Edit[] } | { readonly problem: string } {
  const link = onlyLink(cluster?.body?.entries ?? []);
  const slow = slowLinks(plan, measured, link !== undefined);
  if ('problem' in slow) return slow;
  if (link === undefined) return { edits: [] };
  const { others } = measured.flights;
  const { start, end } = link.right;
  const lines = slow.links.map(
    ({ ends, flight }) =>
      `link ${ends.join(' -- ')} = ${text.slice(link.left.start, link.left.end)} + ${latency(flight, measured)} // n = ${flight.count}\n`,
  );
  const old = text.slice(start, end);
  const known = others.count >= leastMessages;
  const own = known ? `${latency(others, measured)} // n = ${others.count}, was ${old}` : old;
  return { edits: known || lines.length > 0 ? [{ start, end, text: `${own}\n${lines.join('')}` }] : [] };
}

const latency = ({ median }: Flight, { occupancy }: Measured): string =>
  `${Number((Math.max(0, median - occupancy) * 1e6).toFixed(3))}us`;

type WrittenLink = Binary & { readonly right: Quantity };

/** `link = 25GB/s + 5us`, if it is the only link of the cluster and all that is in it. */
function onlyLink(items: readonly BlockItem[]): WrittenLink | undefined {
  const links = linksIn(items);
  const value = links.length === 1 && links[0].ends === undefined ? links[0].values?.[0] : undefined;
  if (value?.kind !== 'binary' || value.operator !== '+' || value.right.kind !== 'quantity') return undefined;
  if (findUnit(value.right.unit)?.dimension !== 'time') return undefined;
  return { ...value, right: value.right };
}

const linksIn = (items: readonly BlockItem[]): readonly Entry[] =>
  items.flatMap((item) => {
    if (item.kind !== 'entry') return [];
    return item.key.text === 'link' ? [item] : linksIn(item.body?.entries ?? []);
  });

interface SlowLink {
  readonly ends: readonly [string, string];
  readonly flight: Flight;
}

/** Links that are slow in both directions: the language has no others. */
function slowLinks(
  { devices, routes }: PipelinePlan,
  { flights }: Measured,
  writable: boolean,
): { readonly links: readonly SlowLink[] } | { readonly problem: string } {
  const links: SlowLink[] = [];
  const nameOf = (rank: number): string => devices[rank]?.name ?? `rank ${rank}`;
  for (const there of flights.slow) {
    const is = ({ from, to }: { readonly from: number; readonly to: number }): boolean =>
      from === there.to && to === there.from;
    const back = flights.slow.find(is);
    const said = slowLinkWords(there, flights.others, nameOf);
    const apart = back !== undefined && there.median > alike * back.median;
    const otherWay = flights.of(there.to, there.from);
    if (apart || (back === undefined && routes.some(is)))
      return {
        problem: `${said}, and ${otherWay.count === 0 ? 'no message back was waited for' : `back ${time(otherWay.median)}`}. A link of the file takes as long in both directions, so the plan cannot say this: look for the cause, and record a run without it`,
      };
    const ends = [nameOf(there.from), nameOf(there.to)] as const;
    if (!writable || !ends.every((name) => /^gpu\[\d+\]$/.test(name)))
      return {
        problem: `${said}. Write a link with that latency between these two devices into the cluster, and calibrate again`,
      };
    // The two directions are one line.
    if (back === undefined || there.from < there.to) links.push({ ends, flight: together(there, back) });
  }
  return { links };
}

function together(there: LinkFlight, back: LinkFlight | undefined): Flight {
  if (back === undefined) return there;
  const all = there.count + back.count;
  return { count: all, median: (there.count * there.median + back.count * back.median) / all };
}

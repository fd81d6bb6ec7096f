/** Writes the text of a built-in schedule into the file, to go on from. */
import { nodeAt, type Span } from '../../grammar/index.ts';
import type { BlockDeclaration, Name } from '../../grammar/syntax.ts';
import type { Analysis } from '../flow/check.ts';
import { calleeOf } from '../language/callee.ts';
import { bytesChange, count } from '../basics/quantities.ts';
import { scheduleText } from '../schedule/rowsText.ts';
import { findPolicy } from '../policies/registry.ts';
import { scheduleUri, standardText } from '../std/index.ts';
import { simulated, tried, type Simulated } from './outcome.ts';
import type { Again, Edit, Proposal } from './proposal.ts';
import { documentedStart, freeName, lineBreak } from './source.ts';

/** Whether the text runs the same order is found by running both, which must not delay a list of actions. */
const mostOperations = 100_000;
/** Longer rows would be a wall of text. */
const mostRows = 20_000;

/**
 * Offered at `schedule = zb_h1` of a pipeline: its text, or its rows for this shape where the text runs another order, as with
 * arguments that only the built-in has. Refused with the reason where neither runs the same order.
 */
export function writeOutRefactorings(analysis: Analysis, offset: number, again: Again): readonly Proposal[] {
  const use = useAt(analysis, offset);
  const before = use === undefined ? undefined : simulated(analysis, use.block.name?.text ?? '');
  if (use === undefined || before === undefined) return [];
  const title = `Write the text of "${use.name.text}" into the file`;
  const { operations } = before.run.report;
  if (operations > mostOperations)
    return refused(
      title,
      `Its ${operations.toLocaleString('en-US')} operations are too many to compare: up to ${mostOperations.toLocaleString('en-US')} are.`,
    );
  for (const [how, edits] of candidates(analysis, use, before)) {
    const changed = tried(analysis, edits, again);
    const after = changed === undefined ? undefined : simulated(changed, use.block.name?.text ?? '');
    if (after !== undefined && isSameOrder(before, after))
      return [{ title: `${title}${how}: ${unchanged(before, after)}`, edits }];
  }
  return refused(title, 'No text of a schedule runs the same operations at the same times.');
}

const refused = (title: string, reason: string): readonly Proposal[] => [{ title, edits: [], refused: reason }];

function* candidates(
  analysis: Analysis,
  use: Use,
  { plan, run }: Simulated,
): Generator<readonly [how: string, edits: readonly Edit[]]> {
  const { name, value } = use;
  const uri = scheduleUri(name.text);
  const text = uri === undefined ? undefined : standardText(uri);
  if (text !== undefined) yield ['', editsFor(analysis, use, name, text)];
  const shape = `${count(plan.devices.length, 'device', 'devices')} and ${count(plan.microbatches, 'microbatch', 'microbatches')}`;
  const comment = `The order of ${name.text} for ${shape}.`;
  const rows = scheduleText(run.timeline.program, name.text, [comment]);
  if (rows !== undefined && rows.length <= mostRows) yield [` for ${shape}`, editsFor(analysis, use, value, rows)];
}

interface Use {
  readonly block: BlockDeclaration;
  readonly name: Name;
  /** The name with its arguments. */
  readonly value: Span;
}

/** The built-in schedule that a pipeline names at an offset. */
function useAt({ syntax, resolution }: Analysis, offset: number): Use | undefined {
  const path = nodeAt(syntax, offset);
  const block = path.find((node) => node.kind === 'block');
  const entry = path.findLast((node) => node.kind === 'entry');
  if (block?.kind !== 'block' || block.keyword.text !== 'pipeline' || entry?.kind !== 'entry') return undefined;
  const [value] = entry.key.text === 'schedule' ? (entry.values ?? []) : [];
  const name = value === undefined ? undefined : calleeOf(value);
  if (value === undefined || name === undefined || findPolicy(name.text) === undefined) return undefined;
  const reference = resolution.symbols.references.find(({ place }) => place.start === name.start);
  return reference?.symbol === `policy:${name.text}` ? { block, name, value } : undefined;
}

/** The schedule in front of the pipeline, under a name that is free. */
function editsFor({ syntax }: Analysis, { block, name }: Use, replaced: Span, text: string): readonly Edit[] {
  const free = freeName(syntax, `${name.text}_copy`);
  const end = lineBreak(syntax.text);
  const renamed = text.replace(`schedule ${name.text} {`, `schedule ${free} {`).trimEnd().replaceAll('\n', end);
  const at = documentedStart(syntax.text, block);
  return [
    { start: at, end: at, text: `${renamed}${end}${end}` },
    { start: replaced.start, end: replaced.end, text: free },
  ];
}

const peaksOf = ({ run }: Simulated): readonly number[] => run.report.devices.map(({ peak }) => peak);

/** Chunks of some built-in schedules share buffers for transfers, and stages of rows have their own. */
function unchanged(before: Simulated, after: Simulated): string {
  const [peaks, changed] = [peaksOf(before), peaksOf(after)];
  if (peaks.every((peak, device) => peak === changed[device])) return 'order and figures stay the same';
  const more = Math.max(...changed) - Math.max(...peaks);
  return `order and times stay the same, peak ${more === 0 ? 'of other devices changes' : bytesChange(more)}`;
}

/** Whether both run the same operations on the same devices at the same times. */
function isSameOrder({ run: before }: Simulated, { run: after }: Simulated): boolean {
  const [one, other] = [before.timeline, after.timeline];
  const isEqual = (a: ArrayLike<number>, b: ArrayLike<number>): boolean =>
    a.length === b.length && Array.from(a).every((value, index) => value === b[index]);
  return (
    one.makespan === other.makespan &&
    isEqual(one.program.order, other.program.order) &&
    isEqual(one.program.offsets, other.program.offsets)
  );
}

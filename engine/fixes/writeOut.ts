/** Writes the text of a built-in schedule into the file, to go on from. */
import { nodeAt } from '../../grammar/index.ts';
import type { BlockDeclaration, Name } from '../../grammar/syntax.ts';
import type { Analysis } from '../flow/check.ts';
import { calleeOf } from '../language/callee.ts';
import { findPolicy } from '../policies/registry.ts';
import { scheduleUri, standardText } from '../std/index.ts';
import { simulated, tried, type Simulated } from './outcome.ts';
import type { Again, Edit, Proposal } from './proposal.ts';
import { documentedStart, freeName, lineBreak } from './source.ts';

/** Whether the text runs the same order is found by running both, which must not delay a list of actions. */
const mostOperations = 100_000;

/** Offered at `schedule = zb_h1` of a pipeline. Left out where the text runs another order, as with arguments that only the built-in has. */
export function writeOutRefactorings(analysis: Analysis, offset: number, again: Again): readonly Proposal[] {
  const use = useAt(analysis, offset);
  const before = use === undefined ? undefined : simulated(analysis, use.block.name?.text ?? '');
  const uri = use === undefined ? undefined : scheduleUri(use.name.text);
  const text = uri === undefined ? undefined : standardText(uri);
  if (use === undefined || before === undefined || text === undefined) return [];
  if (before.run.report.operations > mostOperations) return [];
  const { block, name } = use;
  const edits = editsFor(analysis, block, name, text);
  const changed = tried(analysis, edits, again);
  const after = changed === undefined ? undefined : simulated(changed, block.name?.text ?? '');
  if (after === undefined || !isSame(before, after)) return [];
  return [{ title: `Write the text of "${name.text}" into the file: order and figures stay the same`, edits }];
}

/** The built-in schedule that a pipeline names at an offset. */
function useAt(
  { syntax, resolution }: Analysis,
  offset: number,
): { readonly block: BlockDeclaration; readonly name: Name } | undefined {
  const path = nodeAt(syntax, offset);
  const block = path.find((node) => node.kind === 'block');
  const entry = path.findLast((node) => node.kind === 'entry');
  if (block?.kind !== 'block' || block.keyword.text !== 'pipeline' || entry?.kind !== 'entry') return undefined;
  const [value] = entry.key.text === 'schedule' ? (entry.values ?? []) : [];
  const name = value === undefined ? undefined : calleeOf(value);
  if (name === undefined || findPolicy(name.text) === undefined) return undefined;
  const reference = resolution.symbols.references.find(({ place }) => place.start === name.start);
  return reference?.symbol === `policy:${name.text}` ? { block, name } : undefined;
}

/** The schedule in front of the pipeline, under a name that is free. */
function editsFor({ syntax }: Analysis, block: BlockDeclaration, name: Name, text: string): readonly Edit[] {
  const free = freeName(syntax, `${name.text}_copy`);
  const end = lineBreak(syntax.text);
  const renamed = text.replace(`schedule ${name.text} {`, `schedule ${free} {`).trimEnd().replaceAll('\n', end);
  const at = documentedStart(syntax.text, block);
  return [
    { start: at, end: at, text: `${renamed}${end}${end}` },
    { start: name.start, end: name.end, text: free },
  ];
}

/** Whether both run the same operations on the same devices at the same times. */
function isSame({ run: before }: Simulated, { run: after }: Simulated): boolean {
  const [one, other] = [before.timeline, after.timeline];
  const isEqual = (a: ArrayLike<number>, b: ArrayLike<number>): boolean =>
    a.length === b.length && Array.from(a).every((value, index) => value === b[index]);
  return (
    one.makespan === other.makespan &&
    isEqual(one.program.order, other.program.order) &&
    isEqual(one.program.offsets, other.program.offsets) &&
    isEqual(
      before.report.devices.map(({ peak }) => peak),
      after.report.devices.map(({ peak }) => peak),
    )
  );
}

import { nodeAt } from '../../grammar/index.ts';
import type { Block } from '../../grammar/syntax.ts';
import type { Analysis } from '../flow/check.ts';
import type { Finding } from '../findings/finding.ts';
import { numberAt, setNumber } from './candidates.ts';
import type { Again, FixSteps } from './proposal.ts';
import { entriesOf, setKey, stageBody, valueOf } from './source.ts';
import { type Candidate, fixesAmong, type Goal } from './trial.ts';

/** Stages and devices that do not match, or stages that share a device: other numbers of stages, ranks, chunks or devices. */
export function* deviceFixes(analysis: Analysis, finding: Finding, again: Again): FixSteps {
  const path = nodeAt(analysis.syntax, finding.place.start);
  const block = path.find((node) => node.kind === 'block');
  if (block?.kind !== 'block' || block.keyword.text !== 'pipeline') return [];
  const { body, name } = block;
  if (body === undefined || name === undefined) return [];
  const count = ({ findings }: Analysis) => findings.filter(({ code }) => code === finding.code).length;
  const goal: Goal = {
    pipeline: name.text,
    emphasis: 'time',
    fitting: true,
    met: (changed) => count(changed) < count(analysis),
  };
  const stage = path.findLast((node) => node.kind === 'entry' && node.key.text === 'stage');
  const written = stage?.kind === 'entry' ? stage.name?.text : undefined;
  return yield* fixesAmong(
    analysis,
    goal,
    (function* () {
      if (finding.hint?.kind === 'group') yield* groupCandidates(analysis, body, finding.hint.groups);
      if (written !== undefined) yield* placeCandidates(analysis, body, written);
      yield* countCandidates(analysis, body);
      yield* rankCandidates(analysis, body);
      yield* clusterCandidates(analysis, body, finding.hint?.kind === 'value' ? finding.hint.values : []);
    })(),
    again,
  );
}

/** Numbers of stages to try around the one that is written, the nearest first. */
const around = [1, 2, 3, 4, 5, 6, 7, 8];

function* countCandidates(analysis: Analysis, body: Block): Generator<Candidate, void, void> {
  const cut = valueOf(body, 'stages');
  const stages = cut?.kind === 'call' && cut.callee.text === 'balance' ? cut.arguments[0]?.value : undefined;
  const now = numberAt(analysis, stages);
  const schedule = valueOf(body, 'schedule');
  const chunks =
    schedule?.kind === 'call' ? schedule.arguments.find(({ name }) => name?.text === 'chunks')?.value : undefined;
  if (now !== undefined) {
    const wanted = new Set([...around.flatMap((by) => [now - by, now + by]), now / 2, now / 4, 2 * now]);
    for (const count of wanted)
      if (Number.isInteger(count) && count > 0)
        yield {
          what: `Cut the model into ${count} stages`,
          kind: 'stages',
          edits: [setNumber(analysis, stages, count)],
        };
  }
  const held = numberAt(analysis, chunks);
  if (held !== undefined)
    for (const count of [held - 1, held + 1, 2 * held, held / 2, 1])
      if (Number.isInteger(count) && count > 0)
        yield {
          what: `Put ${count} ${count === 1 ? 'stage' : 'stages'} on each device`,
          kind: 'chunks',
          edits: [setNumber(analysis, chunks, count)],
        };
}

/** The stages of each device of the schedule on one of the devices that they name; or a schedule with one stage on each device. */
function* groupCandidates(
  { syntax }: Analysis,
  body: Block,
  groups: readonly (readonly string[])[],
): Generator<Candidate, void, void> {
  const onOf = (stage: string) => {
    const block = stageBody(body, stage);
    return block === undefined ? undefined : valueOf(block, 'on');
  };
  const textOf = (stage: string): string => {
    const on = onOf(stage);
    return on === undefined ? '' : syntax.text.slice(on.start, on.end);
  };
  const named = [...new Set(groups.flat().map(textOf))].filter((text) => text !== '');
  const free = new Set(named);
  const edits = groups.flatMap((stages) => {
    const first = textOf(stages[0]);
    const text = free.has(first) ? first : [...free][0];
    if (text === undefined) return [undefined];
    free.delete(text);
    return stages.flatMap((stage) => {
      const on = onOf(stage);
      if (on === undefined) return [undefined];
      return textOf(stage) === text ? [] : [{ start: on.start, end: on.end, text }];
    });
  });
  yield { what: 'Put the stages where the schedule expects them', kind: 'group', edits };
  for (const schedule of ['1f1b', 'zb_h1'])
    yield { what: `Use ${schedule}`, kind: 'schedule', edits: [setKey(syntax.text, body, 'schedule', schedule)] };
}

/** Fewer ranks for each stage. */
function* rankCandidates(analysis: Analysis, body: Block): Generator<Candidate, void, void> {
  for (const key of ['data', 'tensor', 'context']) {
    const written = valueOf(body, key);
    const now = numberAt(analysis, written);
    for (const count of now === undefined ? [] : [now / 2, now / 4, now - 1])
      if (Number.isInteger(count) && count > 0)
        yield {
          what: `Use ${count} ${key} ${count === 1 ? 'rank' : 'ranks'}`,
          kind: key,
          edits: [setNumber(analysis, written, count)],
        };
  }
}

/** Another device for the stage, or all of its devices as replicas. */
function* placeCandidates(analysis: Analysis, body: Block, stage: string): Generator<Candidate, void, void> {
  const block = stageBody(body, stage);
  const on = block === undefined ? undefined : valueOf(block, 'on');
  if (block === undefined || on === undefined) return;
  if (valueOf(block, 'replicate') === undefined)
    yield {
      what: `Share the work of "${stage}" among its devices`,
      kind: 'replicas',
      edits: [setKey(analysis.syntax.text, block, 'replicate', 'split')],
    };
  if (on.kind !== 'index' || on.arguments.length !== 1) return;
  const [{ value }] = on.arguments;
  const used = entriesOf(body, 'stage').flatMap((entry) => {
    const place = entry.body === undefined ? undefined : valueOf(entry.body, 'on');
    const at = place?.kind === 'index' ? numberAt(analysis, place.arguments[0]?.value) : undefined;
    return at === undefined ? [] : [at];
  });
  const free = Array.from({ length: mostDevices }, (_, device) => device).filter((device) => !used.includes(device));
  for (const device of free.slice(0, around.length))
    yield {
      what: `Put "${stage}" on ${on.target.text}[${device}]`,
      kind: 'place',
      edits: [{ start: value.start, end: value.end, text: String(device) }],
    };
}

const mostDevices = 64;

/** More devices, where this file says how many there are. That is other hardware, so it comes last. */
function* clusterCandidates(
  { syntax }: Analysis,
  body: Block,
  enough: readonly number[],
): Generator<Candidate, void, void> {
  const devices = valueOf(body, 'devices');
  const cluster = syntax.declarations.find(
    (declaration) =>
      declaration.kind === 'block' &&
      declaration.keyword.text === 'cluster' &&
      devices?.kind === 'name' &&
      declaration.name?.text === devices.text,
  );
  const group =
    cluster?.kind === 'block'
      ? cluster.body?.entries.find((entry) => entry.kind === 'entry' && entry.index?.length === 1)
      : undefined;
  const count = group?.kind === 'entry' ? group.index?.[0] : undefined;
  if (group?.kind !== 'entry' || count?.kind !== 'quantity' || count.unit !== '') return;
  for (const wanted of new Set([...enough, ...around.map((by) => count.value + by), 2 * count.value, 4 * count.value]))
    yield {
      what: `With ${group.key.text}[${wanted}] in the cluster`,
      kind: 'hardware',
      edits: [{ start: count.start, end: count.end, text: String(wanted) }],
      last: true,
      // What makes room comes next: without enough devices, nothing runs.
      mayOverfill: true,
    };
}

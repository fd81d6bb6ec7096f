/** Devices of stages: `place = best`, or the devices that it chooses, written into the file. */
import { nodeAt, type Block } from '../../grammar/index.ts';
import type { Analysis } from '../flow/check.ts';
import type { Finding, FixHint } from '../findings/finding.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { cutStages } from '../costs/stages.ts';
import { stageEdits, writtenStages } from './balance.ts';
import { subjectOf } from './candidates.ts';
import { figuresOf, relative, samplePeriod } from './effect.ts';
import { type Simulated, tried } from './outcome.ts';
import { type Again, apply, checkedAgain, type Edit, type FixSteps, type Proposal } from './proposal.ts';
import { remains } from './remains.ts';
import { withoutNode } from './repairs/edits.ts';
import { entriesOf, setKey } from './source.ts';
import { fixesAmong } from './trial.ts';

type Hint = Extract<FixHint, { readonly kind: 'tune' }>;

const title = 'Write the devices of the best placement into the file';

/** The key, or the devices that it chooses as `on` of the stages. */
export function* slowHopFixes(analysis: Analysis, finding: Finding, { pipeline }: Hint, again: Again): FixSteps {
  const subject = subjectOf(analysis, pipeline, again);
  const key = subject && setKey(analysis.syntax.text, subject.body, 'place', 'best');
  if (subject === undefined || key === undefined) return [];
  const pace = samplePeriod(figuresOf(subject.before.run.report));
  const met = (changed: Analysis, after: Simulated): boolean =>
    relative(pace, samplePeriod(figuresOf(after.run.report))) < 0 && !remains(changed, finding);
  const goal = { pipeline, emphasis: 'time', met } as const;
  const byKey = yield* fixesAmong(analysis, goal, [{ what: 'Set place to best', kind: 'key', edits: [key] }], again);
  const planned = yield* checkedAgain(again, apply(analysis.syntax.text, [key]));
  const chosen = planned.resolution.plan.pipelines;
  const plan = chosen.find(({ name }) => name === pipeline);
  const edits = plan === undefined ? undefined : onEdits(analysis.syntax.text, subject.body, plan);
  if (edits === undefined) return byKey;
  const written = yield* fixesAmong(analysis, goal, [{ what: title, kind: 'on', edits }], again);
  return [...byKey, ...written.map((fix) => ({ title: fix.title, edits: fix.edits, effect: fix.effect }))];
}

/** Offered at `place = best`: the devices that it chose, to go on from. */
export function placeRefactorings(analysis: Analysis, offset: number, again: Again): readonly Proposal[] {
  const path = nodeAt(analysis.syntax, offset);
  const block = path.find((node) => node.kind === 'block');
  const entry = path.findLast((node) => node.kind === 'entry');
  if (block?.kind !== 'block' || block.keyword.text !== 'pipeline' || block.body === undefined) return [];
  if (entry?.kind !== 'entry' || entry.key.text !== 'place') return [];
  const plan = analysis.resolution.plan.pipelines.find(({ name }) => name === block.name?.text);
  const written = plan === undefined ? undefined : onEdits(analysis.syntax.text, block.body, plan);
  const edits = written === undefined ? undefined : [...written, withoutNode(analysis.syntax, entry)];
  const after = edits === undefined ? undefined : tried(analysis, edits, again);
  const same = after?.resolution.plan.pipelines.find(({ name }) => name === plan?.name);
  return edits === undefined || same === undefined || devicesOf(same) !== devicesOf(plan) ? [] : [{ title, edits }];
}

const devicesOf = (plan: PipelinePlan | undefined): string =>
  JSON.stringify(plan?.placement.map((device) => plan.devices[device].name));

/** `on` in each stage that has none. */
function onEdits(text: string, body: Block, plan: PipelinePlan): readonly Edit[] | undefined {
  const { place, placement } = plan;
  if (place === undefined) return undefined;
  const on = cutStages(plan).map(({ index }) => place.on[placement[index]]);
  const blocks = entriesOf(body, 'stage');
  if (blocks.length === 0) {
    const stages = writtenStages(plan).map((stage, index) => ({ ...stage, on: on[index] }));
    return stageEdits(text, body, stages);
  }
  const edits = blocks.map(({ body: stage }, index) =>
    stage === undefined || entriesOf(stage, 'on').length > 0 ? undefined : setKey(text, stage, 'on', on[index]),
  );
  return edits.filter((edit) => edit !== undefined);
}

import { nodeAt, type Block } from '../../grammar/index.ts';
import type { Call } from '../../grammar/syntax.ts';
import type { Analysis } from '../flow/check.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { cutStages, stageName } from '../costs/stages.ts';
import type { Subject } from './candidates.ts';
import { writtenLayers } from './layers.ts';
import { tried } from './outcome.ts';
import { type Again, apply, checkedAgain, type Edit, type Proposal } from './proposal.ts';
import { entriesOf, indentOf, lineBreak, valueOf } from './source.ts';
import type { Candidate } from './trial.ts';

interface Stage {
  readonly name: string;
  readonly layers: readonly string[];
  /** Only of planned stages. */
  readonly on?: string;
  readonly replicate?: string;
  readonly ranks?: { readonly tensor: number; readonly data: number };
}

const title = 'Write the balanced stages into the file';

/** What `balance` weighs, with the words of a title. */
const weighed = { time: 'slowest stage', memory: 'memory', both: 'memory and time' } as const;
export type CutBy = keyof typeof weighed;

/**
 * The exact best cut into as many stages. `balance(n)` gets the argument `by`. Stages that are written out are written anew: blocks
 * keep their names, devices and comments.
 */
export function* cutCandidates(subject: Subject, by: readonly CutBy[]): Generator<Candidate | undefined, void, void> {
  const { analysis, body, pipeline, plan, again } = subject;
  const cut = valueOf(body, 'stages');
  for (const weight of by) {
    if (cut?.kind === 'name' && cut.text === 'balance') {
      const edits = weight === 'time' ? [] : [{ start: cut.end, end: cut.end, text: `(by = ${weight})` }];
      if (edits.length > 0) yield { what: `Cut the stages by ${weighed[weight]}`, kind: 'cut', edits };
      continue;
    }
    if (cut?.kind === 'call' && cut.callee.text === 'balance') {
      const edits = [weighing(cut, weight)];
      yield { what: `Cut the stages by ${weighed[weight]}`, kind: 'cut', edits };
      continue;
    }
    const best = yield* bestStages(analysis, body, pipeline, cutStages(plan).length, weight, again);
    const edits = best === undefined ? undefined : stageEdits(analysis.syntax.text, body, best);
    const what = weight === 'time' ? title : `Cut the stages by ${weighed[weight]}`;
    if (edits !== undefined) yield { what, kind: 'cut', edits };
  }
}

/** `by = memory` in `balance(n)`. Time is what it weighs by default. */
function weighing(cut: Call, by: CutBy): Edit | undefined {
  const written = cut.arguments.find(({ name }, index) => (name === undefined ? index === 1 : name.text === 'by'));
  const last = cut.arguments.at(-1);
  if (written !== undefined) return { start: written.value.start, end: written.value.end, text: by };
  return last === undefined || by === 'time' ? undefined : { start: last.end, end: last.end, text: `, by = ${by}` };
}

/** Offered at `stages = balance(n)` or `stages = plan(…)`: the same stages as blocks, to go on from. */
export function balanceRefactorings(analysis: Analysis, offset: number, again: Again): readonly Proposal[] {
  const path = nodeAt(analysis.syntax, offset);
  const block = path.find((node) => node.kind === 'block');
  const entry = path.findLast((node) => node.kind === 'entry');
  const value = entry?.kind === 'entry' && entry.key.text === 'stages' ? entry.values?.[0] : undefined;
  if (block?.kind !== 'block' || block.keyword.text !== 'pipeline' || block.name === undefined) return [];
  if (block.body === undefined || value === undefined) return [];
  const maker = value.kind === 'call' ? value.callee.text : value.kind === 'name' ? value.text : '';
  if (maker !== 'balance' && (maker !== 'plan' || value.kind !== 'call')) return [];
  const pipeline = block.name.text;
  const plan = analysis.resolution.plan.pipelines.find(({ name }) => name === pipeline);
  if (plan === undefined) return [];
  const made = analysis.resolution.derived.find(
    (derivedValue) => derivedValue.offset === value.end && derivedValue.planned?.pipeline === pipeline,
  )?.planned;
  const stages = made?.stages.map((stage, index) => ({ ...stage, name: `s${index}` })) ?? writtenStages(plan);
  const edits = stageEdits(analysis.syntax.text, block.body, stages);
  const after = edits === undefined ? undefined : tried(analysis, edits, again);
  const same = after?.resolution.plan.pipelines.find(({ name }) => name === pipeline);
  const layers = (stages: readonly Stage[]) => JSON.stringify(stages.map((stage) => stage.layers));
  const found = made === undefined ? title : 'Write the planned stages into the file';
  return edits === undefined || same === undefined || layers(writtenStages(same)) !== layers(stages)
    ? []
    : [{ title: found, edits }];
}

/** The stages as a file writes them: of several copies one, by its own name. */
export const writtenStages = (plan: PipelinePlan): readonly Stage[] =>
  cutStages(plan).map(({ plan: stage }) => ({ name: stageName(stage), layers: stage.layers }));

/** What `balance(n)` gives in place of the cut that is written. */
function* bestStages(
  analysis: Analysis,
  body: Block,
  pipeline: string,
  count: number,
  by: CutBy,
  again: Again,
): Generator<undefined, readonly Stage[] | undefined, void> {
  const cut = [...entriesOf(body, 'stages'), ...entriesOf(body, 'stage')];
  const [first] = cut;
  if (first === undefined) return undefined;
  const edits = cut.map(({ start, end }) => ({
    start,
    end,
    text: start === first.start ? `stages = balance(${count}${by === 'time' ? '' : `, by = ${by}`})` : '',
  }));
  const balanced = yield* checkedAgain(again, apply(analysis.syntax.text, edits));
  const plan = balanced.resolution.plan.pipelines.find(({ name }) => name === pipeline);
  return plan === undefined ? undefined : writtenStages(plan);
}

/** Stages in place of the cut that is written; blocks only get other layers. */
export function stageEdits(text: string, body: Block, stages: readonly Stage[]): readonly Edit[] | undefined {
  const blocks = entriesOf(body, 'stage');
  const [entry] = entriesOf(body, 'stages');
  if (blocks.length === 0) {
    if (entry === undefined) return undefined;
    const lines = stages.map(
      (stage, index) => `stage ${nameOf(stage, index)} { layers = ${writtenLayers(stage.layers)}${placed(stage)} }`,
    );
    return [{ start: entry.start, end: entry.end, text: lines.join(lineBreak(text) + indentOf(text, entry.start)) }];
  }
  if (entry !== undefined || blocks.length !== stages.length) return undefined;
  const edits = blocks.flatMap((block, index) => {
    const values = block.body === undefined ? [] : (entriesOf(block.body, 'layers')[0]?.values ?? []);
    const [first, last] = [values[0], values.at(-1)];
    const layers = writtenLayers(stages[index].layers);
    return first === undefined || last === undefined ? [] : [{ start: first.start, end: last.end, text: layers }];
  });
  return edits.length === blocks.length ? edits : undefined;
}

const placed = ({ on, replicate, ranks }: Stage): string =>
  (on === undefined ? '' : `  on = ${on}`) +
  (replicate === undefined ? '' : `  replicate = ${replicate}`) +
  (ranks === undefined ? '' : `  tensor = ${ranks.tensor}  data = ${ranks.data}`);

/** Stages of `balance` may have names that no file could write. */
const nameOf = ({ name }: Stage, index: number): string => (/^[A-Za-z_]\w*$/.test(name) ? name : `stage_${index}`);

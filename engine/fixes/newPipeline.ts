/** A pipeline for a file that declares things and runs none of them. */
import type { Analysis } from '../flow/check.ts';
import type { SymbolInfo, SymbolKind } from '../language/resolution.ts';
import type { PipelinePlan, StagePlan } from '../values/plan.ts';
import { fullest } from '../basics/fullest.ts';
import { bytes } from '../basics/quantities.ts';
import { simulated } from './outcome.ts';
import { type Again, apply, checkedAgain, type Edit } from './proposal.ts';
import { nodesSetting, setNodesOf, type SetNodes } from './nodeCount.ts';
import { lineBreak } from './source.ts';
import { fittingRanks, microbatchesOf, type Ranks, type TriedRanks } from './starterRanks.ts';

export interface NewPipeline {
  /** `Add a pipeline of toy on box`; `Add a pipeline of llama3_70b on dgx_h100, which needs 4 nodes`. */
  readonly title: string;
  /** What the file does not say and the text assumes, in sentences. */
  readonly assumptions: readonly string[];
  /** The pipeline at the end of the file, after the edit that gives the cluster its nodes. */
  readonly edits: readonly Edit[];
}

/** Numbers of stages to try: more are hard to read, and each is planned. */
const stageCounts = [16, 12, 8, 6, 4, 3, 2, 1];

/**
 * The model and the cluster of the file, or imported ones. Layers with a shape get the ranks, the recomputation and the nodes with which
 * they fit. Measured layers are cut into about as many stages as there are devices and layers. What is missing comes from the standard
 * files. `again` checks another text of the file. Undefined if no such pipeline can be planned. Pauses between trials.
 */
export function* newPipelineSteps(
  analysis: Analysis,
  again: Again,
): Generator<undefined, NewPipeline | undefined, void> {
  const errors = errorsOf(analysis);
  for (const parts of choices(analysis)) {
    const tried = function* (settings: Settings): Generator<undefined, Planned | undefined, void> {
      const changed = yield* checkedAgain(again, apply(analysis.syntax.text, editsOf(analysis, parts, settings)));
      const plan = changed.resolution.plan.pipelines.find((pipeline) => pipeline.name === parts.name);
      return plan === undefined || errorsOf(changed) > errors ? undefined : { changed, plan };
    };
    for (const stages of stageCounts) {
      const plain = yield* tried({ stages });
      yield undefined;
      if (plain === undefined) continue;
      const trains = yield* optimizerFor(plain.plan.stages, function* (optimizer) {
        return (yield* tried({ stages, optimizer }))?.plan.stages;
      });
      const settings: Settings = { stages, optimizer: trains?.name };
      const fitting = yield* fittingSettings(parts, settings, tried);
      const { title, ...found } = fitting ?? { title: '', settings, assumption: yield* overfull(tried(settings)) };
      return {
        title: `Add a pipeline of ${parts.model} on ${parts.devices}${title}`,
        assumptions: [...parts.assumptions, trains?.assumption, found.assumption].filter((each) => each !== undefined),
        edits: editsOf(analysis, parts, found.settings),
      };
    }
  }
  return undefined;
}

interface Planned {
  readonly changed: Analysis;
  readonly plan: PipelinePlan;
}

type Tried = (settings: Settings) => Generator<undefined, Planned | undefined, void>;

/** What the pipeline says beyond its model, its devices and its microbatches. */
interface Settings {
  readonly stages: number;
  readonly optimizer?: string | undefined;
  readonly ranks?: Ranks;
}

/** Settings whose peaks fit, and what the title says of their nodes; undefined for measured layers and if none is found. */
function* fittingSettings(
  { setNodes, schedule }: Parts,
  plain: Settings,
  tried: Tried,
): Generator<undefined, { settings: Settings; title: string; assumption?: undefined } | undefined, void> {
  const settingsOf = (ranks: Ranks): Settings => ({ ...plain, stages: ranks.pipeline * ranks.chunks, ranks });
  const outcome = function* (ranks: Ranks): Generator<undefined, TriedRanks | undefined, void> {
    const found = yield* tried(settingsOf(ranks));
    if (found === undefined) return undefined;
    const { plan, changed } = found;
    return {
      plan,
      size: changed.resolution.sizes.get(plan.name),
      report: simulated(changed, plan.name)?.run.report,
      complaints: changed.findings.map(({ code }) => code),
    };
  };
  const best = yield* fittingRanks(plain.stages, outcome, {
    mayGrow: setNodes !== undefined,
    mayInterleave: schedule === '1f1b',
  });
  return best === undefined
    ? undefined
    : { settings: settingsOf(best), title: best.nodes === undefined ? '' : `, which needs ${best.nodes} nodes` };
}

/** Why a pipeline is offered that does not fit; undefined if it does. */
function* overfull(
  planned: Generator<undefined, Planned | undefined, void>,
): Generator<undefined, string | undefined, void> {
  const found = yield* planned;
  const report = found === undefined ? undefined : simulated(found.changed, found.plan.name)?.run.report;
  const full = report === undefined ? undefined : fullest(report);
  return full === undefined || full.peak <= full.capacity
    ? undefined
    : `No ranks were found that fit: ${full.name} needs ${bytes(full.peak)} of its ${bytes(full.capacity)}.`;
}

type Stages = readonly Pick<StagePlan, 'weights'>[];

/** Adam for 16-bit weights, then for weights in fp32. */
const optimizers = ['adam_mixed', 'adam'] as const;

/**
 * An optimizer that keeps the weights at the precision of the model, or the first that can be planned: a plan without one seems to fit
 * where training does not. Undefined for a model without weights.
 */
function* optimizerFor(
  planned: Stages,
  tried: (optimizer: string) => Generator<undefined, Stages | undefined, void>,
): Generator<undefined, { readonly name?: string; readonly assumption: string } | undefined, void> {
  const weightsOf = (all: Stages): number => all.reduce((sum, { weights }) => sum + weights, 0);
  const weights = weightsOf(planned);
  if (weights === 0) return undefined;
  const possible: { readonly name: string; readonly keepsWeights: boolean }[] = [];
  for (const name of optimizers) {
    const after = yield* tried(name);
    if (after !== undefined) possible.push({ name, keepsWeights: weightsOf(after) === weights });
  }
  const [best] = possible.toSorted((a, b) => Number(b.keepsWeights) - Number(a.keepsWeights));
  return best === undefined
    ? { assumption: 'There is no optimizer: memory holds no optimizer state.' }
    : { name: best.name, assumption: `There is no optimizer: the pipeline takes ${best.name}.` };
}

/** Best first. Devices may be too plain for layers with a shape: then measured layers stand for the model. */
const choices = (analysis: Analysis): readonly Parts[] =>
  (['published', 'measured'] as const).flatMap((source) => {
    const parts = partsOf(analysis, source);
    return parts.schedules.map((schedule) => ({ ...parts, schedule }));
  });

const errorsOf = ({ resolution }: Analysis): number =>
  resolution.findings.filter(({ severity }) => severity === 'error').length;

interface Parts {
  /** Of the pipeline. */
  readonly name: string;
  readonly model: string;
  readonly devices: string;
  /** Name of a param for it, if the file has one. */
  readonly microbatches: string | undefined;
  readonly schedule: string;
  /** Declarations that the pipeline needs and the file does not have, with this many nodes. */
  readonly before: (nodes?: number) => readonly string[];
  /** Undefined if the cluster cannot have more nodes. */
  readonly setNodes: SetNodes | 'before' | undefined;
  readonly assumptions: readonly string[];
}

function partsOf(
  { syntax, resolution }: Analysis,
  source: 'published' | 'measured',
): Omit<Parts, 'schedule'> & { readonly schedules: readonly string[] } {
  const { symbols } = resolution.symbols;
  const { file } = resolution.plan;
  const named = [...symbols.values()].filter(({ container }) => container === undefined);
  const isLocal = ({ declaration }: SymbolInfo): boolean => declaration?.uri === file;
  const firstOf = (kind: SymbolKind): SymbolInfo | undefined => {
    const all = named.filter((symbol) => symbol.kind === kind && symbol.declaration !== undefined);
    return all.find(isLocal) ?? all[0];
  };
  const first = (kind: SymbolKind): string | undefined => firstOf(kind)?.name;
  const taken = new Set([...named.map(({ name }) => name), ...syntax.tokens.map(({ text }) => text)]);
  const free = (name: string): string => {
    for (let number = 2; taken.has(name); number += 1) name = `${name.replace(/\d+$/, '')}${number}`;
    return name;
  };
  const before: ((nodes?: number) => string)[] = [];
  const assumptions: string[] = [];
  const model = first('model');
  const declared = firstOf('cluster');
  const cluster = declared?.name;
  const device = first('device');
  const assumed = source === 'published' ? 'gpt2' : free('toy');
  if (model === undefined && source === 'measured') {
    before.push(() => `model ${assumed} {\n  layer block[8] { forward = 4ms  backward = 8ms  output = 256KiB }\n}`);
    assumptions.push('There is no model: the pipeline takes eight equal layers with a forward of 4 ms.');
  } else if (model === undefined) {
    before.push(() => 'import { gpt2 } from "std:models"');
    assumptions.push('There is no model: the pipeline takes gpt2 from std:models.');
  }
  const box = free('box');
  if (cluster === undefined && device !== undefined) {
    before.push(() => `cluster ${box} {\n  gpu[4] = ${device}\n  link   = 25GB/s + 5us\n}`);
    assumptions.push(`There is no cluster: the pipeline takes four ${device} with links of 25 GB/s.`);
  } else if (cluster === undefined) {
    before.push((nodes) => `import { dgx_h100 } from "std:clusters"${nodes === undefined ? '' : nodesSetting(nodes)}`);
    assumptions.push('There is no cluster: the pipeline takes dgx_h100 from std:clusters.');
  }
  const schedule = first('schedule');
  return {
    name: free('train'),
    model: model ?? assumed,
    devices: cluster ?? (device === undefined ? 'dgx_h100' : box),
    microbatches: named.find(({ kind, name }) => kind === 'param' && name === 'microbatches')?.name,
    schedules: schedule === undefined ? ['1f1b'] : [schedule, '1f1b'],
    before: (nodes) => before.map((text) => text(nodes)),
    setNodes: declared !== undefined ? setNodesOf(syntax, declared) : device === undefined ? 'before' : undefined,
    assumptions,
  };
}

/** The pipeline at the end of the file, and the nodes that its cluster gets for it. */
function editsOf({ syntax: { text } }: Analysis, parts: Parts, settings: Settings): readonly Edit[] {
  const nodes = settings.ranks?.nodes;
  const { setNodes } = parts;
  const added = { start: text.length, end: text.length, text: written(text, parts, settings) };
  return nodes === undefined || setNodes === undefined || setNodes === 'before' ? [added] : [setNodes(nodes), added];
}

function written(text: string, parts: Parts, { stages, optimizer, ranks }: Settings): string {
  const { name, model, devices, microbatches, before, schedule } = parts;
  const { tensor, data, expert, chunks, recompute } = ranks ?? { tensor: 1, data: 1, expert: 1, chunks: 1 };
  const values: readonly (readonly [key: string, value: string | number] | undefined)[] = [
    ['model', model],
    ['devices', devices],
    tensor > 1 ? ['tensor', tensor] : undefined,
    tensor > 1 ? ['sequence_parallel', 'true'] : undefined,
    data > 1 ? ['data', data] : undefined,
    expert > 1 ? ['expert', expert] : undefined,
    ['microbatches', microbatches ?? (ranks === undefined ? Math.max(8, 2 * stages) : microbatchesOf(ranks))],
    ['stages', `balance(${stages})`],
    ['schedule', chunks > 1 ? `interleaved_1f1b(chunks = ${chunks})` : schedule],
    recompute === 'full' ? ['recompute', 'full'] : undefined,
    optimizer === undefined ? undefined : ['optimizer', data > 1 ? `${optimizer}(shard = zero1)` : optimizer],
  ];
  const entries = values.filter((value) => value !== undefined);
  const width = Math.max(...entries.map(([key]) => key.length));
  const pipeline = [
    `pipeline ${name} {`,
    ...entries.map(([key, value]) => `  ${key.padEnd(width)} = ${value}`),
    '}',
  ].join('\n');
  const gap = text.trim() === '' ? '' : /\n\r?\n$/.test(text) ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  return `${gap}${[...before(ranks?.nodes), pipeline].join('\n\n')}\n`.replaceAll('\n', lineBreak(text));
}

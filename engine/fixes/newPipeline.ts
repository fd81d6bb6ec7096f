/** A pipeline for a file that declares things and runs none of them. */
import type { Analysis } from '../flow/check.ts';
import type { SymbolInfo, SymbolKind } from '../language/resolution.ts';
import type { StagePlan } from '../values/plan.ts';
import { apply, type Edit } from './proposal.ts';
import { lineBreak } from './source.ts';

type Planned = Pick<Analysis, 'syntax' | 'resolution'>;

export interface NewPipeline {
  /** `Add a pipeline of toy on box`. */
  readonly title: string;
  /** What the file does not say and the text assumes, in sentences. */
  readonly assumptions: readonly string[];
  readonly edit: Edit;
}

/** Numbers of stages to try: more are hard to read, and each is planned. */
const stageCounts = [16, 12, 8, 6, 4, 3, 2, 1];

/**
 * The model and the cluster of the file, or imported ones, cut into about as many stages as there are devices and layers. What is missing
 * comes from the standard files. `again` plans another text of the file. Undefined if no such pipeline can be planned.
 */
export function newPipeline(analysis: Planned, again: (text: string) => Planned): NewPipeline | undefined {
  const { text } = analysis.syntax;
  const errors = errorsOf(analysis);
  for (const parts of choices(analysis)) {
    const { name, model, devices, assumptions } = parts;
    for (const stages of stageCounts) {
      const edit = { start: text.length, end: text.length, text: written(text, parts, stages) };
      const stagesOf = (added: Edit): Stages | undefined => {
        const changed = again(apply(text, [added]));
        const plan = changed.resolution.plan.pipelines.find((pipeline) => pipeline.name === name);
        return errorsOf(changed) <= errors ? plan?.stages : undefined;
      };
      const planned = stagesOf(edit);
      if (planned === undefined) continue;
      const withOptimizer = (optimizer: string) => ({ ...edit, text: written(text, parts, stages, optimizer) });
      const trains = optimizerFor(planned, (optimizer) => stagesOf(withOptimizer(optimizer)));
      return {
        title: `Add a pipeline of ${model} on ${devices}`,
        assumptions: trains === undefined ? assumptions : [...assumptions, trains.assumption],
        edit: trains?.name === undefined ? edit : withOptimizer(trains.name),
      };
    }
  }
  return undefined;
}

type Stages = readonly Pick<StagePlan, 'weights'>[];

/** Adam for 16-bit weights, then for weights in fp32. */
const optimizers = ['adam_mixed', 'adam'] as const;

/**
 * An optimizer that keeps the weights at the precision of the model, or the first that can be planned: a plan without one seems to fit
 * where training does not. Undefined for a model without weights.
 */
function optimizerFor(
  planned: Stages,
  tried: (optimizer: string) => Stages | undefined,
): { readonly name?: string; readonly assumption: string } | undefined {
  const weightsOf = (all: Stages): number => all.reduce((sum, { weights }) => sum + weights, 0);
  const weights = weightsOf(planned);
  if (weights === 0) return undefined;
  const possible = optimizers.flatMap((name) => {
    const after = tried(name);
    return after === undefined ? [] : [{ name, keepsWeights: weightsOf(after) === weights }];
  });
  const [best] = possible.toSorted((a, b) => Number(b.keepsWeights) - Number(a.keepsWeights));
  return best === undefined
    ? { assumption: 'There is no optimizer: memory holds no optimizer state.' }
    : { name: best.name, assumption: `There is no optimizer: the pipeline takes ${best.name}.` };
}

/** Best first. Devices may be too plain for layers with a shape: then measured layers stand for the model. */
const choices = (analysis: Planned): readonly Parts[] =>
  (['published', 'measured'] as const).flatMap((source) => {
    const parts = partsOf(analysis, source);
    return parts.schedules.map((schedule) => ({ ...parts, schedule }));
  });

const errorsOf = ({ resolution }: Planned): number =>
  resolution.findings.filter(({ severity }) => severity === 'error').length;

interface Parts {
  /** Of the pipeline. */
  readonly name: string;
  readonly model: string;
  readonly devices: string;
  /** Name of a param for it, if the file has one. */
  readonly microbatches: string | undefined;
  readonly schedule: string;
  /** Declarations that the pipeline needs and the file does not have. */
  readonly before: readonly string[];
  readonly assumptions: readonly string[];
}

function partsOf(
  { syntax, resolution }: Planned,
  source: 'published' | 'measured',
): Omit<Parts, 'schedule'> & { readonly schedules: readonly string[] } {
  const { symbols } = resolution.symbols;
  const { file } = resolution.plan;
  const named = [...symbols.values()].filter(({ container }) => container === undefined);
  const isLocal = ({ declaration }: SymbolInfo): boolean => declaration?.uri === file;
  const first = (kind: SymbolKind): string | undefined => {
    const all = named.filter((symbol) => symbol.kind === kind && symbol.declaration !== undefined);
    return (all.find(isLocal) ?? all[0])?.name;
  };
  const taken = new Set([...named.map(({ name }) => name), ...syntax.tokens.map(({ text }) => text)]);
  const free = (name: string): string => {
    for (let number = 2; taken.has(name); number += 1) name = `${name.replace(/\d+$/, '')}${number}`;
    return name;
  };
  const before: string[] = [];
  const assumptions: string[] = [];
  const model = first('model');
  const cluster = first('cluster');
  const device = first('device');
  const assumed = source === 'published' ? 'gpt2' : free('toy');
  if (model === undefined && source === 'measured') {
    before.push(`model ${assumed} {\n  layer block[8] { forward = 4ms  backward = 8ms  output = 256KiB }\n}`);
    assumptions.push('There is no model: the pipeline takes eight equal layers with a forward of 4 ms.');
  } else if (model === undefined) {
    before.push('import { gpt2 } from "std:models"');
    assumptions.push('There is no model: the pipeline takes gpt2 from std:models.');
  }
  const box = free('box');
  if (cluster === undefined && device !== undefined) {
    before.push(`cluster ${box} {\n  gpu[4] = ${device}\n  link   = 25GB/s + 5us\n}`);
    assumptions.push(`There is no cluster: the pipeline takes four ${device} with links of 25 GB/s.`);
  } else if (cluster === undefined) {
    before.push('import { dgx_h100 } from "std:clusters"');
    assumptions.push('There is no cluster: the pipeline takes dgx_h100 from std:clusters.');
  }
  const schedule = first('schedule');
  return {
    name: free('train'),
    model: model ?? assumed,
    devices: cluster ?? (device === undefined ? 'dgx_h100' : box),
    microbatches: named.find(({ kind, name }) => kind === 'param' && name === 'microbatches')?.name,
    schedules: schedule === undefined ? ['1f1b'] : [schedule, '1f1b'],
    before,
    assumptions,
  };
}

/** The text to add at the end of the file. */
function written(text: string, parts: Parts, stages: number, optimizer?: string): string {
  const { name, model, devices, microbatches, before, schedule } = parts;
  const pipeline = [
    `pipeline ${name} {`,
    `  model        = ${model}`,
    `  devices      = ${devices}`,
    `  microbatches = ${microbatches ?? Math.max(8, 2 * stages)}`,
    `  stages       = balance(${stages})`,
    `  schedule     = ${schedule}`,
    ...(optimizer === undefined ? [] : [`  optimizer    = ${optimizer}`]),
    '}',
  ].join('\n');
  const gap = text.trim() === '' ? '' : /\n\r?\n$/.test(text) ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  return `${gap}${[...before, pipeline].join('\n\n')}\n`.replaceAll('\n', lineBreak(text));
}

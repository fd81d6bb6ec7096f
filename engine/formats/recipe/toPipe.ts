/** The `.pipe` text of a training configuration: one pipeline of a published model, with ranks, batch and optimizer. */
import { clusterImport, placeholderCluster } from '../placeholderCluster.ts';
import { laidOut } from '../toPipe.ts';
import type { WrittenLayers } from '../program/layers.ts';
import type { RecipeModel } from './models.ts';
import { unknownSource } from './placeholders.ts';

/** What a configuration says of a training. Counts are whole numbers of at least 1. */
export interface Recipe {
  /** What the file is, for the first comment: `a torchtitan configuration`. */
  readonly source: string;
  /** As `engine =` names it. */
  readonly engine: string;
  readonly model: RecipeModel;
  /** Layers that the file names, in the place of the model, and the stages that hold them. */
  readonly layers?: WrittenLayers;
  readonly sequence?: number;
  readonly microBatch: number;
  readonly precision: string;
  /** How inputs of products are stored, if not at the precision. */
  readonly activations?: string;
  /** How the head computes its loss, as a model writes it. */
  readonly loss?: string;
  /** `lora(…)`. */
  readonly trainable?: string;
  readonly pipeline: number;
  readonly tensor: number;
  readonly context: number;
  readonly data: number;
  readonly expert: number;
  /** Further keys of the pipeline, in the order of the file. */
  readonly keys: readonly (readonly [string, string])[];
  readonly microbatches: number;
  /** Transformer layers of each stage in order, or only a number of stages, which are balanced. */
  readonly stages: readonly number[] | number;
  readonly schedule: string;
  /** The declaration of a schedule that the file has. */
  readonly order?: string;
  /** What the file does not say, and what is not used: sentences without text of the file, each one line. */
  readonly remarks: readonly string[];
}

/** More devices are a mistake of digits. */
export const mostDevices = 2 ** 17;

export const devicesOf = ({
  pipeline,
  tensor,
  context,
  data,
}: Pick<Recipe, 'pipeline' | 'tensor' | 'context' | 'data'>): number => pipeline * tensor * context * data;

/** Data ranks of a file that leaves the number of devices to who starts it: they fill a node of eight, and are at least two. */
export const usualDataRanks = (others: number): number => Math.max(2, Math.floor(8 / others));

const unless = (one: number, key: string, value: number): readonly (readonly [string, string])[] =>
  value === one ? [] : [[key, String(value)]];

export function pipeOfRecipe(recipe: Recipe): string {
  const {
    source,
    engine,
    model,
    layers,
    sequence,
    microBatch,
    precision,
    activations,
    loss,
    trainable,
    remarks,
    schedule,
  } = recipe;
  const devices = devicesOf(recipe);
  const { name } = model;
  const keys = [
    ...unless(1, 'tensor', recipe.tensor),
    ...unless(1, 'context', recipe.context),
    ...unless(1, 'data', recipe.data),
    ...unless(1, 'expert', recipe.expert),
    ...recipe.keys,
    ['microbatches', String(recipe.microbatches)],
  ];
  return laidOut(`/// From ${source}: ${layers !== undefined ? 'its layers' : (name ?? 'its model')} on ${devices} ${devices === 1 ? 'device' : 'devices'}.
${remarks.map((remark) => `// ${remark}\n`).join('')}${layers === undefined && name !== undefined ? `import { ${name} } from "std:models"\n` : ''}${clusterImport(devices)}
model imported {
${layers === undefined ? `  from = ${name ?? unknownSource}\n` : ''}${sequence === undefined ? '' : `  sequence = ${sequence}\n`}  micro_batch = ${microBatch}
  precision = ${precision}
${activations === undefined ? '' : `  activations = ${activations}\n`}${loss === undefined || layers !== undefined ? '' : `  loss = ${loss}\n`}${trainable === undefined ? '' : `  trainable = ${trainable}\n`}${layers === undefined ? '' : `${layers.layers}\n`}}

${placeholderCluster(devices)}
${recipe.order === undefined ? '' : `${recipe.order}\n\n`}pipeline imported_pipeline {
  engine = ${engine}
  model = imported
  devices = ranks
${keys.map(([key, value]) => `  ${key} = ${value}\n`).join('')}${stagesText(recipe)}
  schedule = ${schedule}
}
`);
}

function stagesText({ model, layers, stages }: Recipe): string {
  if (layers !== undefined) return layers.stages;
  if (typeof stages === 'number' || model.name === undefined)
    return `  stages = balance(${typeof stages === 'number' ? stages : stages.length})`;
  // The layers of all arrays in a row; a stage takes the next ones.
  const open = model.runs.map(({ name, count }) => ({ name, count, next: 0 }));
  return stages
    .map((layers, index) => {
      const parts: string[] = index === 0 ? [model.first] : [];
      for (let wanted = layers; wanted > 0;) {
        const run = open.find(({ next, count }) => next < count);
        if (run === undefined) break;
        const taken = Math.min(wanted, run.count - run.next);
        const last = run.next + taken - 1;
        parts.push(`${run.name}[${taken === 1 ? last : `${run.next}..${last}`}]`);
        run.next += taken;
        wanted -= taken;
      }
      if (index === stages.length - 1) parts.push(model.last);
      return `  stage s${index} { layers = ${parts.join(', ')} }`;
    })
    .join('\n');
}

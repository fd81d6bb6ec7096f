/** A file for a model, a cluster and a batch: what users of an engine set by default, and ranks from which a search may start. */
import { parse } from '../../grammar/index.ts';
import type { EngineHost, EngineOptions } from '../basics/host.ts';
import { torchtitan } from '../engines/torchtitan.ts';
import type { PipelineSize } from '../language/resolution.ts';
import { resolve } from '../flow/resolve.ts';
import { share } from '../basics/quantities.ts';
import { sharedSamples } from './sharedSamples.ts';

export interface PlainRequest {
  /** Declarations before the pipeline: imports, or a model. */
  readonly declarations: string;
  readonly model: string;
  readonly cluster: string;
  /** Tokens of a sample, if not as many as the model says. */
  readonly sequence?: number;
  /** The most tokens of a sample that the model allows, if it was read from a file that says it. */
  readonly window?: number;
  readonly engine?: string;
  /** Samples of an iteration; or tokens, which are rounded to samples that ranks can share. */
  readonly batch: { readonly samples: number } | { readonly tokens: number };
}

export interface PlainFile {
  readonly text: string;
  /** Samples of an iteration that are asked for, which may be no whole number. */
  readonly asked: number;
  /** What was rounded, in a sentence. */
  readonly remarks: readonly string[];
}

const pipeline = 'train';
const mostPipeline = 32;

/** The file, or why there is none. */
export function plainFile(
  asked: PlainRequest,
  file: { readonly uri: string; readonly host: EngineHost; readonly options: EngineOptions },
): PlainFile | { readonly problem: string } {
  const request = withModel(asked);
  // A planner's stages are not counted before it runs, and it does not run here.
  const probe = `${request.declarations}\npipeline ${pipeline} {\n  model = ${request.model}\n  devices = ${request.cluster}\n  global_batch = 1\n  stages = plan(dapple)\n  schedule = 1f1b\n}\n`;
  const { sizes, findings } = resolve({ ...file, syntax: parse(probe), depth: 'definitions' });
  const size = sizes.get(pipeline);
  if (size === undefined) {
    const error = findings.find(({ severity }) => severity === 'error');
    return { problem: error?.message ?? 'The model and the cluster make no pipeline.' };
  }
  const batch = samplesOf(request.batch, size);
  if ('problem' in batch) return batch;
  const ranks = ranksFor(size, batch.samples);
  if (ranks === undefined) return { problem: unsplit(size, batch.samples) };
  const { tensor, data, stages } = ranks;
  const values: readonly (readonly [key: string, value: string | number] | undefined)[] = [
    ['model', request.model],
    ['devices', request.cluster],
    tensor > 1 ? ['tensor', tensor] : undefined,
    tensor > 1 ? ['sequence_parallel', 'true'] : undefined,
    data > 1 ? ['data', data] : undefined,
    ['global_batch', batch.samples],
    ['stages', `balance(${stages})`],
    ['schedule', '1f1b'],
    ['optimizer', optimizerOf(request.engine)],
    request.engine === undefined ? undefined : ['engine', request.engine],
  ];
  const entries = values.filter((value) => value !== undefined);
  const width = Math.max(...entries.map(([key]) => key.length));
  const lines = entries.map(([key, value]) => `  ${key.padEnd(width)} = ${value}\n`);
  return {
    text: `${request.declarations}\npipeline ${pipeline} {\n${lines.join('')}}\n`,
    asked: 'samples' in request.batch ? request.batch.samples : request.batch.tokens / (size.model.sequence ?? 1),
    remarks: [...sequenceRemarks(asked, size.model.sequence), ...batch.remarks],
  };
}

/** With a model that has the tokens which are asked for, and the loss of torchtitan's configurations. */
function withModel(request: PlainRequest): PlainRequest {
  const { declarations, model: from, sequence, engine } = request;
  const keys = [
    ...(sequence === undefined ? [] : [`sequence = ${sequence}`]),
    ...(engine === torchtitan.name ? [`loss = ${torchtitan.loss}`] : []),
  ];
  if (keys.length === 0) return request;
  const model = sequence === undefined ? `my_${from}` : `${from}_${sequence}`;
  return {
    ...request,
    model,
    declarations: `${declarations}\nmodel ${model} { from = ${from}  ${keys.join('  ')} }\n`,
  };
}

/** A window is not what a run trains with: says what was taken, since it may be another number. */
function sequenceRemarks({ sequence, window }: PlainRequest, taken: number | undefined): readonly string[] {
  if (sequence !== undefined || taken === undefined) return [];
  const words = (number: number): string => number.toLocaleString('en-US');
  const limit = window === undefined || window <= taken ? '' : ` The model allows ${words(window)}.`;
  return [`Assumption: a sample has ${words(taken)} tokens, as the model says.${limit} To change it: --sequence 8k.`];
}

/** What the recipes and examples of the engine train with, over data ranks. Megatron-LM and torchtitan clip gradients by default. */
function optimizerOf(engine: string | undefined): string {
  switch (engine) {
    case 'megatron':
    case 'megatron_bridge':
      return 'megatron_bf16(shard = distributed, clip = true)';
    case 'torchtitan':
      return 'adamw(shard = fsdp, clip = true)';
    case 'pytorch':
      return 'adamw(shard = fsdp)';
    default:
      return 'adam_mixed(shard = zero1)';
  }
}

interface StartRanks {
  readonly tensor: number;
  readonly data: number;
  readonly stages: number;
}

/** The most tensor ranks and the fewest pipeline ranks that share the samples; undefined for a batch that no ranks share. */
function ranksFor(size: PipelineSize, samples: number): StartRanks | undefined {
  for (const tensor of tensorRanks(size))
    for (const stages of pipelineRanks(size, tensor)) {
      const data = size.devices / (tensor * stages);
      if (samples % data === 0) return { tensor, data, stages };
    }
  return undefined;
}

/** Within a node of at most eight devices that are counted, most first. */
const tensorRanks = ({ devices, perNode, model }: PipelineSize): readonly number[] =>
  (model.measured === model.written ? [1] : [8, 4, 2, 1]).filter(
    (ranks) => perNode % ranks === 0 && devices % ranks === 0 && model.heads.every((heads) => heads % ranks === 0),
  );

const pipelineRanks = ({ devices, model }: PipelineSize, tensor: number): readonly number[] =>
  Array.from({ length: Math.min(mostPipeline, model.layers) }, (_, index) => index + 1).filter(
    (ranks) => (devices / tensor) % ranks === 0,
  );

function unsplit(size: PipelineSize, samples: number): string {
  const shares = tensorRanks(size).flatMap((tensor) =>
    pipelineRanks(size, tensor).map((stages) => size.devices / (tensor * stages)),
  );
  const least = Math.min(...shares);
  const below = Math.floor(samples / least) * least;
  const near = [below, below + least].filter((each) => each > 0).map((each) => each.toLocaleString('en-US'));
  return `A batch of ${samples.toLocaleString('en-US')} samples cannot be split over the data ranks of ${size.devices.toLocaleString('en-US')} devices. The nearest that can: ${near.join(' or ')}.`;
}

type Batch = { readonly samples: number; readonly remarks: readonly string[] } | { readonly problem: string };

/** Tokens are a round number; samples are near it and can be shared. */
function samplesOf(batch: PlainRequest['batch'], { devices, model }: PipelineSize): Batch {
  const { sequence } = model;
  const words = (number: number): string => number.toLocaleString('en-US');
  if ('samples' in batch) {
    const { samples } = batch;
    const remark = `The batch has ${words(samples * (sequence ?? 0))} tokens.`;
    return { samples, remarks: sequence === undefined ? [] : [remark] };
  }
  if (sequence === undefined)
    return { problem: 'The model says no tokens of a sample, so the batch is a number of samples: --batch 512.' };
  const exact = batch.tokens / sequence;
  const { samples, multipleOf } = sharedSamples(exact, devices);
  const more = samples > exact ? 'more' : 'less';
  const differs = `${share(Math.abs(samples / exact - 1))} ${more}`;
  return {
    samples,
    remarks:
      samples === exact
        ? []
        : [
            `${words(batch.tokens)} tokens are ${exact.toLocaleString('en-US', { maximumFractionDigits: 1 })} samples of ${words(sequence)} tokens. The batch is ${words(samples)} samples (${words(samples * sequence)} tokens, ${differs}), a multiple of ${words(multipleOf)}, which data ranks can share.`,
          ],
  };
}

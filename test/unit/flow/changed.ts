/** Files made of parts that a test changes one at a time, and what the engine makes of them. */
import * as fc from '../../support/property.ts';
import type { PipelineReport } from '../../../engine/values/report.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { analyse } from '../../support/analyse.ts';

export interface Parts {
  readonly imports?: string;
  readonly sequence: number;
  /** 2 unless said. */
  readonly samples?: number;
  readonly layer: string;
  /** Layers that are called `block`. */
  readonly layers: number;
  /** Entries of the device besides its memory. */
  readonly device: string;
  readonly cluster: string;
  /** Where it is not that cluster: the name of another. */
  readonly devices?: string;
  readonly pipeline: string;
}

export interface Outcome {
  readonly plan: PipelinePlan;
  readonly report: PipelineReport;
}

/** Plan and report; throws with what is wrong where the file does not run. */
export function outcome(parts: Parts): Outcome {
  const text = textOf(parts);
  const { pipelines, findings } = analyse(text);
  const [{ plan, run } = {}] = pipelines;
  if (plan === undefined || run === undefined)
    throw new Error(`${findings.map(({ message }) => message).join('\n')}\n${text}`);
  return { plan, report: run.report };
}

const textOf = ({
  imports = '',
  sequence,
  samples = 2,
  layer,
  layers,
  device,
  cluster,
  devices = 'pod',
  pipeline,
}: Parts): string =>
  `${imports}
model net { sequence = ${sequence}  micro_batch = ${samples}  layer block[${layers}] = ${layer} }
device card { memory = 1000GiB  compute = 100TFLOPS  ${device} }
cluster pod { ${cluster} }
pipeline train { model = net  devices = ${devices}  microbatches = 8  ${pipeline} }
`;

const llama = 'gated = true, bias = false, norm = rmsnorm, flash = true, dropout = false';
const shapes = {
  dense: `transformer(hidden = 512, heads = 8, kv_heads = 8, ffn = 1024, ${llama})`,
  eager: 'transformer(hidden = 512, heads = 8, causal = true)',
  experts: `transformer(hidden = 256, heads = 8, experts = 8, experts_per_token = 2, expert_ffn = 512, ${llama})`,
  latent: `transformer(hidden = 256, heads = 8, experts = 8, experts_per_token = 2, shared_experts = 1, kv_lora_rank = 64, q_lora_rank = 64, qk_nope_head_dim = 32, qk_rope_head_dim = 32, v_head_dim = 32, ${llama})`,
};

/** A layer with a shape; `mixed` says whether it has experts. */
export const anyLayer = fc
  .constantFrom<keyof typeof shapes>('dense', 'eager', 'experts', 'latent')
  .map((name) => ({ layer: shapes[name], mixed: name === 'experts' || name === 'latent' }));

export const anyDevice = fc.constantFrom(
  '',
  'bandwidth = 1TB/s',
  'bandwidth = 1TB/s  memory_efficiency = 80%  launch = 4us  memory_overlap = 30%',
  'bandwidth = 1TB/s  efficiency = 10%  efficiency(1GFLOP) = 60%  efficiency(16GFLOP) = 90%  memory_efficiency = 30%  memory_efficiency(10MB) = 75%',
);
export const anySchedule: fc.Arbitrary<string> = fc.constantFrom(
  '1f1b',
  'gpipe',
  'eager_1f1b',
  'zb_h1',
  'pipedream_2bw',
);
export const anyOptimizer: fc.Arbitrary<string> = fc.constantFrom(
  '',
  'optimizer = adam_mixed',
  'optimizer = megatron_bf16(shard = distributed)',
  'optimizer = adam_mixed(shard = zero2)',
  'optimizer = adam_mixed(shard = fsdp)',
  'optimizer = megatron_bf16(shard = fsdp, reshard = false)',
);
export const anySync: fc.Arbitrary<string> = fc.constantFrom('', 'sync = overlap', 'sync = overlap(bucket = 4MB)');

export const flat = (devices: number, link = '25GB/s + 5us') => `gpu[${devices}] = card  link = ${link}`;
export const cut = (stages: number) => `stages = balance(${stages})`;
export const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);
export const ways = { numRuns: 12 };

export const base = fc.record({
  of: anyLayer,
  device: anyDevice,
  schedule: anySchedule,
  optimizer: anyOptimizer,
  sync: anySync,
});
export type Base = typeof base extends fc.Arbitrary<infer T> ? T : never;
export const parts = ({ of, device, schedule, optimizer, sync }: Base, more: string, cluster: string): Parts => ({
  sequence: 256,
  layer: of.layer,
  layers: 8,
  device,
  cluster,
  pipeline: `schedule = ${schedule}  ${optimizer}  ${sync}  ${more}`,
});

/** Times and sizes of stages, devices and iteration, without names. */
export const figuresOf = ({ plan, report }: Outcome) => ({
  stages: plan.stages.map(({ name: _name, layers: _layers, ...figures }) => figures),
  step: plan.step,
  iteration: report.iteration,
  bubble: report.bubble,
  devices: report.devices.map(({ name: _name, kind: _kind, memory_items: _items, ...figures }) => figures),
});

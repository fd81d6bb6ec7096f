/** Pipelines written as text, and what the engine makes of them. */
import * as fc from '../../../support/property.ts';
import type { PipelineReport } from '../../../../engine/values/report.ts';
import type { PipelinePlan } from '../../../../engine/values/plan.ts';
import { analyse } from '../../../support/analyse.ts';

type Value = number | boolean | string;
export type Arguments = Readonly<Record<string, Value>>;

export interface Written {
  readonly imports?: string;
  /** Keys of the model: `sequence`, `micro_batch`, `precision`. */
  readonly model?: Readonly<Record<string, Value>>;
  /** As after `layer`: `block[4] = transformer(…)`. */
  readonly layers: readonly string[];
  /** Entries of the device; plenty of memory and one FLOP a second unless said. */
  readonly device?: string;
  /** Entries of the cluster besides or instead of its devices. */
  readonly cluster?: string;
  /** Devices where `cluster` says nothing. */
  readonly devices?: number;
  /** Layers of each stage where they are not balanced. */
  readonly stages?: readonly string[];
  readonly pipeline: Readonly<Record<string, Value>>;
}

/** The plan and the report of a pipeline; throws with the messages of its findings where it does not run. */
export function run(written: Written): { readonly plan: PipelinePlan; readonly report: PipelineReport } {
  const text = textOf(written);
  const { pipelines, findings } = analyse(text);
  const [found] = pipelines;
  const errors = findings.filter((finding) => finding.severity === 'error' && !finding.code.startsWith('memory/'));
  if (found?.run === undefined || errors.length > 0)
    throw new Error([...errors, ...(found?.findings ?? [])].map((one) => one.message).join('\n') + `\n${text}`);
  return { plan: found.plan, report: found.run.report };
}

function textOf({
  imports = '',
  model = {},
  layers,
  device,
  cluster,
  devices = 1,
  stages = [],
  pipeline,
}: Written): string {
  return `${imports}
model net {
  ${entries(model)}
  ${layers.map((each) => `layer ${each}`).join('\n  ')}
}
device gpu { ${device ?? 'memory = 1000000TiB  compute = 1FLOPS'} }
cluster box { ${cluster ?? `gpu[${devices}] = gpu  link = 1000000TB/s`} }
pipeline train {
  model = net  devices = box
  ${entries(pipeline)}
  ${stages.map((stage, index) => `stage s${index} { layers = ${stage} }`).join('\n  ')}
}
`;
}

const entries = (all: Readonly<Record<string, Value>>): string =>
  Object.entries(all)
    .map(([key, value]) => `${key} = ${value}`)
    .join('  ');

/** A layer of a shape: `block[4] = transformer(hidden = 64, heads = 4)`. */
export const layer = (name: string, shape: string, args: Readonly<Record<string, Value>>): string =>
  `${name} = ${shape}(${Object.entries(args)
    .map(([key, value]) => `${key} = ${value}`)
    .join(', ')})`;

/** Dimensions of an attention and an MLP that 1, 2 or 4 tensor ranks can split. */
export const dimensions = fc
  .record({
    groups: fc.constantFrom(1, 2, 3),
    headDim: fc.constantFrom(8, 16, 24),
    kv: fc.constantFrom(4, 8, 12),
    f: fc.integer({ min: 1, max: 40 }).map((value) => 4 * value),
  })
  .map(({ groups, headDim, kv, f }) => ({ h: groups * kv * headDim, a: groups * kv, kv, hd: headDim, f }));

/** Tokens and ranks: s a multiple of the context ranks, b samples. */
export const ranks = fc
  .record({
    part: fc.integer({ min: 1, max: 64 }),
    b: fc.constantFrom(1, 2, 3),
    t: fc.constantFrom(1, 2, 4),
    sp: fc.boolean(),
    c: fc.constantFrom(1, 2, 4),
  })
  .map(({ part, sp, t, ...one }) => ({ ...one, t, sp: sp && t > 1, s: 4 * part }));

/** A layer and the ranks that share it. */
export interface Case {
  readonly h: number;
  readonly a: number;
  readonly kv: number;
  readonly hd: number;
  readonly f: number;
  readonly s: number;
  readonly b: number;
  readonly t: number;
  readonly sp: boolean;
  readonly c: number;
}
export const cases = fc.tuple(dimensions, ranks).map(([one, other]): Case => ({ ...one, ...other }));

/** Equal but for rounding. */
export function near(found: number, expected: number): boolean {
  return Math.abs(found - expected) <= 1e-9 * Math.max(Math.abs(expected), 1e-300);
}

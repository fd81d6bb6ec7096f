/** One measured figure of a publication, and how the engine comes to its own. */
import type { RunKind } from '../../../../../engine/values/accuracy.ts';
import type { DeviceReport, PipelineReport } from '../../../../../engine/values/report.ts';
import type { PipelinePlan } from '../../../../../engine/values/plan.ts';
import { analyseExample } from '../../../../support/analyse.ts';
import { exampleText } from '../../../../support/example.ts';

export interface Run {
  /** What the paper calls it, and what sets it apart. */
  readonly name: string;
  readonly setting: string;
  /** A file, from `examples/published`, one of its pipelines, and its sliders. */
  readonly file: string;
  readonly pipeline: string;
  readonly sliders?: Readonly<Record<string, number>>;
  readonly measured: number;
  /** A default figure was fitted to this one, among others. */
  readonly fitted?: boolean;
  /**
   * Allows only deterministic kernels, as tests do and trainings do not. They are other kernels: Transformer Engine then has no fused attention
   * on Blackwell (`get_attention_backend`). The tables show it. Its seconds say nothing of the spread of trainings.
   */
  readonly deterministic?: true;
  /** Why the figure is off, as far as that is known. A sentence. */
  readonly reason?: string;
  readonly predict: (report: PipelineReport, plan: PipelinePlan) => number;
}

/** Runs of one publication that are compared in the same unit. */
export interface Family {
  /** Names it in `<!-- runs NAME -->`; `title` in the summary. */
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly digits: number;
  /** Several columns of figures for each setting, named by the runs; else a line for each run. */
  readonly columns?: readonly string[];
  /** Bytes; absent: seconds or rates. */
  readonly memory?: true;
  /** Of one layer, or relative to another run: they say nothing of the spread of iterations and devices. */
  readonly apart?: true;
  /** Compared with the tables of Calculon too. */
  readonly kernels?: true;
  readonly runs: readonly Run[];
}

/** The shares of `std:hardware`, or those of Calculon (`a100_by_kernel.pipe`). */
export type Mode = 'one' | 'kernels';

type Found = ReturnType<typeof analyseExample>['pipelines'];
const known = new Map<string, Found>();

const byKernel = (text: string): string =>
  text.replace(
    /^import \{ a100_80, (.+) \} from "std:hardware"$/m,
    'import { $1 } from "std:hardware"\nimport "a100_by_kernel.pipe"',
  );

function pipelinesOf({ file, sliders = {} }: Run, mode: Mode): Found {
  const key = JSON.stringify([file, sliders, mode]);
  const before = known.get(key);
  if (before !== undefined) return before;
  const name = file.startsWith('../') ? file.slice(3) : `published/${file}`;
  const text = mode === 'one' ? exampleText(name) : byKernel(exampleText(name));
  if (mode === 'kernels' && text === exampleText(name)) throw new Error(`${name} does not import an A100`);
  const { pipelines } = analyseExample(name, sliders, text);
  known.set(key, pipelines);
  return pipelines;
}

function foundOf(run: Run, mode: Mode) {
  const { plan, run: ran } = pipelinesOf(run, mode).find(({ plan: { name } }) => name === run.pipeline) ?? {};
  if (plan === undefined || ran === undefined) throw new Error(`${run.file} has no pipeline ${run.pipeline} that runs`);
  return { plan, report: ran.report };
}

/** The engine's figure. */
export function predicted(run: Run, mode: Mode = 'one'): number {
  const { plan, report } = foundOf(run, mode);
  return run.predict(report, plan);
}

/** Which runs it is like; undefined if its layers are measured. */
export const kindOf = (run: Run): RunKind | undefined => foundOf(run, 'one').plan.runKind;

/** Share by which the engine's figure is above the measured one. */
export const deviation = (run: Run, mode: Mode = 'one'): number => predicted(run, mode) / run.measured - 1;

export const longestSpan = ({ devices }: PipelineReport): number => Math.max(...devices.map((device) => device.span));
/** What the allocator of the fullest device has: its peak, and workspaces of libraries. */
export const highestPeak = ({ devices }: PipelineReport): number => Math.max(...devices.map(allocated));
export const allocated = ({ peak, workspaces = 0 }: DeviceReport): number => peak + workspaces;

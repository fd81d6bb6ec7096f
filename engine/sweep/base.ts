/** What a sweep starts from: the file without its other pipelines, and what the pipeline says of its size. */
import { type Block, parse, type SyntaxFile } from '../../grammar/index.ts';
import { apply, type Edit } from '../fixes/proposal.ts';
import { stagesArgument } from '../fixes/recut.ts';
import { entriesOf, isAside, pipelineBody, valueOf } from '../fixes/source.ts';
import { unknownMargin } from '../analyze/spread.ts';
import type { EngineHost, EngineOptions } from '../basics/host.ts';
import type { PipelineSize, Resolution } from '../language/resolution.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { resolveSteps } from '../flow/resolve.ts';
import type { Searches } from '../basics/searches.ts';
import type { Engine } from '../engines/engine.ts';
import { findEngine } from '../engines/registry.ts';
import { cutStages } from '../costs/stages.ts';
import { toEnd } from '../basics/steps.ts';
import { writtenSchedule } from './scheduleText.ts';

export interface SweepFile {
  readonly uri: string;
  readonly text: string;
  readonly host: EngineHost;
  readonly options: EngineOptions;
  /** Values of params instead of their defaults; in base units. */
  readonly overrides?: Readonly<Record<string, number>>;
  /**
   * Samples of an iteration that the user asked for, which may be no whole number: rows may then have numbers near it. Absent: all rows
   * have the number of the file.
   */
  readonly asked?: number;
}

export interface SweepBase {
  readonly file: SweepFile;
  /** Of `syntax`: rows read again only what they change. */
  readonly resolution: Resolution;
  readonly pipeline: string;
  /** The file with no pipeline but this one, and no expectations but the limits of the sweep. */
  readonly syntax: SyntaxFile;
  readonly body: Block;
  readonly size: PipelineSize;
  /** Devices that the rows share out. */
  readonly devices: number;
  /** Pipeline ranks of the file. */
  readonly ranks: number;
  /** Samples of an iteration. Rows with ranks that they do not divide may have another number. */
  readonly batch: number;
  /** Of the file: what rows may have instead is near it. */
  readonly asked?: number;
  readonly schedule: string;
  /** Stages of the cut; absent if the file does not plan and does not say them. */
  readonly stages?: number;
  /** Most bytes of a device, with what is reserved; absent if the file does not plan. */
  readonly memory?: number;
  /** Bytes of a device, without what is reserved; absent if devices differ, or if the file does not plan. */
  readonly capacity?: number;
  /** The least peak that a limit of the sweep allows; bytes, and the limit as it is written. */
  readonly peakLimit?: { readonly bytes: number; readonly text: string };
  /** Share of a device that a row keeps free, or it is tight. */
  readonly margin: number;
  /** Costs follow from shapes: with measured layers, tensor ranks save nothing. */
  readonly isDerived: boolean;
  /** The engine that trains it, of the file or of the options. */
  readonly engine?: Engine;
  /** Names of the params of the file. */
  readonly params: readonly string[];
  /** The value that the file has for a key of the pipeline or for a param. */
  written(key: string): string | undefined;
}

type FoundBase = SweepBase | { readonly problem: { readonly code: string; readonly message: string } };

/** The base, or why the pipeline cannot be searched: with the code of the finding. */
export const sweepBase = (file: SweepFile, pipeline: string, limits: readonly string[]): FoundBase =>
  toEnd(sweepBaseSteps(file, pipeline, limits));

/** The same in steps. `searches`: where planners are asked. */
export function* sweepBaseSteps(
  file: SweepFile,
  pipeline: string,
  limits: readonly string[],
  searches?: Searches,
): Generator<void, FoundBase, void> {
  const parsed = (text: string) =>
    parse(text, { size: file.options.limits.fileSize, faults: file.options.limits.findings });
  const alone = lonePipeline(parsed(file.text), pipeline);
  const syntax = parsed(limits.length === 0 ? alone : `${alone}\nexpect ${pipeline} {\n${limits.join('\n')}\n}\n`);
  const { uri, host, options, overrides } = file;
  const resolution = yield* resolveSteps({ uri, syntax, host, options, overrides, searches });
  const { plan, sizes, findings } = resolution;
  const size = sizes.get(pipeline);
  const body = pipelineBody(syntax, pipeline);
  const brace = limits.find((limit) => /[{}]/u.test(limit));
  if (brace !== undefined)
    return {
      problem: {
        code: 'syntax/unexpected',
        message: `A limit is a condition such as "peak_memory < 75GiB", not "${brace}".`,
      },
    };
  const errors = findings.filter(({ severity }) => severity === 'error');
  // A limit that means nothing is in the text behind the file. Where the text has no meaning, no row is what the file says.
  const wrong =
    size === undefined
      ? errors[0]
      : errors.find(
          ({ code, place }) => place.uri === uri && (place.start >= alone.length || code.startsWith('syntax/')),
        );
  if (size === undefined || body === undefined || wrong !== undefined) {
    const { code, message } = wrong ?? { code: 'name/unknown', message: `The file has no pipeline "${pipeline}".` };
    return { problem: { code, message } };
  }
  const planned = plan.pipelines.find(({ name }) => name === pipeline);
  const { tensor, context, data } = size.mesh;
  const schedule = writtenSchedule(syntax, body) ?? '1f1b';
  const ranks = planned?.devices.length ?? Math.max(1, Math.floor(size.devices / (tensor * context * data)));
  const engine = findEngine(valueText(syntax, body, 'engine') ?? options.engine ?? '');
  const stages = planned === undefined ? writtenStages(body) : cutStages(planned).length;
  return {
    file,
    resolution,
    pipeline,
    syntax,
    body,
    size,
    devices: size.devices,
    ranks,
    batch: size.microbatches * size.microBatch * data,
    ...(file.asked === undefined ? {} : { asked: file.asked }),
    schedule,
    ...(engine === undefined ? {} : { engine }),
    ...(stages === undefined ? {} : { stages }),
    ...(planned === undefined ? {} : memoryOf(planned)),
    margin: options.thresholds.headroom ?? unknownMargin,
    isDerived: planned?.stages.some(({ forwardFlops }) => forwardFlops > 0) === true,
    params: syntax.declarations.flatMap((each) =>
      each.kind === 'param' && each.name !== undefined ? [each.name.text] : [],
    ),
    written: (key) => valueText(syntax, body, key),
  };
}

/** What devices have, and what the limits of the sweep leave of it. */
function memoryOf({ devices, expects }: PipelinePlan): Pick<SweepBase, 'memory' | 'capacity' | 'peakLimit'> {
  const capacities = new Set(devices.map(({ memory, reserved }) => memory - reserved));
  const [capacity] = capacities;
  const [least] = expects
    .filter(({ figure, operator }) => figure === 'peak_memory' && (operator === '<' || operator === '<='))
    .filter(({ stage, device }) => stage === undefined && device === undefined)
    .toSorted((a, b) => a.bound - b.bound);
  return {
    memory: devices.reduce((most, { memory }) => Math.max(most, memory), 0),
    ...(capacities.size === 1 ? { capacity } : {}),
    ...(least === undefined ? {} : { peakLimit: { bytes: least.bound, text: least.text } }),
  };
}

function valueText({ text, declarations }: SyntaxFile, body: Block, key: string): string | undefined {
  const param = declarations.find((each) => each.kind === 'param' && each.name?.text === key);
  const value = param?.kind === 'param' ? param.value : valueOf(body, key);
  return value === undefined ? undefined : text.slice(value.start, value.end);
}

/** Stages that the file says as a number, or by their layers. */
function writtenStages(body: Block): number | undefined {
  const blocks = entriesOf(body, 'stage');
  if (blocks.length > 0) return blocks.length;
  const value = valueOf(body, 'stages');
  if (value?.kind !== 'call') return undefined;
  if (value.callee.text === 'split') return value.arguments.length;
  const number = value.callee.text === 'balance' ? stagesArgument(value)?.value : undefined;
  return number?.kind === 'quantity' ? number.value : undefined;
}

/** Without other pipelines, jobs, tests and expectations, which take time and change no figure of this pipeline. */
function lonePipeline({ text, declarations }: SyntaxFile, pipeline: string): string {
  const others = declarations.filter(
    (declaration) =>
      isAside(declaration, pipeline) || (declaration.kind === 'block' && declaration.keyword.text === 'expect'),
  );
  const edits: readonly Edit[] = others.map(({ start, end }) => ({ start, end, text: '' }));
  return apply(text, edits);
}

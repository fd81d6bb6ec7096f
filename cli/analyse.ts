import { betterPolicy, policyProblem, policyQuestions, withBetterPolicy } from '../engine/advice/betterPolicy.ts';
import { type Analysis, checkSteps } from '../engine/flow/check.ts';
import type { UnitRequest } from '../engine/definitions/unitRequest.ts';
import { defaultOptions, type EngineOptions } from '../engine/basics/host.ts';
import { diskHost, namedPath, shownPath, uriOf } from './host.ts';
import type { Io } from './io.ts';
import type { Progress } from './progress.ts';
import { readOperand } from './readOperand.ts';
import { isUnit, type OtherSchedule } from './unitShape.ts';
import { underSchedule } from './underSchedule.ts';
import { directSearches } from '../engine/basics/searches.ts';

export interface Analysed {
  /** As data holds it. */
  readonly path: string;
  /** As people read it. */
  readonly name: string;
  readonly text: string;
  readonly analysis: Analysis;
  /** Stages that `--schedule` cut anew, as lines; empty if nothing. */
  readonly recut?: string;
}

/** How a command was called. */
export interface Setting {
  readonly io: Io;
  readonly progress: Progress;
  /** Values of params that the call sets. */
  readonly overrides: Readonly<Record<string, number>>;
  readonly options: EngineOptions;
}

/** Reads and checks one file (`-` is standard input), or one pipeline of it; `problem` where it cannot be read. */
export function analyse(
  path: string,
  io: Io,
  progress: Progress,
  overrides: Readonly<Record<string, number>> = {},
  only?: string,
  schedule?: UnitRequest | OtherSchedule,
  options: EngineOptions = defaultOptions,
): Analysed | { readonly problem: string } {
  const read = readOperand(path, io);
  if ('problem' in read) return read;
  const name = shownPath(path);
  const uri = uriOf(path, io);
  const written = { uri, text: read.text, host: diskHost(io, uri), options, overrides };
  const unit = isUnit(schedule) ? schedule : undefined;
  const changed =
    schedule === undefined || unit !== undefined
      ? { request: written, recut: '' }
      : underSchedule(written, schedule, name, only);
  if ('problem' in changed) return changed;
  const { recut } = changed;
  const request = { ...changed.request, only, unit };
  const steps = checkSteps(request);
  for (;;) {
    const step = steps.next();
    if (step.done) return { path: namedPath(path), name, text: request.text, analysis: step.value, recut };
    const what = typeof step.value === 'string' ? step.value : 'state' in step.value ? step.value.state : undefined;
    if (what !== undefined && what !== 'planning') progress.tick(`${name}: ${what}`);
  }
}

/** The same, once the runs that the file names are read. */
export async function analyseMeasured(...call: Parameters<typeof analyse>): Promise<ReturnType<typeof analyse>> {
  const [, io] = call;
  for (;;) {
    const file = analyse(...call);
    if ('problem' in file || (await io.runs?.settled()) !== true) return file;
  }
}

/** Files, and one file before and after its fixes, may ask the same. */
const searches = directSearches();

/** The file with what takes longer to find than its figures: policies under which its pipelines idle less, named by `schedule/bubble`. */
export function withBetterPolicies(file: Analysed, { io, progress, overrides }: Setting): Analysed {
  const { analysis, name } = file;
  let { findings } = analysis;
  for (const question of policyQuestions({ ...analysis, host: diskHost(io, analysis.uri), overrides })) {
    progress.tick(`${name}: policies for ${question.pipeline}`);
    findings = withBetterPolicy(findings, question.pipeline, searches.answer(betterPolicy, policyProblem(question)));
  }
  return { ...file, analysis: { ...analysis, findings } };
}

/** Steps that every rank has with all their operations. */
import { count } from '../../basics/quantities.ts';
import type { Place } from './bytes.ts';
import { atTop, type RankRun } from './rankRun.ts';
import type { TraceFault } from './read.ts';
import type { Shape } from './shape.ts';
import type { RankStep } from './steps.ts';

export interface StepOfRanks {
  readonly number: number;
  /** By rank of the pipeline. */
  readonly ranks: readonly RankStep[];
}

export function stepsOfRanks(
  runs: readonly RankRun[],
  shape: Shape,
): { readonly whole: readonly StepOfRanks[]; readonly broken: readonly TraceFault[] } {
  const numbers = [...new Set(runs.flatMap(({ steps }) => steps.map(({ number }) => number)))].toSorted(
    (a, b) => a - b,
  );
  const whole: StepOfRanks[] = [];
  const broken: TraceFault[] = [];
  const backwards = runs.some(({ steps }) =>
    steps.some(({ operations }) => operations.some(({ type }) => type !== 'F')),
  );
  for (const number of numbers) {
    const ranks: RankStep[] = [];
    for (const [index, run] of runs.entries()) {
      const step = run.steps.find((one) => one.number === number);
      const stages = [...shape.placement.keys()].filter((stage) => shape.placement[stage] === index);
      const fault =
        step === undefined ? absent(run, number) : lacking(run, step, stages, shape.microbatches, backwards);
      if (fault !== undefined) broken.push(fault);
      else if (step !== undefined) ranks.push(step);
    }
    if (ranks.length === runs.length) whole.push({ number, ranks });
  }
  return { whole, broken };
}

const absent = (run: RankRun, number: number): TraceFault =>
  atTop(run, `rank ${run.rank}, step ${number}: the traces of this rank do not have the step, so it is left out.`);

/** What is missing from a step of a rank. */
function lacking(
  run: RankRun,
  { number, operations, trace }: RankStep,
  stages: readonly number[],
  microbatches: number,
  backwards: boolean,
): TraceFault | undefined {
  const times = new Map<string, number>();
  for (const { type, stage, microbatch } of operations) {
    const name = `${stage}${type}${microbatch}`;
    times.set(name, (times.get(name) ?? 0) + 1);
  }
  const ran = (name: string): boolean => times.get(name) === 1;
  const missing: string[] = [];
  for (const stage of stages)
    for (let microbatch = 0; microbatch < microbatches; microbatch += 1) {
      const name = (type: string): string => `${stage}${type}${microbatch}`;
      if (!ran(name('F'))) missing.push(name('F'));
      if (backwards && ran(name('B')) === (ran(name('I')) && ran(name('W')))) missing.push(name('B'));
    }
  if (missing.length === 0) return undefined;
  const more = missing.length === 1 ? '' : ` and ${count(missing.length - 1, 'other operation', 'other operations')}`;
  const twice = times.get(missing[0]) !== undefined;
  return {
    file: trace.file,
    ...placeIn(operations[0].place),
    message: `rank ${run.rank}, step ${number}: ${missing[0]}${more} ${twice ? 'ran more than once' : missing.length === 1 ? 'is missing' : 'are missing'}, so the step is left out.`,
  };
}

const placeIn = ({ line, character }: Place): Place => ({ line, character });

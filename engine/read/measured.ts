/** `measured = trace("traces/", skip = 2, ranks = [0, 2])`: runs of a pipeline that were recorded. */
import { count } from '../basics/quantities.ts';
import type { Argument, Call, Expression } from '../../grammar/syntax.ts';
import { readCallee } from '../language/callee.ts';
import { checked, evaluate, wholeNumber } from '../language/expressions.ts';
import { type Keys, valueOf } from '../language/keys.ts';
import { mismatch } from '../language/valueFaults.ts';
import { iterationSeconds, withoutFirst } from '../runs/iteration.ts';
import { mean } from '../runs/statistics.ts';
import type { MeasuredPlan } from '../values/measured.ts';
import type { IterationsDigest, RunDigest } from '../values/recording.ts';
import { bindArguments } from './arguments.ts';
import type { ReadContext } from './context.ts';

/**
 * Undefined without the key; `'wrong'` where it has an error, which has been reported. A run that cannot be read is no error: no other
 * figure depends on it.
 */
export function readMeasured(context: ReadContext, keys: Keys): MeasuredPlan | undefined | 'wrong' {
  const entry = keys.find('measured');
  if (entry === undefined) return undefined;
  const value = valueOf(entry);
  return (value === undefined ? undefined : runsOf(context, value)) ?? 'wrong';
}

const example = 'trace("traces/")';

function runsOf(context: ReadContext, value: Expression): MeasuredPlan | undefined {
  if (value.kind === 'group') return runsOf(context, value.inner);
  const name = readCallee(context, value, `a recorded run such as \`${example}\``);
  if (name === undefined || name.text !== 'trace' || !context.links.has(name)) return undefined;
  const bound = value.kind === 'call' ? bindArguments(context, value, 'trace', ['file', 'skip', 'ranks']) : new Map();
  const path = bound === undefined ? undefined : readPath(context, name, bound.get('file'));
  const skip = bound?.get('skip');
  const skipped = skip === undefined ? 1 : wholeNumber(context, skip.value, '"skip"');
  const ranks = readRanks(context, bound?.get('ranks')?.value);
  if (path === undefined || skipped === undefined || ranks === undefined) return undefined;
  return knownRuns(context, path, skipped, ranks);
}

/** The path in quotes, and where it is. */
interface Path {
  readonly text: string;
  readonly at: Expression;
}

function readPath(context: ReadContext, name: Call['callee'], argument: Argument | undefined): Path | undefined {
  const value = argument?.value;
  if (value === undefined) context.report.report('key/missing', name, { key: 'file', block: 'call to trace', example });
  else if (value.kind === 'string') return { text: value.value, at: value };
  // An unknown name has been reported.
  else if (value.kind !== 'missing' && (value.kind !== 'name' || context.links.has(value)))
    context.report.report('type/mismatch', value, {
      expected: 'a path in quotes',
      found: `\`${context.syntax.text.slice(value.start, Math.min(value.end, value.start + 40))}\``,
    });
  return undefined;
}

/** Empty for all ranks. */
function readRanks(context: ReadContext, value: Expression | undefined): readonly number[] | undefined {
  if (value === undefined) return [];
  const list = evaluate(context, value);
  if (list === undefined) return undefined;
  if (list.kind !== 'list') return mismatch(context, value, 'a list of ranks such as `[0, 2]`', list);
  const schema = { kind: 'quantity', dimension: 'number', integer: true, min: 0 } as const;
  const ranks = list.items.map((item) => checked(context, value, item, schema, 'A rank'));
  return ranks.includes(undefined) ? undefined : ranks.flatMap((rank) => rank ?? []);
}

function knownRuns(context: ReadContext, { text, at }: Path, skip: number, ranks: readonly number[]): MeasuredPlan {
  const unread = (detail: string): MeasuredPlan => {
    context.report.report('measured/unread', at, { path: text, detail });
    return { runs: [] };
  };
  const answer = text === '' ? { problem: 'the path is empty' } : context.foreign.run(text, context.uri, ranks);
  if (answer === undefined) return { runs: [], pending: true };
  if (answer === 'reading') {
    context.report.report('measured/reading', at, { path: text });
    return { runs: [], pending: true };
  }
  if ('problem' in answer) return unread(answer.problem);
  const short = answer.runs.map(lengthOf).find((steps) => skip > 1 && steps <= skip);
  if (short !== undefined)
    return unread(`\`skip = ${skip}\` leaves no step, because the run has ${count(short, 'step', 'steps')}`);
  return { runs: answer.runs.map((run) => measuredRun(run, skip)) };
}

type Digest = RunDigest | IterationsDigest;

const lengthOf = (run: Digest): number => ('steps' in run ? run.steps : run.iterations).length;

function measuredRun(run: Digest, skip: number): MeasuredPlan['runs'][number] {
  const { ranks } = run;
  if ('iterations' in run) {
    const used = withoutFirst(run.iterations, skip);
    return { ranks, steps: used.length, iteration: mean(used) };
  }
  const { steps, ...shape } = run;
  const used = withoutFirst(steps, skip);
  return { ranks, shape, steps: used.length, iteration: iterationSeconds(used) };
}

/** The `schedule` of a pipeline as text: its policy, and its number of chunks. */
import { type Block, type Expression, parse, type SyntaxFile } from '../../grammar/index.ts';
import { pipelineBody, valueOf } from '../fixes/source.ts';
import type { PolicyArguments } from '../policies/policy.ts';
import type { SchedulePlan } from '../values/plan.ts';
import { findPolicy } from '../policies/registry.ts';

export function writtenSchedule({ text }: SyntaxFile, body: Block): string | undefined {
  const value = valueOf(body, 'schedule');
  return value === undefined ? undefined : text.slice(value.start, value.end);
}

/** Whether its policy has the parameter `chunks`. */
export const takesChunks = (schedule: string): boolean =>
  findPolicy(read(schedule).name)?.parameters.some(({ name }) => name === 'chunks') === true;

/** Stages of a device under a built-in policy; undefined for a schedule that a file declares, and for `chunks` that is no plain number. */
export function stageChunks(schedule: string): number | undefined {
  const { name, numbers, isNamed } = read(schedule);
  return isNamed ? undefined : findPolicy(name)?.chunks(numbers);
}

/** Whether its `chunks` is no plain number, such as `chunks = k`. */
export const hasNamedChunks = (schedule: string): boolean => read(schedule).isNamed;

/** The same with this number of chunks: `interleaved_1f1b(chunks = 4)`. */
export function withChunks(schedule: string, chunks: string): string {
  const { name, value, text } = read(schedule);
  if (value?.kind !== 'call' || value.arguments.length === 0) return `${name}(chunks = ${chunks})`;
  const first = findPolicy(name)?.parameters[0]?.name;
  const given = value.arguments.find((argument, index) =>
    argument.name === undefined ? index === 0 && first === 'chunks' : argument.name.text === 'chunks',
  );
  if (given !== undefined)
    return text.slice(value.start, given.value.start) + chunks + text.slice(given.value.end, value.end);
  return `${text.slice(value.start, value.end - 1).trimEnd()}, chunks = ${chunks})`;
}

const interleaved = 'interleaved_1f1b';

interface ScheduleText {
  readonly name: string;
  readonly numbers: PolicyArguments;
  readonly value?: Expression;
  readonly text: string;
  /** `chunks = NAME`. */
  readonly isNamed: boolean;
}

const known = new Map<string, ScheduleText>();
/** Schedules of a sweep are few. */
const mostKnown = 1_000;

function read(schedule: string): ScheduleText {
  const found = known.get(schedule);
  if (found !== undefined) return found;
  const syntax = parse(`pipeline p {\n  schedule = ${schedule}\n}\n`);
  const body = pipelineBody(syntax, 'p');
  const value = body === undefined ? undefined : valueOf(body, 'schedule');
  const name = value?.kind === 'call' ? value.callee.text : value?.kind === 'name' ? value.text : '';
  const parameters = findPolicy(name)?.parameters ?? [];
  const written = value?.kind === 'call' ? value.arguments : [];
  const numbers = Object.fromEntries([
    ...parameters.flatMap(({ name: parameter, default: usual }) =>
      usual === undefined ? [] : [[parameter, usual] as const],
    ),
    ...written.flatMap(({ name: parameter, value: given }, index) =>
      given.kind === 'quantity' ? [[parameter?.text ?? parameters[index]?.name ?? '', given.value] as const] : [],
    ),
  ]);
  const isNamed = written.some(
    ({ name: parameter, value: given }, index) =>
      (parameter?.text ?? parameters[index]?.name) === 'chunks' && given.kind !== 'quantity',
  );
  const made = { name, numbers, ...(value === undefined ? {} : { value }), text: syntax.text, isNamed };
  if (known.size >= mostKnown) known.clear();
  known.set(schedule, made);
  return made;
}

/** Its policy with the arguments that are plain numbers; undefined for a schedule that a file declares. */
export function policyOf(schedule: string): Extract<SchedulePlan, { readonly kind: 'policy' }> | undefined {
  const { name, numbers } = read(schedule);
  return findPolicy(name) === undefined ? undefined : { kind: 'policy', name, args: numbers };
}

/** Microbatches that a schedule takes at a time, if not one: interleaving without `group` takes as many as pipeline ranks. */
export function groupOf(schedule: string, ranks: number): number {
  const { name, numbers } = read(schedule);
  return name === interleaved && numbers['group'] === undefined ? ranks : 1;
}

/** The name of its policy, or of the schedule that a file declares. */
export const scheduleName = (schedule: string): string => read(schedule).name;

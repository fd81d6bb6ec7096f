/**
 * The first `require` of a schedule that does not hold, and the nearest numbers with which all of them do. Conditions that read a
 * number that is not known yet (NaN) are left out.
 */
import type { ScheduleNumbers, UnmetCondition } from '../definitions/schedule.ts';
import { createReporter, type Reporter } from '../findings/reporter.ts';
import { walk } from '../../grammar/walk.ts';
import { canonicalText } from '../language/canonical.ts';
import { list, show } from '../basics/quantities.ts';
import { givenNames } from '../sequences/names.ts';
import { type Condition, type CompiledSchedule, frameOf, isKnown } from '../sequences/schedule.ts';
import type { ReadContext } from './context.ts';

type Arguments = Readonly<Record<string, number>>;

/** Numbers of a schedule before its pipeline is known. */
export const unknownNumbers = { stages: NaN, devices: NaN, microbatches: NaN };

export function unmetCondition(
  context: ReadContext,
  compiled: CompiledSchedule,
  args: Arguments,
  numbers: ScheduleNumbers,
  report: Reporter,
): UnmetCondition | undefined {
  const { conditions, parameters } = compiled;
  const frame = frameOf(compiled, numbers, new Map(Object.entries(args)), report);
  for (const { name, entry, dimension, bounds } of parameters) {
    if (args[name] === undefined || bounds === undefined) continue;
    const { min, max } = bounds(frame);
    const given = args[name];
    if (!(given < min || given > max)) continue;
    const problem = `${name} is ${show(given, dimension)}; it must be from ${show(min, dimension)} to ${show(max, dimension)}`;
    const values = dimension === 'number' && min <= max ? [given < min ? min : max] : [];
    return { place: context.report.place(entry), problem, nearest: () => ({ input: name, values }) };
  }
  const unmet = conditions.find((condition) => isKnown(condition, numbers) && !condition.holds(frame) && !frame.failed);
  if (unmet === undefined) return undefined;
  const { expression } = unmet;
  const text = canonicalText(context.syntax, expression);
  const here = [...valuesIn(context, compiled, unmet, args, numbers)].map(([name, shown]) => `${name} = ${shown}`);
  const problem = `it requires ${text}${here.length === 0 ? '' : `, but here ${list(here)}`}`;
  return {
    place: context.report.place(expression),
    problem,
    nearest: () => nearest(context, compiled, args, numbers),
  };
}

/** Numbers of the names in a condition. */
function valuesIn(
  context: ReadContext,
  compiled: CompiledSchedule,
  { expression }: Condition,
  args: Arguments,
  numbers: ScheduleNumbers,
): ReadonlyMap<string, string> {
  const frame = frameOf(compiled, numbers, new Map(Object.entries(args)), createReporter(context.uri, 0));
  const found = new Map<string, string>();
  walk(expression, (node) => {
    const symbol = node.kind === 'name' ? context.links.get(node) : undefined;
    if (node.kind !== 'name' || symbol === undefined) return;
    const given = givenNames.find((name) => symbol === `variable:${name}`);
    const { code, parameters = [] } = compiled.names.lets.get(symbol) ?? { code: compiled.names.params.get(symbol) };
    if (given !== undefined) found.set(given, String(numbers[given] ?? 1));
    else if (code?.kind === 'number' && parameters.length === 0)
      found.set(node.text, show(code.at(frame), code.dimension));
  });
  return found;
}

/** How far from the pipeline's numbers others are tried. */
const farthest = 512;

/** Inputs are tried in this order: microbatches, parameters, then stages. The first that helps is the advice. */
function nearest(
  context: ReadContext,
  compiled: CompiledSchedule,
  args: Arguments,
  numbers: ScheduleNumbers,
): ReturnType<UnmetCondition['nearest']> {
  const holds = (tried: ScheduleNumbers, given: Arguments): boolean => {
    const frame = frameOf(compiled, tried, new Map(Object.entries(given)), createReporter(context.uri, 0));
    const asked = compiled.conditions.filter((condition) => isKnown(condition, tried));
    return asked.every((condition) => condition.holds(frame)) && !frame.failed;
  };
  const { stages, devices, microbatches } = numbers;
  const found = around(microbatches, 1, (value) => holds({ ...numbers, microbatches: value }, args));
  if (found.length > 0) return { input: 'microbatches', values: found };
  for (const { name, value, bounds } of compiled.parameters) {
    const frame = frameOf(compiled, numbers, new Map(Object.entries(args)), createReporter(context.uri, 0));
    const { min, max } = bounds?.(frame) ?? { min: 1, max: Infinity };
    const now = args[name] ?? value(frame);
    if (!Number.isSafeInteger(now) || !(min <= max)) continue;
    const fitting = around(now, Math.ceil(min), (each) => each <= max && holds(numbers, { ...args, [name]: each }));
    if (fitting.length > 0) return { input: name, values: fitting };
  }
  if (Number.isNaN(stages) || Number.isNaN(devices)) return { input: 'stages', values: [] };
  const chunks = stages / devices;
  const fitting = around(devices, 1, (value) => holds({ ...numbers, devices: value, stages: value * chunks }, args));
  return { input: 'stages', values: fitting.map((value) => value * chunks) };
}

/** The nearest whole numbers below and above that fit, the nearer one first. */
function around(from: number, least: number, fits: (value: number) => boolean): readonly number[] {
  const found: number[] = [];
  for (let below = from - 1; below >= least && below >= from - farthest; below -= 1) {
    if (!fits(below)) continue;
    found.push(below);
    break;
  }
  for (let above = Math.max(from + 1, least); above <= from + farthest; above += 1) {
    if (!fits(above)) continue;
    found.push(above);
    break;
  }
  return found.toSorted((a, b) => Math.abs(a - from) - Math.abs(b - from));
}

/**
 * The first `require` of a schedule that does not hold, and the nearest numbers with which all of them do. Conditions that read a
 * number that is not known yet (NaN) are left out.
 */
import type { ScheduleNumbers } from '../definitions/schedule.ts';
import type { NearestValues, UnmetCondition } from '../definitions/scheduleEvaluator.ts';
import type { Reporter } from '../findings/reporter.ts';
import { walk } from '../../grammar/walk.ts';
import { canonicalText } from '../language/canonical.ts';
import { list, show } from '../basics/quantities.ts';
import type { Frame } from '../sequences/frame.ts';
import { givenNames } from '../sequences/names.ts';
import { type Condition, isKnown, type Parameter } from '../sequences/schedule.ts';
import { type BoundSchedule, frameFor } from './boundSchedule.ts';

type Asked = Pick<BoundSchedule, 'context' | 'compiled' | 'args' | 'parts'>;

export function unmetCondition(asked: Asked, numbers: ScheduleNumbers, report: Reporter): UnmetCondition | undefined {
  const { context, compiled } = asked;
  const frame = frameFor(asked, numbers, report);
  const outside = outsideRange(asked, frame);
  if (outside !== undefined) {
    const { parameter, given, min, max } = outside;
    const { name, entry, dimension } = parameter;
    const problem = `${name} is ${show(given, dimension)}; it must be from ${show(min, dimension)} to ${show(max, dimension)}`;
    return { place: context.report.place(entry), problem, numbers };
  }
  const unmet = compiled.conditions.find(
    (condition) => isKnown(condition, numbers) && !condition.holds(frame) && !frame.failed,
  );
  if (unmet === undefined) return undefined;
  const { expression } = unmet;
  const text = canonicalText(context.syntax, expression);
  const here = [...valuesIn(asked, unmet, numbers)].map(([name, shown]) => `${name} = ${shown}`);
  const problem = `it requires ${text}${here.length === 0 ? '' : `, but here ${list(here)}`}`;
  return { place: context.report.place(expression), problem, numbers };
}

interface Outside {
  readonly parameter: Parameter;
  readonly given: number;
  readonly min: number;
  readonly max: number;
}

/** The first argument outside the range of its parameter. */
function outsideRange({ compiled, args }: Asked, frame: Frame): Outside | undefined {
  for (const parameter of compiled.parameters) {
    const given = args.get(parameter.name);
    if (given === undefined || parameter.bounds === undefined) continue;
    const { min, max } = parameter.bounds(frame);
    if (given < min || given > max) return { parameter, given, min, max };
  }
  return undefined;
}

/** Numbers of the names in a condition. */
function valuesIn(asked: Asked, { expression }: Condition, numbers: ScheduleNumbers): ReadonlyMap<string, string> {
  const { context, compiled } = asked;
  const frame = frameFor(asked, numbers);
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
export function nearestValues(asked: Asked, numbers: ScheduleNumbers): NearestValues {
  const { parameters, conditions } = asked.compiled;
  const outside = outsideRange(asked, frameFor(asked, numbers));
  if (outside !== undefined) {
    const { parameter, given, min, max } = outside;
    const values = parameter.dimension === 'number' && min <= max ? [given < min ? min : max] : [];
    return { input: parameter.name, values };
  }
  const holds = (tried: ScheduleNumbers, args = asked.args): boolean => {
    const frame = frameFor({ ...asked, args }, tried);
    return conditions.every((condition) => !isKnown(condition, tried) || condition.holds(frame)) && !frame.failed;
  };
  const { stages, devices, microbatches } = numbers;
  const found = around(microbatches, 1, (value) => holds({ ...numbers, microbatches: value }));
  if (found.length > 0) return { input: 'microbatches', values: found };
  for (const { name, value, bounds } of parameters) {
    const frame = frameFor(asked, numbers);
    const { min, max } = bounds?.(frame) ?? { min: 1, max: Infinity };
    const now = asked.args.get(name) ?? value(frame);
    if (!Number.isSafeInteger(now) || !(min <= max)) continue;
    const fits = (each: number): boolean => each <= max && holds(numbers, new Map(asked.args).set(name, each));
    const fitting = around(now, Math.ceil(min), fits);
    if (fitting.length > 0) return { input: name, values: fitting };
  }
  if (Number.isNaN(stages) || Number.isNaN(devices)) return { input: 'stages', values: [] };
  const chunks = stages / devices;
  const fitting = around(devices, 1, (value) => holds({ ...numbers, devices: value, stages: value * chunks }));
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

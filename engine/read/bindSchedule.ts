/** A schedule with numbers for its parameters. */
import {
  type DeclaredSchedule,
  type RowsDefinition,
  type ScheduleDefinition,
  unknownNumbers,
} from '../definitions/schedule.ts';
import { createReporter, type Reporter } from '../findings/reporter.ts';
import type { BoundSchedule, ReadSchedule } from './boundSchedule.ts';
import { onRule } from './on.ts';
import { singleDevices } from './rowEntries.ts';
import type { RowsText } from './rows.ts';
import type { SlotBody } from './slotBody.ts';
import { unmetCondition } from './unmetCondition.ts';

/** The definition; `undefined` where the arguments make it wrong (reported). */
export function bindSchedule(
  { name, uri, source, bases }: DeclaredSchedule,
  schedule: ReadSchedule,
  args: ScheduleDefinition['args'],
  report: Reporter,
): ScheduleDefinition | undefined {
  const { context, compiled, split, weights, on, where, body } = schedule;
  const given = new Map(Object.entries(args));
  // A condition may refuse arguments that nothing could be placed with.
  const unmet = unmetCondition({ context, compiled, args: given, parts: 1 }, unknownNumbers, report);
  const asked = unmet === undefined ? report : createReporter('', 0);
  const [placed, cut] = [schedule.placement(given, asked), schedule.parts(given, asked)];
  if (unmet === undefined && (placed === 'wrong' || cut === 'wrong')) return undefined;
  const parts = cut === 'wrong' || body.kind !== 'rows' ? 1 : cut;
  const { operations: limit } = context.options.limits;
  const code: BoundSchedule = { ...schedule, args: given, parts, source: { source, bases, args, limit } };
  const common = {
    name,
    uri,
    split,
    weights,
    placement: placed === 'wrong' ? undefined : placed,
    ...(on === undefined ? {} : { on: onRule(on, where) }),
    forwardOnly: schedule.forwardOnly !== undefined,
    timed: schedule.times.length > 0,
    parts,
    args,
    code,
  };
  if (body.kind === 'greedy')
    return { ...common, kind: 'greedy', prefer: body.prefer, written: body.rule === 'none' ? [] : body.rule.written };
  const order = body.kind === 'slots' ? ofSlots(body) : ofRows(body);
  return { ...common, kind: 'rows', ...order, ...(schedule.apart ? { apart: true } : {}) };
}

const ofSlots = ({ fill, periodEnds }: SlotBody): Pick<RowsDefinition, 'fill' | 'periodEnds'> => ({
  ...(fill ? { fill } : {}),
  ...(periodEnds === undefined ? {} : { periodEnds }),
});

function ofRows({ rows }: RowsText): Pick<RowsDefinition, 'devices'> {
  const devices = singleDevices(rows);
  return devices === undefined ? {} : { devices };
}

/** Answers what follows from the texts of schedules for the numbers of a pipeline. */
import {
  type DeclaredSchedule,
  type RowsDefinition,
  type RuleDefinition,
  type ScheduleDefinition,
  unknownNumbers,
} from '../definitions/schedule.ts';
import type { ScheduleEvaluator } from '../definitions/scheduleEvaluator.ts';
import type { Frame } from '../sequences/frame.ts';
import { bindSchedule } from './bindSchedule.ts';
import { answer, type BoundSchedule, frameFor, type ReadSchedule } from './boundSchedule.ts';
import { forwardStages } from './forwardOnly.ts';
import { keptRows } from './keptRows.ts';
import { devicesIn, homesIn, stagesIn } from './on.ts';
import { operationUses } from './operationUses.ts';
import { rowsByDevice, writtenRow } from './rowEntries.ts';
import { expandRows } from './rows.ts';
import { rowTracer } from './rowTracer.ts';
import { ruleOrder } from './ruleOrder.ts';
import { slotBodyRows, slotBodyTracer } from './slotBody.ts';
import { blockOf } from './slotRows.ts';
import { waitsInOrder } from './slotWaits.ts';
import { operationTimes } from './times.ts';
import { nearestValues, unmetCondition } from './unmetCondition.ts';

/** A definition whose code is open here: this room has made it. */
type Opened<Definition = ScheduleDefinition> = Definition & { readonly code: BoundSchedule };

export const scheduleEvaluator: ScheduleEvaluator = {
  bind: (declared: DeclaredSchedule & { readonly code: ReadSchedule }, args) =>
    answer(declared.code, (report) => bindSchedule(declared, declared.code, args, report)),
  values({ code }: Opened, numbers) {
    const frame = frameFor(code, numbers);
    return Object.fromEntries(code.compiled.parameters.map(({ name, value }) => [name, value(frame)]));
  },
  ranges({ code }: Opened, numbers) {
    const frame = frameFor(code, numbers);
    return Object.fromEntries(
      code.compiled.parameters.map(({ name, bounds, step }) => {
        const { min, max } = bounds?.(frame) ?? { min: NaN, max: NaN };
        return [name, { min, max, step: step?.(frame) ?? NaN }];
      }),
    );
  },
  unmet: ({ code }: Opened, numbers) => answer(code, (report) => unmetCondition(code, numbers, report)),
  nearest: ({ code }: Opened, numbers) => nearestValues(code, numbers),
  stages({ code, placement }: Opened, devices) {
    const { on } = code;
    if (on?.stages === undefined)
      return { value: on === undefined ? stagesPlaced(placement, devices) : devices, findings: [] };
    const { stages } = on;
    const numbers = { ...unknownNumbers, devices };
    return answer(
      code,
      (report) => unmetCondition(code, numbers, report) ?? stagesIn(stages, frameFor(code, numbers, report)),
    );
  },
  stageDevices: ({ code }: Opened, numbers, count) =>
    answer(code, (report) => {
      const { on } = code;
      const devices = on && devicesIn(on.devices, frameFor(code, numbers, report), numbers, count);
      if (devices === undefined || on?.home === undefined) return devices && { devices };
      const homes = homesIn(on.home, frameFor(code, numbers, report), numbers);
      return homes && { devices, homes };
    }),
  forwardOnly: ({ code }: Opened, numbers) =>
    answer(code, (report) =>
      code.forwardOnly === undefined
        ? []
        : forwardStages(code.forwardOnly, frameFor(code, numbers, report), numbers.stages),
    ),
  times: ({ code }: Opened, numbers, layers) =>
    answer(code, (report) => operationTimes(frameFor(code, numbers, report), code.times, numbers, layers)),
  ruleOrder: ({ code }: Opened<RuleDefinition>, numbers) =>
    answer(code, (report) => {
      const { body, operations } = code;
      if (body.kind !== 'greedy') return undefined;
      return ruleOrder(body, operations, numbers, () => frameFor(code, numbers, report));
    }),
  rows: ({ code }: Opened<RowsDefinition>, numbers) =>
    keptRows(code.source, numbers, () =>
      answer(code, (report) => {
        const { body } = code;
        const frame = (): Frame => frameFor(code, numbers, report);
        if (body.kind === 'slots') return slotBodyRows(body, numbers, frame);
        return body.kind === 'rows' ? expandRows(frame(), body.rows, numbers) : undefined;
      }),
    ),
  operations: ({ code }: Opened<RowsDefinition>, numbers, rows) =>
    answer(code, (report) => {
      const { body, operations } = code;
      if (operations.length === 0) return 'none';
      const frame = frameFor(code, numbers, report);
      const used = operationUses(frame, operations, rows, numbers);
      if (used === undefined || used === 'none' || body.kind !== 'slots') return used;
      return waitsInOrder(frame, body, rows, numbers, used) ? used : undefined;
    }),
  writtenRows({ code }: Opened<RowsDefinition>, numbers, devices = numbers.devices) {
    const { body, context } = code;
    if (body.kind === 'greedy') return [];
    const rowOf = body.rows && rowsByDevice(frameFor(code, numbers), body.rows, numbers.devices);
    return Array.from({ length: devices }, (_, device) => {
      const row = rowOf?.(device);
      if (row !== undefined) return writtenRow(context, row);
      return body.kind === 'slots' ? body.written : undefined;
    });
  },
  block: ({ code }: Opened<RowsDefinition>, numbers) =>
    answer(code, (report) => {
      const { body } = code;
      // A row follows no block.
      if (body.kind !== 'slots' || body.rows !== undefined) return undefined;
      return blockOf(frameFor(code, numbers, report), body, numbers);
    }),
  trace({ code }: Opened<RowsDefinition>, numbers) {
    const { body, context, traced, args, parts, spansOf } = code;
    const rows = rowTracer(traced, args, parts, context.uri, numbers);
    const tracer =
      body.kind === 'slots' ? slotBodyTracer(context, body, numbers, () => frameFor(code, numbers), rows) : rows;
    return {
      ...tracer,
      writes: (text) => spansOf(text).some((span) => tracer.writes(span)),
      written: (device, texts) => tracer.written(device, texts.flatMap(spansOf)),
    };
  },
};

/** Without `on`: one on each device, or as the placement says. */
function stagesPlaced(placement: ScheduleDefinition['placement'], devices: number): number {
  if (placement === undefined) return devices;
  const { rule, chunks } = placement;
  return typeof rule === 'string' ? devices * chunks : rule.flat().length;
}

import { describe, expect, it } from 'vitest';
import { traceParts } from '../../../engine/drawing/trace.ts';
import {
  kindOf,
  microbatchOf,
  needSlot,
  operationName,
  resultSlotOf,
  rowOf,
  stageOf,
} from '../../../engine/values/program.ts';
import { memoryTrack } from '../../../engine/simulate/memory.ts';
import { arrivalAt, endAt, startAt } from '../../../engine/values/timeline.ts';
import { analyseExample } from '../../support/analyse.ts';

interface TraceEvent {
  readonly ph: string;
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur: number;
  readonly id: number;
  readonly bp?: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const examples = [
  'quickstart.pipe',
  'systems/dualpipe.pipe',
  'systems/pipedream.pipe',
  'systems/chimera.pipe',
  'gpt-22b.pipe',
];

describe.each(examples)('%s', (name) => {
  const pipelines = analyseExample(name).pipelines.flatMap(({ plan, run }) =>
    run === undefined ? [] : [{ plan, run }],
  );
  const traces = pipelines.map(({ plan, run }) => {
    const text = [...traceParts(plan, run, { file: name, version: '1' })].join('');
    const { traceEvents } = JSON.parse(text) as { readonly traceEvents: readonly TraceEvent[] };
    return { plan, run, events: traceEvents };
  });

  it('has each operation as a slice of its device, at its times', () => {
    for (const { run, events } of traces) {
      const { program, timeline } = run;
      const slices = events.filter(({ ph, args }) => ph === 'X' && args !== undefined);
      expect(slices).toHaveLength(program.order.length);
      const byName = new Map(slices.map((slice) => [`${slice.pid} ${slice.name}`, slice]));
      for (let position = 0; position < program.order.length; position += 1) {
        const word = program.order[position];
        const slice = byName.get(`${program.placement[stageOf(program, word)]} ${operationName(program, word)}`);
        expect(slice?.ts).toBeCloseTo(startAt(timeline, position) * 1e6, 2);
        expect((slice?.ts ?? 0) + (slice?.dur ?? 0)).toBeCloseTo(endAt(timeline, position) * 1e6, 2);
      }
    }
  });

  it('has no two slices of a thread at a time: viewers would draw one inside the other', () => {
    for (const { events } of traces) {
      const last = new Map<string, number>();
      for (const { ph, pid, tid, ts, dur } of events) {
        if (ph !== 'X') continue;
        expect(ts).toBeGreaterThanOrEqual((last.get(`${pid} ${tid}`) ?? 0) - 1e-6);
        last.set(`${pid} ${tid}`, ts + dur);
      }
    }
  });

  it('has an arrow for each result that crosses devices, from inside its operation to the start of the next', () => {
    for (const { run, events } of traces) {
      const { program, timeline } = run;
      const expected: string[] = [];
      for (const [position, word] of program.order.entries()) {
        const row = rowOf(program, word);
        const device = program.placement[stageOf(program, word)];
        for (let need = timeline.timing.needOffsets[row]; need < timeline.timing.needOffsets[row + 1]; need += 1) {
          const slot = needSlot(timeline.timing, program.microbatches, need, microbatchOf(program, word));
          const from = program.order.findIndex((other) => resultSlotOf(program, other) === slot);
          if (from < 0) continue;
          const sender = program.placement[stageOf(program, program.order[from])];
          if (sender === device) continue;
          expected.push(
            `${operationName(program, program.order[from])} ${sender} ${device} ${near(startAt(timeline, position))}`,
          );
          expect(arrivalAt(timeline, need, microbatchOf(program, word))).toBeLessThanOrEqual(
            startAt(timeline, position) + 1e-9,
          );
        }
        expect(kindOf(program, word)).toBeGreaterThanOrEqual(0);
      }
      const starts = new Map(events.filter(({ ph }) => ph === 's').map((event) => [event.id, event]));
      const ends = events.filter(({ ph }) => ph === 'f');
      expect(starts.size).toBe(ends.length);
      const slices = events.filter(({ ph }) => ph === 'X');
      const drawn = ends.map((end) => {
        const start = starts.get(end.id);
        expect(end.bp).toBe('e');
        const around = slices.find(
          ({ pid, tid, ts, dur, name: slice }) =>
            pid === start?.pid &&
            tid === start.tid &&
            slice === end.args['of'] &&
            ts <= start.ts &&
            ts + dur >= start.ts,
        );
        expect(around).toBeDefined();
        return `${String(end.args['of'])} ${start?.pid} ${end.pid} ${near(end.ts / 1e6)}`;
      });
      expect(drawn.toSorted()).toEqual(expected.toSorted());
    }
  });

  it('counts the memory of each device at each change', () => {
    for (const { plan, run, events } of traces) {
      for (let device = 0; device < plan.devices.length; device += 1) {
        const counted = events.filter(({ ph, pid }) => ph === 'C' && pid === device).map(({ args }) => args['held']);
        expect(counted).toEqual([...memoryTrack(plan, run.timeline, device).bytes]);
        expect(Math.max(...counted.map(Number))).toBe(run.report.devices[device].peak);
      }
    }
  });

  it('names devices in their order', () => {
    for (const { plan, events } of traces) {
      const named = events
        .filter(({ name: event }) => event === 'process_name')
        .map(({ pid, args }) => [pid, args['name']]);
      expect(named).toEqual(plan.devices.map((device, index) => [index, device.name]));
    }
  });
});

const near = (seconds: number): string => (Math.round(seconds * 1e9) / 1e3).toFixed(2);

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
import { exportTorch } from '../../../engine/formats/torchCsv/export.ts';
import { readCell } from '../../../engine/formats/torchCsv/cell.ts';
import { analyseExample, runOf } from '../../support/analyse.ts';

interface TraceEvent {
  readonly ph: string;
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur: number;
  readonly id: number;
  readonly bp?: string;
  readonly cat?: string;
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
      const slices = events.filter(({ ph, tid, args }) => ph === 'X' && tid === 1 && args !== undefined);
      const found = new Map(slices.flatMap((slice) => actionsIn(slice).map((name) => [`${slice.pid} ${name}`, slice])));
      expect(found.size).toBe(program.order.length);
      for (let position = 0; position < program.order.length; position += 1) {
        const word = program.order[position];
        const slice = found.get(`${program.placement[stageOf(program, word)]} ${operationName(program, word)}`);
        expect(slice?.ts).toBeCloseTo(startAt(timeline, position) * 1e6, 2);
        expect((slice?.ts ?? 0) + (slice?.dur ?? 0)).toBeCloseTo(endAt(timeline, position) * 1e6, 2);
      }
    }
  });

  it('has messages as slices of who sends and who receives, from the end of their operation to their arrival', () => {
    for (const { plan, run, events } of traces) {
      const named = new Map(
        events
          .filter(({ name: event, tid }) => event === 'thread_name' && tid > 1)
          .map(({ pid, tid, args }) => [`${pid} ${tid}`, String(args['name'])]),
      );
      for (const [side, verb] of [
        ['sends', 'SEND'],
        ['receives', 'RECV'],
      ] as const) {
        const slices = events.filter(
          ({ ph, pid, tid }) => ph === 'X' && named.get(`${pid} ${tid}`)?.startsWith(side) === true,
        );
        const arrows = events.filter(({ ph }) => ph === (side === 'sends' ? 's' : 'f'));
        const ends = new Map(events.filter(({ ph }) => ph === 'f').map((end) => [end.id, end]));
        const taking = arrows.filter(({ id }) => {
          const of = ends.get(id);
          const from = run.program.order.findIndex((word) => operationName(run.program, word) === of?.args['of']);
          return Math.round(Number(of?.args['arrived']) * 1e3) > Math.round(endAt(run.timeline, from) * 1e9);
        });
        expect(slices.length).toBe(taking.length);
        for (const { name: label, pid, dur } of slices) {
          expect(dur).toBeGreaterThan(0);
          const found = /^PP:(\d+)(SEND|RECV)_([FB])\d+$/.exec(label);
          if (found === null) continue;
          expect(found[2]).toBe(verb);
          expect(plan.placement[Number(found[1])]).toBe(pid);
        }
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
            actionsIn({ name: slice }).includes(String(end.args['of'])) &&
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
      expect(named).toEqual(plan.devices.map((device, index) => [index, `rank ${index} · ${device.name}`]));
    }
  });
});

/** Operations of a slice by their own names: PyTorch's label has a mark before them, and two of a fused slot. */
const actionsIn = ({ name }: Pick<TraceEvent, 'name'>): readonly string[] => {
  const text = name.replace(/^PP:/, '');
  return /^\((.*)\)OVERLAP_F_B$/.exec(text)?.[1].split(';') ?? [text];
};

const near = (seconds: number): string => (Math.round(seconds * 1e9) / 1e3).toFixed(2);

describe('read as PyTorch’s profiler writes it', () => {
  const source = (schedule: string, stages = 4) => `
model toy { layer block[8] { forward = 3ms  backward_input = 2ms  backward_weight = 1ms  activation = 5MiB  output = 1MiB } }
device gpu { memory = 16GiB }
cluster box { gpu[2] = gpu  link = 25GB/s + 10us }
pipeline train { model = toy  devices = box  microbatches = 6  stages = balance(${stages})  schedule = ${schedule} }
`;
  const traceOf = (text: string) => {
    const { plan, run } = runOf(text);
    const trace = JSON.parse([...traceParts(plan, run, { file: 'a.pipe', version: '1' })].join('')) as {
      readonly distributedInfo: unknown;
      readonly traceEvents: readonly TraceEvent[];
    };
    return { plan, run, trace, computed: trace.traceEvents.filter(({ ph, tid }) => ph === 'X' && tid === 1) };
  };

  it.each(['zb_v', 'dualpipe_v', 'interleaved_1f1b(chunks = 2)', 'breadth_first(chunks = 2)'])(
    '%s: labels, read as cells of a table, are the table of the pipeline',
    (schedule) => {
      const { plan, run, computed } = traceOf(source(schedule));
      const table = exportTorch(plan, run.program, false);
      const rows = plan.devices.map((_, rank) =>
        computed
          .filter(({ pid, cat }) => pid === rank && cat === 'user_annotation')
          .toSorted((a, b) => a.ts - b.ts)
          .map(({ name }) => readCell(name.slice(3))),
      );
      expect(rows).toEqual(
        'table' in table ? table.table.rows.map((row) => row.filter(({ kind }) => kind !== 'blank')) : [],
      );
    },
  );

  it('says the ranks of the pipeline, and of each slice its stage as a number, its layers and bytes', () => {
    const { trace, computed } = traceOf(source('1f1b', 2));
    expect(trace.distributedInfo).toEqual({
      world_size: 2,
      pg_count: 1,
      pg_config: [{ pg_name: 'pipeline', pg_desc: 'mesh_pp', pg_size: 2, ranks: [0, 1] }],
    });
    expect(computed.find(({ name }) => name === 'PP:1F2')?.args).toEqual({
      ...{ kind: 'F', stage: 1, microbatch: 2, stage_name: 's1' },
      ...{ layers: 'block[4] to block[7] (4 layers)', bytes: 4 * 5 * 2 ** 20 },
    });
    const sent = trace.traceEvents.find(({ name }) => name === 'PP:0SEND_F0');
    // 12 ms of four layers; 1 MiB over 25 GB/s and 10 µs.
    expect([sent?.ts, sent?.dur, sent?.args['bytes']]).toEqual([12_000, 51.943, 2 ** 20]);
    expect(trace.traceEvents.find(({ name }) => name === 'PP:1RECV_F0')).toMatchObject({
      pid: 1,
      ts: 12_000,
      dur: 51.943,
    });
    expect(trace.traceEvents.some(({ name }) => name === 'PP:1SEND_B0')).toBe(true);
    expect(trace.traceEvents.some(({ name }) => name === 'PP:0RECV_B0')).toBe(true);
  });

  it.each([
    ['chimera', 2, /^\d+[FB]\d+$/],
    ['1f1b(recompute = ahead)', 2, /^\d+R\d+$/],
  ])('%s: what PyTorch has no action for has no label of it', (schedule, stages, plain) => {
    const { computed } = traceOf(source(schedule, stages).replace('microbatches', 'recompute = full  microbatches'));
    const unlabelled = computed.filter(({ name }) => !name.startsWith('PP:'));
    expect(unlabelled.length).toBeGreaterThan(0);
    for (const { name } of unlabelled) expect(name).toMatch(plain);
  });
});

/** Keeps of each event what a run needs, as columns; the trace itself is never kept. */
import { ascending, Column } from '../../basics/column.ts';
import { minus } from '../../basics/quantities.ts';
import type { Place } from './bytes.ts';
import { DeviceCollector } from './collectDevice.ts';
import { graphSlices } from './graphs.ts';
import { deviceCategories, launchCategories, prefix, readLabel, singleStageLabel, stepNumber } from './labels.ts';
import type { ComputeSlice, Intervals, RankTrace, Slice, StepSlice, TransferSlice } from './rankTrace.ts';
import type { ScanFault, Sink } from './scanner.ts';

/** A million operations are kept: more are no pipeline's. */
const mostSlices = 1_000_000;

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

export class Collector implements Sink {
  readonly steps: StepSlice[] = [];
  readonly computing: ComputeSlice[] = [];
  readonly transfers: TransferSlice[] = [];
  readonly headers = new Map<string, unknown>();
  base = 0n;
  readonly #receives = [new Column(), new Column()] as const;
  readonly #optimizer = [new Column(), new Column()] as const;
  readonly #autograd = new Column();
  readonly #device = new DeviceCollector();
  /** By device: bytes before its first event, and the most after one. */
  readonly #memory = new Map<number, { readonly first: number; most: number }>();

  wants(name: string, category: string): boolean {
    if (deviceCategories.has(category) || launchCategories.has(category)) return true;
    if (category === 'gpu_user_annotation') return false;
    return (
      name.startsWith(prefix) ||
      name === 'gloo:recv' ||
      name === '[memory]' ||
      name.startsWith('ProfilerStep#') ||
      name.startsWith('autograd::engine::evaluate_function') ||
      name.startsWith('Optimizer.step#') ||
      singleStageLabel(name) !== undefined
    );
  }

  header(key: string, json: string): void {
    if (key === 'baseTimeNanoseconds') {
      const digits = json.trim();
      if (/^\d{1,20}$/.test(digits)) this.base = BigInt(digits);
    } else if (key === 'distributedInfo' || key === 'otherData') {
      try {
        this.headers.set(key, JSON.parse(json));
      } catch {
        // Its absence is reported where a rank is missed.
      }
    }
  }

  event(value: unknown, place: Place): ScanFault | undefined {
    if (!isFields(value) || typeof value['name'] !== 'string') return undefined;
    const { name, ts, dur, ph } = value;
    if (name === '[memory]') return this.#memoryEvent(value);
    if (ph !== 'X') return undefined;
    if (typeof ts !== 'number' || !Number.isFinite(ts))
      return { ...place, message: 'This event has no "ts", the microsecond at which it starts.' };
    if (typeof dur !== 'number' || !Number.isFinite(dur))
      return { ...place, message: 'This event has no "dur", the microseconds that it takes.' };
    if (dur < 0) return { ...place, message: `"dur" is ${minus(String(dur))}: it must be at least 0 µs.` };
    const process = typeof value['pid'] === 'number' ? value['pid'] : 0;
    const thread = typeof value['tid'] === 'number' ? value['tid'] : 0;
    const slice = { from: ts, to: ts + dur, process, thread, ...place };
    const category = typeof value['cat'] === 'string' ? value['cat'] : '';
    const taken = this.#device.take(category, value, slice);
    if (typeof taken === 'object') return { ...place, message: `${taken.message} Expected: ${taken.expected}.` };
    if (taken) return this.#device.labelled.length > mostSlices ? tooMany(place) : undefined;
    return this.#host(name, slice);
  }

  #host(name: string, slice: Slice): ScanFault | undefined {
    const step = stepNumber(name);
    if (step !== undefined) this.steps.push({ ...slice, number: step });
    else if (name === 'gloo:recv') add(this.#receives, slice);
    else if (name.startsWith('Optimizer.step#')) add(this.#optimizer, slice);
    else if (name.startsWith('autograd::')) this.#autograd.push(slice.from);
    else return this.#action(name, slice);
    return undefined;
  }

  #action(name: string, slice: Slice): ScanFault | undefined {
    if (this.computing.length + this.transfers.length >= mostSlices) return tooMany(slice);
    const single = singleStageLabel(name);
    if (single !== undefined) {
      this.computing.push({ ...slice, actions: [{ kind: 'compute', stage: 0, ...single }], anyStage: true });
      return undefined;
    }
    const cell = readLabel(name);
    if ('message' in cell) return { ...placeOf(slice), message: `${cell.message} Expected: ${cell.expected}.` };
    if (cell.kind === 'compute') this.computing.push({ ...slice, actions: [cell] });
    else if (cell.kind === 'fused') this.computing.push({ ...slice, actions: cell.actions });
    else if (cell.kind === 'transfer')
      this.transfers.push({ ...slice, type: cell.type, stage: cell.stage, microbatch: cell.microbatch });
    return undefined;
  }

  #memoryEvent({ args }: Fields): undefined {
    if (!isFields(args)) return;
    const { 'Total Allocated': total, Bytes: change, 'Device Type': device } = args;
    if (typeof total !== 'number' || typeof change !== 'number' || typeof device !== 'number') return;
    const memory = this.#memory.get(device) ?? { first: total - change, most: total };
    this.#memory.set(device, memory);
    memory.most = Math.max(memory.most, total);
  }

  /** Of the accelerator if it has events, otherwise of the host, which is device type 0. */
  #peak(): { readonly peakBytes: number } | undefined {
    const types = [...this.#memory.keys()].toSorted((a, b) => b - a);
    const memory = this.#memory.get(types[0]);
    return memory === undefined ? undefined : { peakBytes: memory.most - memory.first };
  }

  trace(): Omit<RankTrace, 'file' | 'rank' | 'pipelineRanks'> {
    const { base } = this;
    // A replay of a graph runs after the step on the host has ended, so its steps are found by what runs again.
    const isGraph = this.computing.length === 0 && this.#device.labelled.length > 0;
    const { computing, transfers } = isGraph ? graphSlices(this.#device.labelled) : this;
    const steps = isGraph ? [] : this.steps;
    const device = this.#device.trace();
    const byStart = <T extends Slice>(slices: readonly T[]): readonly T[] =>
      slices.toSorted((a, b) => a.from - b.from || b.to - a.to);
    return {
      base,
      steps: byStart(steps),
      computing: byStart(computing),
      transfers: byStart(transfers),
      receives: sorted(this.#receives),
      optimizer: sorted(this.#optimizer),
      autograd: this.#autograd.values().toSorted(),
      ...(device === undefined ? {} : { device }),
      ...this.#peak(),
    };
  }
}

const tooMany = (at: Place): ScanFault => ({
  ...placeOf(at),
  message: `The trace has more than ${mostSlices} operations.`,
});

const placeOf = ({ line, character }: Place): Place => ({ line, character });

function add([from, to]: readonly [Column, Column], slice: Slice): void {
  from.push(slice.from);
  to.push(slice.to);
}

function sorted([from, to]: readonly [Column, Column]): Intervals {
  const [starts, ends] = [from.values(), to.values()];
  const order = ascending(starts);
  return { from: Float64Array.from(order, (at) => starts[at]), to: Float64Array.from(order, (at) => ends[at]) };
}

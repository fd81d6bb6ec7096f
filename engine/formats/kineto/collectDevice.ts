/** Work of a GPU, joined to the calls that launched it by their number. */
import { ascending, Column } from '../../basics/column.ts';
import type { CellFault } from '../torchCsv/cell.ts';
import type { TorchCell } from '../torchCsv/table.ts';
import type { LabelledWork } from './graphs.ts';
import { deviceCategories, kernelUse, launchCategories, prefix, readLabel } from './labels.ts';
import type { DeviceTrace, Slice } from './rankTrace.ts';

type Fields = Readonly<Record<string, unknown>>;

export class DeviceCollector {
  /** Work that names its operation itself. */
  readonly labelled: LabelledWork[] = [];
  /** Call by its number. A trace has the call before or after its work. */
  readonly #calls = new Map<number, { readonly at: number; readonly thread: number }>();
  readonly #number = new Column();
  readonly #from = new Column();
  readonly #to = new Column();
  readonly #use = new Column();
  readonly #cells = new Map<string, TorchCell>();

  /** Whether the event was one of a device or of a call to it, or what is wrong with it. */
  take(category: string, { name, args }: Fields, slice: Slice): boolean | CellFault {
    const { from, to, thread } = slice;
    const launches = launchCategories.has(category);
    if (!launches && !deviceCategories.has(category)) return false;
    const number =
      typeof args === 'object' && args !== null && 'correlation' in args ? Number(args.correlation) : Number.NaN;
    if (!Number.isFinite(number)) return true;
    const label = launches ? undefined : labelIn(args);
    if (label !== undefined) {
      const cell = this.#cells.get(label) ?? readLabel(label);
      if ('message' in cell) return cell;
      this.#cells.set(label, cell);
      this.labelled.push({ ...slice, cell, number });
    }
    if (launches) {
      this.#calls.set(number, { at: from, thread });
    } else {
      this.#number.push(number);
      this.#from.push(from);
      this.#to.push(to);
      this.#use.push(category === 'kernel' ? kernelUse(String(name)) : 0);
    }
    return true;
  }

  /** Absent without work of a device. Work whose call is not in the trace belongs to no operation and is left out. */
  trace(): DeviceTrace | undefined {
    if (this.#number.length === 0) return undefined;
    const numbers = this.#number.values();
    const launch = numbers.map((number) => this.#calls.get(number)?.at ?? Number.POSITIVE_INFINITY);
    const known = ascending(launch).filter((at) => launch[at] < Number.POSITIVE_INFINITY);
    const pick = (values: Float64Array): Float64Array => Float64Array.from(known, (at) => values[at]);
    return {
      launch: pick(launch),
      thread: pick(numbers.map((number) => this.#calls.get(number)?.thread ?? 0)),
      from: pick(this.#from.values()),
      to: pick(this.#to.values()),
      use: pick(this.#use.values()),
    };
  }
}

/** `PP:2F0` in the arguments of a kernel, which a CUDA graph has for each of its kernels. */
const labelIn = (args: unknown): string | undefined =>
  typeof args === 'object' &&
  args !== null &&
  'name' in args &&
  typeof args.name === 'string' &&
  args.name.startsWith(prefix)
    ? args.name
    : undefined;

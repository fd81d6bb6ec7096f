/** Work of a GPU, joined to the calls that launched it by their number. */
import { ascending, Column } from '../../basics/column.ts';
import { deviceCategories, kernelUse, launchCategories } from './labels.ts';
import type { DeviceTrace, Slice } from './rankTrace.ts';

type Fields = Readonly<Record<string, unknown>>;

export class DeviceCollector {
  /** Call by its number. A trace has the call before or after its work. */
  readonly #calls = new Map<number, { readonly at: number; readonly thread: number }>();
  readonly #number = new Column();
  readonly #from = new Column();
  readonly #to = new Column();
  readonly #use = new Column();

  /** Whether the event was one of a device or of a call to it. */
  take(category: string, { name, args }: Fields, { from, to, thread }: Slice): boolean {
    const launches = launchCategories.has(category);
    if (!launches && !deviceCategories.has(category)) return false;
    const number =
      typeof args === 'object' && args !== null && 'correlation' in args ? Number(args.correlation) : Number.NaN;
    if (!Number.isFinite(number)) return true;
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

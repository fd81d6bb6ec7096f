import type { ExchangeTimeline, ExchangeTiming, TensorMaker } from './exchangeTimeline.ts';
import type { TimedCall } from './exchangePlan.ts';
import type { TransferRule } from './plan.ts';
import type { OuterStepPlan } from './stepPlan.ts';
import { needSlot, type Program, resultRowOf, resultsIn, type ShiftedNeeds } from './program.ts';

/** What running a program takes. A row is a kind of one stage (`kind * stages + stage`); seconds. */
export interface Timing extends ShiftedNeeds {
  /** Seconds of each row. Recomputation is part of B and I. With `single`, the mean of its operations. */
  readonly duration: Float64Array;
  /** Only if operations of a row take different times. */
  readonly single?: SingleTimes;
  /**
   * Dependencies of each row on results, as compressed rows: row r has `needOffsets[r]` to `needOffsets[r + 1]` of the other
   * arrays. A result is a kind of result of one stage (`resultRow`), of the same microbatch but for `needShift`.
   */
  readonly needOffsets: Int32Array;
  /** Index into the plan's routes that the result travels on; −1 on the same device, and between a device and its host. */
  readonly needRoute: Int32Array;
  /** Seconds of delay after the transfer, and seconds that the transfer holds its channel. 0 on the same device. */
  readonly needLatency: Float64Array;
  readonly needOccupancy: Float64Array;
  /** Only if messages of one need differ in size: `needOccupancy` is then their mean. */
  readonly sizes?: TransferSizes;
  /** Resource that transfers queue for; −1 for what takes none. Copies to and from hosts have two channels for each device, numbered after all channels of routes. */
  readonly needChannel: Int32Array;
  readonly channels: number;
  /**
   * By need; −1, or the need of a copy (E or L) whose end it waits for: the copy is made once. Absent if nothing else waits for
   * copies.
   */
  readonly needCopy?: Int32Array;
  /** Seconds after each device's last operation: gradient synchronisation (what is in no bucket), then the optimizer's step. By device. */
  readonly sync: Float64Array;
  readonly optimizer: Float64Array;
  /** By device, what islands share once in a while. Its mean over the iterations is in `exchanged`. */
  readonly outer?: readonly (OuterStepPlan | undefined)[];
  /** By device, the part of the step that its host does. */
  readonly hostSteps?: readonly (HostStep | undefined)[];
  /** Gradients that are exchanged during the last backwards. */
  readonly buckets?: readonly GradientBucket[];
  /** Seconds before which an operation of a row cannot start, by row: forwards of stages whose weights have yet to be gathered. */
  readonly release?: Float64Array;
  /** Only if stages have copies: devices with the same number exchange gradients with each other. */
  readonly holders?: Int32Array;
  /** Only if routes of several hops meet on a hop: their transfers share it, instead of queueing for one channel. */
  readonly flows?: Flows;
  /** Set where sends and receives block their devices. */
  readonly transfer?: TransferRule;
  /** Only if operations that run at the same time can ask more of a link than it carries. */
  readonly crowd?: Crowd;
  /** By device, seconds before which its links cannot have carried all that ranks send through them in an iteration. */
  readonly linkSeconds?: Float64Array;
  /** Only if exchanges that no rule orders share links. */
  readonly sharing?: StepSharing;
  /** Lanes on which a rule orders the exchange of gradients; that is in no `sync`. */
  readonly exchange?: ExchangeTiming;
}

/** Links that operations share while they run. */
export interface Crowd {
  /** Bytes per second, by link. */
  readonly links: Float64Array;
  /** Bytes of an operation through each link, at row × links + link. They move while it runs, at one rate. */
  readonly bytes: Float64Array;
}

/** Seconds that single transfers hold their channel. */
export interface TransferSizes {
  /** By need × microbatches + microbatch of who needs it. */
  readonly occupancy: Float64Array;
  /** Of each need: the shortest. */
  readonly least: Float64Array;
}

/** Seconds that the transfer of a need holds its channel. */
export const occupancyOf = (
  { needOccupancy, sizes }: Pick<Timing, 'needOccupancy' | 'sizes'>,
  microbatches: number,
  need: number,
  microbatch: number,
): number => (sizes === undefined ? needOccupancy[need] : sizes.occupancy[need * microbatches + microbatch]);

/** Seconds of single operations. */
export interface SingleTimes {
  /** By row × microbatches + microbatch. */
  readonly seconds: Float64Array;
  /** Of each row: what the layers say, the shortest operation, and the longest. */
  readonly layers: Float64Array;
  readonly least: Float64Array;
  readonly most: Float64Array;
  /** They differ because microbatches have different lengths. */
  readonly lengths?: true;
}

/** Seconds of the operation of a word. */
export function secondsOf(
  { duration, single }: Pick<Timing, 'duration' | 'single'>,
  { shift, microbatches }: Pick<Program, 'shift' | 'microbatches'>,
  word: number,
): number {
  const row = word >> shift;
  return single === undefined ? duration[row] : single.seconds[row * microbatches + (word & ((1 << shift) - 1))];
}

/** Exchanges after the last operations as calls by device (`sync`), and bytes per second of the links that they share. */
export interface StepSharing {
  readonly links: Float64Array;
  readonly sync: readonly (readonly TimedCall[])[];
}

/** A bucket of a stage's gradients: seconds of its exchange, and the devices with the ranks that hold the stage. */
export interface GradientBucket {
  readonly seconds: number;
  /** The same as calls, if links are shared. */
  readonly calls?: readonly TimedCall[];
  readonly members: readonly TensorMaker[];
}

/** What a device sends to its host for an update of its weights, in the order of its stages and of their backwards. */
export interface HostStep {
  readonly buckets: readonly HostBucket[];
  /** No update begins before the gradients of all devices are exchanged. */
  readonly clip: boolean;
  /** Seconds in which ranks gather updated weights after that. */
  readonly gather: number;
  /** Both directions of the link are one line. */
  readonly half: boolean;
  /** Operations of the device copy activations to the host and back. */
  readonly copiesWithin: boolean;
}

/** Seconds of the copy out, the update and the copy back. */
export interface HostBucket {
  readonly maker: TensorMaker;
  /** Its exchange, as a number of `buckets`. */
  readonly exchange?: number;
  /** It waits for what the device exchanges after its last operation. */
  readonly exchanged?: true;
  readonly out: number;
  readonly step: number;
  readonly back: number;
}

/** Hops of the plan's routes as compressed rows: route r has `offsets[r]` to `offsets[r + 1]` of `channel` and `capacity`. */
export interface Flows {
  readonly offsets: Int32Array;
  readonly channel: Int32Array;
  /** Bytes per second that the route may send over the hop if no other transfer uses the hop. */
  readonly capacity: Float64Array;
  /** Bytes per second of each route if no other transfer uses its hops: the least of their capacities. */
  readonly rate: Float64Array;
}

/** Slots at the beginning that operations of a plain program may fill: where a backward is one operation, nothing fills the last third. */
const plainSlots = ({ stages, microbatches, split }: Program): number => (split ? 3 : 2) * stages * microbatches;

/** Without copies and operations beyond F, B, I and W, no slot is left out. */
const isPlain = ({ copies, extended }: Program): boolean => copies === undefined && extended !== true;

/** Whether operations fill all slots that they may fill, or the program leaves the others out. */
export const fillsSlots = (program: Program): boolean =>
  !isPlain(program) || program.order.length === plainSlots(program);

/**
 * An end for each slot of a program: −1, or `toCome`, for results that are still to come; NaN for those that it leaves out, which
 * nothing waits for.
 */
export const emptyEnds = (program: Program, toCome = -1): Float64Array =>
  markEnds(program, new Float64Array(resultsIn(program) * program.stages * program.microbatches), toCome);

/** The same in an array of zeros with an element for each slot. */
export function markEnds(program: Program, end: Float64Array, toCome: number): Float64Array {
  const { order, shift, stages, microbatches } = program;
  if (isPlain(program)) {
    const filled = plainSlots(program);
    return (toCome === 0 ? end : end.fill(toCome, 0, filled)).fill(-1, filled);
  }
  end.fill(NaN);
  // Words are `row << shift | microbatch`; taken apart here, since this runs for each operation.
  const mask = (1 << shift) - 1;
  for (let position = 0; position < order.length; position += 1) {
    const row = order[position] >> shift;
    end[resultRowOf(stages, row) * microbatches + (order[position] & mask)] = toCome;
  }
  return end;
}

export interface Timeline {
  readonly program: Program;
  readonly timing: Timing;
  /** End of each operation, at result row × microbatches + microbatch; negative or NaN where the program has none such. */
  readonly end: Float64Array;
  /** Start by position in `order`; only if operations are fused, take single times or share links (otherwise a start is `end − duration`). */
  readonly starts?: Float64Array;
  /** End of the last operation of any device, synchronisation and optimizer included. The first operation starts at 0. */
  readonly makespan: number;
  /** Seconds of computing, by device (operations; neither synchronisation nor optimizer). */
  readonly busy: Float64Array;
  /** First start and last end of an operation, by device. */
  readonly first: Float64Array;
  readonly last: Float64Array;
  /** End of each device's gradient exchange; the optimizer's step follows. By device. */
  readonly exchanged: Float64Array;
  /** When the host has updated a device's weights and they are back; 0 for none. By device; absent if no host updates weights. */
  readonly hosted?: Float64Array;
  /** By device, seconds by which its exchanges that no rule orders are longer because others use their links. Absent if none is. */
  readonly slowed?: Float64Array;
  /** Arrival of each needed result, at need × microbatches + microbatch of who needs it; only where transfers may queue (else `end + occupancy + latency`). */
  readonly arrival?: Float64Array;
  /** Start of each transfer, as `arrival`; only where transfers share hops and devices evict. */
  readonly sent?: Float64Array;
  /** Only if sends and receives block: a device is also taken while it sends or receives. */
  readonly blocking?: Blocking;
  /** Only if a rule orders the exchange of gradients. Without a barrier this is an iteration whose period repeats. */
  readonly exchange?: ExchangeTimeline;
}

/** Seconds of an iteration: the period where iterations follow without a barrier, otherwise until everything is done. */
export const iterationSeconds = ({ exchange, makespan }: Pick<Timeline, 'exchange' | 'makespan'>): number =>
  exchange?.period ?? makespan;

export interface Blocking {
  readonly exchanges: Exchanges;
  /** By item of the exchanges, seconds: when its device leaves it. */
  readonly left: Float64Array;
  /** By exchange, seconds: when its transfer begins (it ends with the later of `arrival`). */
  readonly began: Float64Array;
}

/** When a device has nothing left but its synchronisation and optimizer step, seconds: after its last operation and what it must still send. */
export function stepAt({ blocking, last }: Pick<Timeline, 'blocking' | 'last'>, device: number): number {
  if (blocking === undefined) return last[device];
  const { offsets } = blocking.exchanges;
  return offsets[device] === offsets[device + 1] ? last[device] : blocking.left[offsets[device + 1] - 1];
}

/** When the weights of a device are updated, seconds. */
export const stepEnd = (
  { exchanged, timing, hosted }: Pick<Timeline, 'exchanged' | 'timing' | 'hosted'>,
  device: number,
): number => Math.max(exchanged[device] + timing.optimizer[device], hosted?.[device] ?? 0);

/** End of the operation at a position of `order`, seconds. */
export function endAt(timeline: Pick<Timeline, 'program' | 'end'>, position: number): number {
  const { order, shift, stages, microbatches } = timeline.program;
  const word = order[position];
  const row = word >> shift;
  return timeline.end[resultRowOf(stages, row) * microbatches + (word & ((1 << shift) - 1))];
}

/** Start of the operation at a position of `order`, seconds. */
export function startAt(timeline: Pick<Timeline, 'program' | 'timing' | 'end' | 'starts'>, position: number): number {
  if (timeline.starts !== undefined) return timeline.starts[position];
  const { order, shift } = timeline.program;
  return endAt(timeline, position) - timeline.timing.duration[order[position] >> shift];
}

/** When the result that need `need` of microbatch `microbatch` asks for is there, seconds; NaN where there is none. */
export function arrivalAt(
  timeline: Pick<Timeline, 'program' | 'timing' | 'end' | 'arrival'>,
  need: number,
  microbatch: number,
): number {
  const { microbatches } = timeline.program;
  const { timing } = timeline;
  if (timeline.arrival !== undefined) return timeline.arrival[need * microbatches + microbatch];
  const slot = needSlot(timing, microbatches, need, microbatch);
  return slot < 0
    ? NaN
    : timeline.end[slot] + (occupancyOf(timing, microbatches, need, microbatch) + timing.needLatency[need]);
}

/**
 * What each device does in order where sends and receives block: slots of operations, and between them groups of exchanges.
 * A group is left when all of its exchanges are over; an exchange begins when both of its devices have come to it.
 */
export interface Exchanges {
  /** Items of device d are `offsets[d]` to `offsets[d + 1]`. */
  readonly offsets: Int32Array;
  /** By item: first position of its slot; −1 for a group of exchanges. */
  readonly slot: Int32Array;
  /** Exchanges of item i: `members[from[i]]` to `members[from[i + 1]]`. */
  readonly from: Int32Array;
  readonly members: Int32Array;
  /** By exchange: its need (index into the table) and microbatch, and the items of its sender and receiver. */
  readonly need: Int32Array;
  readonly microbatch: Int32Array;
  readonly sender: Int32Array;
  readonly receiver: Int32Array;
  /** Positions in `order` of the operations that make and that need what is exchanged. */
  readonly madeAt: Int32Array;
  readonly usedAt: Int32Array;
}

/** What goes over the lanes of an exchange, as the page shows it. Seconds, from the first operation of the iteration. */
export interface Lanes {
  readonly rule: string;
  /** Iterations follow without a barrier and repeat: the exchange of each runs into the next. */
  readonly repeats: boolean;
  /** From the end of an iteration to the end of the next. */
  readonly period: number;
  readonly all: readonly Lane[];
  /** By device: its lane; −1 for none. */
  readonly ofDevice: Int32Array;
  /** Most directions of a lane: 2 for servers, and for scatters with gathers. */
  readonly legs: number;
}

export interface Lane {
  readonly name: string;
  readonly tensors: readonly LaneTensor[];
  /** Columns by bucket. */
  readonly buckets: LaneBuckets;
  /** What the rows of the lane are, and what went over each. */
  readonly legs: readonly Leg[];
  /** By tensor. */
  readonly ready: Float64Array;
  readonly arrival: Float64Array;
  readonly needed: Float64Array;
}

interface LaneTensor {
  readonly layer: string;
  readonly stage: number;
  readonly bytes: number;
  /** Share of the stage's forward that comes before the layer. */
  readonly before: number;
}

interface LaneBuckets {
  /** Tensors of bucket b: `members[offsets[b]]` to `members[offsets[b + 1]]`. */
  readonly offsets: Int32Array;
  readonly members: Int32Array;
  readonly ready: Float64Array;
  readonly bytes: Float64Array;
  /** The tensor nearest to the front: its colour is the bucket's. */
  readonly front: Int32Array;
  /** Name of the collective. */
  readonly call: readonly string[];
}

/** Columns in order of time. A row holds equal pieces of a bucket without a gap between them. */
export interface Leg {
  readonly name: string;
  readonly bucket: Int32Array;
  readonly count: Int32Array;
  /** Of each piece. */
  readonly bytes: Float64Array;
  readonly overhead: Float64Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Seconds by which a row is longer because other stages send through its links; absent if none is. */
  readonly shared?: Float64Array;
}

/** A row of pieces. `shift`: periods by which it is drawn later (−1: it belongs to the iteration before). */
export interface PieceRow {
  readonly lane: number;
  readonly leg: number;
  readonly row: number;
  readonly shift: number;
}

/** First row that ends after a time. */
export function firstPieceAfter({ end }: Leg, time: number): number {
  let [low, high] = [0, end.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (end[middle] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Periods by which pieces are shown: without a barrier also in the iteration before and in the next. */
export const shiftsOf = ({ repeats }: Lanes): readonly number[] => (repeats ? [-1, 0, 1] : [0]);

/** The pieces of a device's lane at a time; undefined where that leg is idle. */
export function pieceAt(lanes: Lanes, device: number, leg: number, time: number, reach = 0): PieceRow | undefined {
  const lane = lanes.ofDevice[device];
  const columns = lanes.all[lane]?.legs[leg];
  if (columns === undefined) return undefined;
  for (const shift of shiftsOf(lanes)) {
    const at = time - shift * lanes.period;
    const row = firstPieceAfter(columns, at - reach);
    if (row < columns.end.length && columns.start[row] <= at + reach) return { lane, leg, row, shift };
  }
  return undefined;
}

export const bucketOf = (lanes: Lanes, { lane, leg, row }: PieceRow): number => lanes.all[lane].legs[leg].bucket[row];

/** Tensors of a bucket, the front one first. */
export const tensorsOf = ({ buckets: { offsets, members } }: Lane, bucket: number): readonly number[] =>
  Array.from(members.subarray(offsets[bucket], offsets[bucket + 1])).sort((a, b) => a - b);

/** `front`, `front + 2` for a bucket of three tensors. */
export function bucketName(lane: Lane, bucket: number): string {
  const { buckets, tensors } = lane;
  const others = buckets.offsets[bucket + 1] - buckets.offsets[bucket] - 1;
  const name = tensors[buckets.front[bucket]].layer;
  return others > 0 ? `${name} + ${others}` : name;
}

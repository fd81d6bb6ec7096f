import type { Sent } from '../../values/exchangeTimeline.ts';

/** Columns that grow. 40 bytes a row. */
export class SentColumns implements Sent {
  length = 0;
  bucket: Int32Array;
  count: Int32Array;
  bytes: Float64Array;
  overhead: Float64Array;
  start: Float64Array;
  end: Float64Array;

  constructor(room: number) {
    this.bucket = new Int32Array(room);
    this.count = new Int32Array(room);
    this.bytes = new Float64Array(room);
    this.overhead = new Float64Array(room);
    this.start = new Float64Array(room);
    this.end = new Float64Array(room);
  }

  add(bucket: number, count: number, bytes: number, overhead: number, start: number, end: number): void {
    if (this.length === this.bucket.length) this.#grow();
    const at = this.length;
    this.bucket[at] = bucket;
    this.count[at] = count;
    this.bytes[at] = bytes;
    this.overhead[at] = overhead;
    this.start[at] = start;
    this.end[at] = end;
    this.length = at + 1;
  }

  #grow(): void {
    const room = Math.max(16, 2 * this.length);
    const longer = <Column extends Int32Array | Float64Array>(column: Column, empty: Column): Column => {
      empty.set(column);
      return empty;
    };
    this.bucket = longer(this.bucket, new Int32Array(room));
    this.count = longer(this.count, new Int32Array(room));
    this.bytes = longer(this.bytes, new Float64Array(room));
    this.overhead = longer(this.overhead, new Float64Array(room));
    this.start = longer(this.start, new Float64Array(room));
    this.end = longer(this.end, new Float64Array(room));
  }
}

/** End of the last piece of each bucket; −∞ for a bucket of which nothing was sent. */
export function endsOf(sent: Sent, buckets: number): Float64Array {
  const ends = new Float64Array(buckets).fill(-Infinity);
  for (let at = 0; at < sent.length; at += 1) ends[sent.bucket[at]] = Math.max(ends[sent.bucket[at]], sent.end[at]);
  return ends;
}

/** When all that a lane has sent is there, after the delay of each call; −∞ if it sent nothing. `call`: of each bucket. */
export function allThere(sent: Sent, call: Int32Array, delays: Float64Array): number {
  let last = -Infinity;
  for (let row = 0; row < sent.length; row += 1) last = Math.max(last, sent.end[row] + delays[call[sent.bucket[row]]]);
  return last;
}

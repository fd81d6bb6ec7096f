import type { Lanes } from '../picture/lanes.ts';
import type { Picture } from '../picture/picture.ts';
import type { MemoryTrack } from '../../engine/simulate/memory.ts';

/**
 * A picture for the page, and the memory that goes with it. A message copies its arrays twice, when it is written and when it is
 * read, so all long arrays are handed over. What the worker still draws from or is asked about (blocks, arrivals, and the tracks
 * if `keepsTracks`) is copied once before.
 */
export function handOver(
  picture: Picture,
  keepsTracks: boolean,
): { readonly picture: Picture; readonly buffers: readonly ArrayBuffer[] } {
  const buffers: ArrayBuffer[] = [];
  const give = <A extends Float64Array | Int32Array>(values: A): A => {
    if (values.buffer instanceof ArrayBuffer) buffers.push(values.buffer);
    return values;
  };
  const copy = (values: Float64Array): Float64Array => give(values.slice());
  const track = ({ at, bytes, ...rest }: MemoryTrack): MemoryTrack =>
    keepsTracks ? { at: copy(at), bytes: copy(bytes), ...rest } : { at: give(at), bytes: give(bytes), ...rest };
  const { columns, arrival, slack, items } = picture;
  const given: Picture = {
    ...picture,
    columns: {
      ...columns,
      start: copy(columns.start),
      end: copy(columns.end),
      word: give(columns.word.slice()),
    },
    critical: give(picture.critical),
    ...(arrival === undefined ? {} : { arrival: copy(arrival) }),
    ...(slack === undefined ? {} : { slack: give(slack) }),
    ...(items === undefined ? {} : { items: give(items) }),
    memory: picture.memory.map(track),
    ...(picture.lanes === undefined ? {} : { lanes: givenLanes(picture.lanes, give) }),
  };
  return { picture: given, buffers };
}

/** The worker draws no pieces and is not asked about them. */
const givenLanes = (lanes: Lanes, give: <A extends Float64Array | Int32Array>(values: A) => A): Lanes => ({
  ...lanes,
  all: lanes.all.map(({ legs, ...lane }) => ({
    ...lane,
    legs: legs.map(({ name, bucket, count, bytes, overhead, start, end, shared }) => ({
      name,
      bucket: give(bucket),
      count: give(count),
      bytes: give(bytes),
      overhead: give(overhead),
      start: give(start),
      end: give(end),
      ...(shared === undefined ? {} : { shared: give(shared) }),
    })),
  })),
});

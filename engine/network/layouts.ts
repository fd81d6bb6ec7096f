/** Which part of a microbatch each device of a rank has, and which parts two ranks exchange. */
import type { Mesh } from '../costs/mesh.ts';
import { gcd } from '../basics/gcd.ts';

/** The devices of a rank and how they share a message. */
export interface Held {
  readonly devices: readonly number[];
  readonly mesh: Mesh;
  /** Data ranks divided by the data ranks of the pipeline; 1 if absent. */
  readonly split?: number;
}

/**
 * Parts that the sequence is in: one for each context rank. With sequence parallelism each tensor rank has a part of that; without it
 * all tensor ranks have the same.
 */
export const sequenceParts = ({ tensor, context, sequenceParallel }: Mesh): number =>
  context * (sequenceParallel ? tensor : 1);

/** Parts that the batch is in: data ranks, replicas that split microbatches among them. */
export const batchParts = ({ devices, mesh }: Held): number => devices.length / (mesh.tensor * mesh.context);

/** Whether devices of equal position have equal parts. */
export const alike = (one: Held, other: Held): boolean =>
  one.devices.length === other.devices.length &&
  batchParts(one) === batchParts(other) &&
  sequenceParts(one.mesh) === sequenceParts(other.mesh);

/** Devices that have the same part. */
export const copiesIn = (rank: Held): number => rank.devices.length / (batchParts(rank) * sequenceParts(rank.mesh));

/** A part of the message that some devices have whole and others need whole. */
export interface Unit {
  /** Of what an edge from the sender's stage says in bytes: one tensor and context rank's part of a microbatch of one pipeline replica. */
  readonly share: number;
  readonly senders: readonly number[];
  readonly receivers: readonly number[];
}

/**
 * The units of a message: its parts at the sender cut at the bounds of those at the receiver. Data ranks have equal parts of the batch,
 * context ranks of the sequence, both in order. O((data ranks of both) × (parts of the sequence of both)).
 */
export function unitsOf(from: Held, to: Held): readonly Unit[] {
  const batches = pieces(batchParts(from), batchParts(to));
  const sequences = pieces(sequenceParts(from.mesh), sequenceParts(to.mesh));
  const whole = (batchParts(from) / (from.split ?? 1)) * sequenceParts(from.mesh);
  return batches.flatMap((batch) =>
    sequences.map((sequence) => ({
      share: whole * batch.size * sequence.size,
      senders: holders(from, batch.first, sequence.first),
      receivers: holders(to, batch.second, sequence.second),
    })),
  );
}

/** How many units there are, without making them, and copies of each at both ends. */
export function unitCount(
  from: Held,
  to: Held,
): { readonly units: number; readonly senders: number; readonly receivers: number } {
  const pieceCount = (first: number, second: number) => first + second - gcd(first, second);
  const batches = pieceCount(batchParts(from), batchParts(to));
  const sequences = pieceCount(sequenceParts(from.mesh), sequenceParts(to.mesh));
  return { units: batches * sequences, senders: copiesIn(from), receivers: copiesIn(to) };
}

/** A piece of 1, and the parts that it is in: of `first` equal ones, and of `second`. */
interface Piece {
  readonly size: number;
  readonly first: number;
  readonly second: number;
}

/** The pieces that result from cutting 1 into `first` equal parts and into `second`. */
function pieces(first: number, second: number): readonly Piece[] {
  const found: Piece[] = [];
  // Bounds are counted in parts of 1 / (first · second), whole numbers.
  let at = 0;
  for (let i = 0, j = 0; i < first && j < second;) {
    const [ends, endsToo] = [(i + 1) * second, (j + 1) * first];
    const end = Math.min(ends, endsToo);
    found.push({ size: (end - at) / (first * second), first: i, second: j });
    at = end;
    if (ends === end) i += 1;
    if (endsToo === end) j += 1;
  }
  return found;
}

function holders(rank: Held, batch: number, sequence: number): readonly number[] {
  const copies = copiesIn(rank);
  const first = (batch * sequenceParts(rank.mesh) + sequence) * copies;
  return rank.devices.slice(first, first + copies);
}

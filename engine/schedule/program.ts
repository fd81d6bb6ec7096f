/**
 * A program: for each device, its operations in order. Struct of arrays, one 32-bit word an operation:
 * `row << shift | microbatch`, where a row is a kind of one stage (`kind * stages + stage`).
 */

/** Kinds, as numbers. `B` is a whole backward; `I` and `W` are its two halves. */
export const F = 0;
export const B = 1;
export const I = 2;
export const W = 3;
export const kinds = 4;
export type Kind = 0 | 1 | 2 | 3;
export const letters = ['F', 'B', 'I', 'W'] as const;

export interface Program {
  readonly devices: number;
  readonly stages: number;
  readonly microbatches: number;
  /** True where the backward is I + W, false where it is B. A program never mixes them for one stage and microbatch; rows may differ by stage. */
  readonly split: boolean;
  /** Device of each stage. */
  readonly placement: Int32Array;
  /** All devices' operations, one device after the other; those of device d are at `offsets[d]` to `offsets[d + 1]`. */
  readonly order: Int32Array;
  readonly offsets: Int32Array;
  readonly shift: number;
  /** Bit per position of `order`: this operation shares a slot with the next one. Absent where nothing is fused. */
  readonly fused?: Uint8Array;
  /** Position of `order` → index of the written row item; only for programs from rows. */
  readonly items?: Int32Array;
}

/** Bits that a microbatch number needs. */
export const shiftFor = (microbatches: number): number => Math.max(1, 32 - Math.clz32(Math.max(1, microbatches - 1)));
export const rowOf = (program: Program, word: number): number => word >> program.shift;
export const microbatchOf = (program: Program, word: number): number => word & ((1 << program.shift) - 1);
export const kindOf = (program: Program, word: number): Kind =>
  Math.trunc((word >> program.shift) / program.stages) as Kind;
export const stageOf = (program: Program, word: number): number => (word >> program.shift) % program.stages;
/** PyTorch's name of an operation: stage, letter, microbatch (`2F0`). */
export const operationName = (program: Program, word: number): string =>
  `${stageOf(program, word)}${letters[kindOf(program, word)]}${microbatchOf(program, word)}`;
/** Index into arrays with one element for each row and microbatch. */
export const slotOf = (program: Program, word: number): number =>
  (word >> program.shift) * program.microbatches + (word & ((1 << program.shift) - 1));

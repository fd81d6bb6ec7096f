/**
 * A program: for each device, its operations in order. Struct of arrays, one 32-bit word an operation:
 * `row << shift | microbatch`, where a row is a kind of one stage (`kind * stages + stage`).
 */

/**
 * Kinds, as numbers. `B` is a whole backward; `I` and `W` are its two halves. `R` recomputes what the forward did not keep, as a
 * separate operation. `U` is the optimizer's step of a stage, after the backward of its microbatch. `E` sends the activations of
 * a microbatch to another device or to the host, `L` loads them back.
 */
export const F = 0;
export const B = 1;
export const I = 2;
export const W = 3;
export const R = 4;
export const U = 5;
export const E = 6;
export const L = 7;
export const kinds = 8;
export type Kind = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;
export const letters = ['F', 'B', 'I', 'W', 'R', 'U', 'E', 'L'] as const;
/**
 * Results that others wait for, by kind: the output of F, the input gradient, the weight gradient of W, then what R, U, E and L
 * leave. The input gradient is of B or of I: an operation that waits need not know which. A result's row is `result * stages +
 * stage`, its slot `row * microbatches + microbatch`.
 */
export const resultOf: readonly number[] = [0, 1, 1, 2, 3, 4, 5, 6, ...Array.from({ length: 17 }, (_, at) => 7 + at)];

/** Most operations that a schedule may declare: kinds and results of a program have room for one more, which receives. */
export const mostDeclared = 16;

export interface Program {
  readonly devices: number;
  readonly stages: number;
  readonly microbatches: number;
  /** True where the backward is I + W, false where it is B. A program never mixes them for one stage and microbatch; rows may differ by stage. */
  readonly split: boolean;
  /** Device of each stage. */
  readonly placement: Int32Array;
  /** All devices' operations, one device after the other; device d has `offsets[d]` to `offsets[d + 1]`. */
  readonly order: Int32Array;
  readonly offsets: Int32Array;
  readonly shift: number;
  /** Bit per position of `order`: this operation shares a slot with the next one. Absent where nothing is fused. */
  readonly fused?: Uint8Array;
  /** True where there are operations other than F, B, I and W; without them a program has three kinds of results, with them seven. */
  readonly extended?: boolean;
  /** What each stage is a copy or a part of; absent where every stage is on one device and runs all microbatches. */
  readonly copies?: ProgramCopies;
  /**
   * Stages whose recomputation is a separate operation R: their B and I do not contain it, and a microbatch without R keeps
   * everything.
   */
  readonly apart?: Uint8Array;
  /** Device that keeps what a device evicts (E, L), by device; −1 for none. The host of device d is `devices + d`. */
  readonly partner?: Int32Array;
  /**
   * Operations that a rule had no room for before something had left their device, such as a copy out: who waits for what, by result
   * row of who waits.
   */
  readonly room?: ReadonlyMap<number, readonly DeclaredWait[]>;
  /** Share of the shorter of two fused operations that hides behind the longer one. Default: 0. */
  readonly overlap?: number;
  /** Update rule of the weights and microbatches of one update; absent where all microbatches use the same weights. */
  readonly weights?: WeightRule;
  readonly minibatch?: number;
  /** Copies of the weights that the policy keeps in addition to their versions. Default: what the rule says. */
  readonly weightCopies?: number;
  /** True where nothing runs backwards. */
  readonly forwardOnly?: boolean;
  /** Operations that the schedule declares: their kinds follow `kinds`. */
  readonly declared?: DeclaredOperations;
  /** Position of `order` → index of the written row item; only for programs from rows. */
  readonly items?: Int32Array;
}

/**
 * Which weights an operation uses. `flush`: one version for all. `stash`: F uses the newest of its stage, the backward the same
 * ones. `vertical_sync`: all stages use the version that stage 0 had when the microbatch entered. `double_buffer`: the weights of
 * the minibatch before. `predict`: the newest weights moved ahead by a prediction. `latest`: F and the backward each use the
 * newest at their moment.
 */
export type WeightRule = 'flush' | 'stash' | 'vertical_sync' | 'double_buffer' | 'predict' | 'latest';

const weightRules: readonly WeightRule[] = ['flush', 'stash', 'vertical_sync', 'double_buffer', 'predict', 'latest'];
/** A rule by its name; `flush` for a name of none. */
export const weightRule = (name: string): WeightRule => weightRules.find((rule) => rule === name) ?? 'flush';

/**
 * Operations that a schedule declares. The i-th has the kind `kinds + i`; one more kind, of no operation, receives what is sent
 * without anyone waiting for it. An operation belongs to a stage of its device and to a number that is below the microbatches.
 */
export interface DeclaredOperations {
  readonly names: readonly string[];
  /** Seconds, bytes while it is needed, and bytes that it sends, at operation × stages + stage. */
  readonly time: Float64Array;
  /** By operation × stages + stage: shares of the time, by number; only of operations whose times differ. */
  readonly factors?: ReadonlyMap<number, Float64Array>;
  readonly holds: Float64Array;
  readonly sends: Float64Array;
  /** Who waits for whom, beyond what every program waits for; by result row of who waits. */
  readonly waits: ReadonlyMap<number, readonly DeclaredWait[]>;
}

/** `whom` is a result row, of the microbatch `shift` further on; only microbatches whose element of `only` is 1 wait. */
export interface DeclaredWait {
  readonly whom: number;
  readonly shift: number;
  readonly only: Uint8Array;
  /** Bytes of the message, if the two are on different devices. */
  readonly bytes: number;
}

/** Kinds that a program has rows for. */
export const kindsIn = ({ extended, declared }: Pick<Program, 'extended' | 'declared'>): number =>
  extended === true ? kinds + (declared === undefined ? 0 : declared.names.length + 1) : 4;

/** By stage of the program. */
export interface ProgramCopies {
  /** Number of the stage in the cut. */
  readonly stage: Int32Array;
  /** It runs microbatches j with j mod `every` = `first`, or those that its `turns` name. */
  readonly every: Int32Array;
  readonly first: Int32Array;
  /** By stage: 1 for each j mod `every` that it runs; undefined for every k-th microbatch. Absent if no copy has turns. */
  readonly turns?: readonly (Uint8Array | undefined)[];
  /** Segment of the sequence; −1 for the whole sequence. */
  readonly segment: Int32Array;
  /** 1 for a spare copy, which runs forwards only; absent if there is none. */
  readonly spare?: Uint8Array;
  /** 1 for what runs forwards only, spare or not; absent if there is none. */
  readonly forwards?: Uint8Array;
}

/** Whether a stage runs forwards only. */
export const runsForwardOnly = ({ forwardOnly, copies }: Program, stage: number): boolean =>
  forwardOnly === true || copies?.forwards?.[stage] === 1;

/**
 * The stage of the program that has the weights of a stage: of parts of a sequence the first part of the same copy. Parts of a copy
 * are next to each other.
 */
export const weightsStage = ({ copies }: Pick<Program, 'copies'>, stage: number): number =>
  stage - Math.max(0, copies?.segment[stage] ?? 0);

/** Whether a stage of the program runs a microbatch. */
export function runsMicrobatch({ copies }: Pick<Program, 'copies'>, stage: number, microbatch: number): boolean {
  if (copies === undefined) return true;
  const turn = microbatch % copies.every[stage];
  const turns = copies.turns?.[stage];
  return turns === undefined ? turn === copies.first[stage] : turns[turn] === 1;
}
/** How many microbatches there are for each one that a stage runs. */
export function microbatchesPerRun({ copies }: Pick<Program, 'copies'>, stage: number): number {
  if (copies === undefined) return 1;
  const turns = copies.turns?.[stage];
  return turns === undefined ? copies.every[stage] : copies.every[stage] / turns.reduce((sum, runs) => sum + runs, 0);
}
/** Microbatches that a stage runs. */
export const microbatchesOf = (program: Program, stage: number): number => sharedMicrobatches(program, stage, stage);

/** Microbatches that two stages both run: those that an edge between them carries. */
export function sharedMicrobatches({ copies, microbatches }: Program, one: number, other: number): number {
  if (copies === undefined) return microbatches;
  if (copies.turns?.[one] !== undefined || copies.turns?.[other] !== undefined) {
    let shared = 0;
    for (let microbatch = 0; microbatch < microbatches; microbatch += 1)
      if (runsMicrobatch({ copies }, one, microbatch) && runsMicrobatch({ copies }, other, microbatch)) shared += 1;
    return shared;
  }
  const [every, step] = [copies.every[one], copies.every[other]];
  // The first they share, then each time both have come round.
  for (let turn = 0; turn < step; turn += 1) {
    const first = copies.first[one] + turn * every;
    if (first % step !== copies.first[other]) continue;
    let round = every;
    while (round % step !== 0) round += every;
    return first < microbatches ? Math.floor((microbatches - 1 - first) / round) + 1 : 0;
  }
  return 0;
}

/** Kinds of results that the slots of a program are for. */
export const resultsIn = (program: Program): number => (program.extended === true ? kindsIn(program) - 1 : 3);

/** Bits that a microbatch number needs. */
export const shiftFor = (microbatches: number): number => Math.max(1, 32 - Math.clz32(Math.max(1, microbatches - 1)));
export const rowOf = (program: Pick<Program, 'shift'>, word: number): number => word >> program.shift;
export const microbatchOf = (program: Pick<Program, 'shift'>, word: number): number =>
  word & ((1 << program.shift) - 1);
export const kindOf = (program: Pick<Program, 'shift' | 'stages'>, word: number): Kind =>
  (((word >> program.shift) / program.stages) | 0) as Kind;
export const stageOf = (program: Pick<Program, 'shift' | 'stages'>, word: number): number =>
  (word >> program.shift) % program.stages;
/** The word of an operation. */
export const wordOf = (
  { shift, stages }: Pick<Program, 'shift' | 'stages'>,
  kind: number,
  stage: number,
  microbatch: number,
): number => ((kind * stages + stage) << shift) | microbatch;
/** Kind of the operations of a row. Helpers of rows take the number of stages: they are also used in hot loops. */
export const kindOfRow = (stages: number, row: number): Kind => ((row / stages) | 0) as Kind;
/** Row of the result of a kind of one stage. */
export const resultRow = (stages: number, kind: number, stage: number): number => resultOf[kind] * stages + stage;
/** Row of the result of the operations of a row. */
export const resultRowOf = (stages: number, row: number): number => {
  const kind = (row / stages) | 0;
  return resultOf[kind] * stages + (row - kind * stages);
};
/** Result row of each row; without operations beyond F, B, I and W the rows of those four. */
export const resultRows = (program: Pick<Program, 'stages' | 'extended' | 'declared'>): Int32Array =>
  Int32Array.from({ length: kindsIn(program) * program.stages }, (_, row) => resultRowOf(program.stages, row));

/** What the rows of a program stand for, by row: tables for loops over operations, where a division for each takes long. */
export interface RowTable {
  readonly kind: Uint8Array;
  /** Result row. */
  readonly result: Int32Array;
}

const tables = new WeakMap<Program, RowTable>();

/** Made once for each program, with the rows of `resultRows`. */
export function rowTable(program: Program): RowTable {
  const known = tables.get(program);
  if (known !== undefined) return known;
  const result = resultRows(program);
  const table = { kind: Uint8Array.from(result, (_, row) => kindOfRow(program.stages, row)), result };
  tables.set(program, table);
  return table;
}

/** Slot of the result of an operation: result row × microbatches + microbatch. */
export const resultSlotOf = (program: Pick<Program, 'shift' | 'stages' | 'microbatches'>, word: number): number =>
  resultRowOf(program.stages, rowOf(program, word)) * program.microbatches + microbatchOf(program, word);
/** Number in the cut of a stage of the program. */
export const stageNumberOfStage = ({ copies }: Program, stage: number): number =>
  copies === undefined ? stage : copies.stage[stage];
/** Number of an operation's stage in the cut: copies of a stage share it. */
export const stageNumberOf = (program: Program, word: number): number => {
  const stage = stageOf(program, word);
  return program.copies === undefined ? stage : program.copies.stage[stage];
};
/** Letter of a kind, or the name that the schedule gave it. */
export const kindName = (
  { declared }: { readonly declared?: Pick<DeclaredOperations, 'names'> | undefined },
  kind: number,
): string => (kind < kinds ? letters[kind] : (declared?.names[kind - kinds] ?? ''));
/** Drawings have this many colours for operations that a schedule declares. The next ones begin again, under other marks. */
export const operationColours = 6;
/** PyTorch's name of an operation: stage, letter, microbatch (`2F0`); with its segment where the sequence is cut (`2F0.1`). */
export const operationName = (program: Program, word: number): string => {
  const segment = program.copies?.segment[stageOf(program, word)] ?? -1;
  const name = `${stageNumberOf(program, word)}${kindName(program, kindOf(program, word))}${microbatchOf(program, word)}`;
  return segment < 0 ? name : `${name}.${segment}`;
};
/** Index into arrays with one element for each row and microbatch. */
export const slotOf = (program: Program, word: number): number =>
  (word >> program.shift) * program.microbatches + (word & ((1 << program.shift) - 1));

/** Needs of rows: `needs[need]` is a result row, of the same microbatch unless `needShift` says how many further on. */
export interface ShiftedNeeds {
  readonly needs: Int32Array;
  /**
   * By need; absent if all are 0. A need with another shift belongs to an update that waits for the gradients of other copies of
   * its stage.
   */
  readonly needShift?: Int32Array;
  /** By need: microbatches that have it, 1 for each; undefined where all of them do. Only with `needShift`. */
  readonly needOnly?: readonly (Uint8Array | undefined)[];
}

/** Slot (result row × microbatches + microbatch) that a need of a microbatch asks for; −1 where it asks for none that there is. */
export function needSlot(
  { needs, needShift, needOnly }: ShiftedNeeds,
  microbatches: number,
  need: number,
  microbatch: number,
): number {
  // Plain programs take this way for every need of every operation.
  if (needShift === undefined) return needs[need] * microbatches + microbatch;
  if (needOnly?.[need]?.[microbatch] === 0) return -1;
  const asked = microbatch + needShift[need];
  return asked < 0 || asked >= microbatches ? -1 : needs[need] * microbatches + asked;
}

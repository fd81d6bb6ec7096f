/**
 * Versions of the weights: facts of a program, for every stage and microbatch. A device works in order and its stages' weights
 * change only there, so that the order alone says which version an operation finds.
 *
 * All parts of a microbatch use the version that the first of them finds. Version 0 is what training starts with; the k-th U of a stage makes its version k. Copies of a stage count each their own
 * updates: where replicas take turns, a round of them is one update of the stage.
 */
import {
  B,
  F,
  I,
  kindOfRow,
  microbatchOf,
  type Program,
  runsMicrobatch,
  stageNumberOfStage,
  U,
  type WeightRule,
  weightsStage,
} from '../values/program.ts';

/** What each rule reads, and copies of the weights that it keeps beyond the versions that are still to be used. */
export const weightRules: Readonly<
  Record<
    WeightRule,
    {
      /**
       * `newest`: the newest version of the stage. `entry`: the version of the microbatch's entry at stage 0. `before`: the
       * version of the minibatch before.
       */
      readonly forward: 'newest' | 'entry' | 'before';
      /** The `same` as the forward, or the `newest` at its moment. */
      readonly backward: 'same' | 'newest';
      readonly copies: number;
    }
  >
> = {
  flush: { forward: 'newest', backward: 'same', copies: 0 },
  stash: { forward: 'newest', backward: 'same', copies: 0 },
  vertical_sync: { forward: 'entry', backward: 'same', copies: 0 },
  double_buffer: { forward: 'before', backward: 'same', copies: 0 },
  // The predicted weights stand beside the newest ones.
  predict: { forward: 'newest', backward: 'newest', copies: 1 },
  latest: { forward: 'newest', backward: 'newest', copies: 0 },
};

/** A version that an operation must use and that its stage has not made, or no longer could have, at that point of its device. */
export interface MissingVersion {
  readonly stage: number;
  readonly microbatch: number;
  /** Version asked for, and the newest that there is. */
  readonly version: number;
  readonly newest: number;
}

/**
 * Slots are `stage × microbatches + microbatch`, positions refer to `program.order`. Stages are the stages of the program, so
 * each copy is a separate stage. −1 if a stage does not run the microbatch, or if no update follows.
 */
export interface Versions {
  readonly rule: WeightRule;
  /** Version that F uses, by slot. */
  readonly read: Int32Array;
  /** Version that the backward uses (B or I), by slot; other than `read` where the gradient is inconsistent. */
  readonly used: Int32Array;
  /** Version that the update with this gradient makes, by slot: the gradient is applied to the version before it. */
  readonly made: Int32Array;
  /** Backwards of the stage from the start of this F to the end of the backward of the same microbatch, included, by slot. */
  readonly backwards: Int32Array;
  /** Updates of each stage. */
  readonly updates: Int32Array;
  /** Backwards of each stage. */
  readonly runs: Int32Array;
  /** Versions of the operation's stage held while it runs and after it, by position. A version that is overwritten and not used again is not held. */
  readonly during: Int32Array;
  readonly after: Int32Array;
  /** Most versions of each stage held at a time, without copies that the rule keeps. */
  readonly most: Int32Array;
  /** Copies of the weights that rule and policy keep in addition to the versions (predicted weights, a running mean). */
  readonly copies: number;
  /** The first missing version of each stage; empty where every operation finds what it must use. */
  readonly missing: readonly MissingVersion[];
}

const known = new WeakMap<Program, Versions>();

/** The versions of an asynchronous program; undefined where all microbatches use the same weights. O(operations), once a program. */
export function versionsOf(program: Program): Versions | undefined {
  if (program.weights === undefined || program.weights === 'flush') return undefined;
  const found = known.get(program) ?? walk(program, program.weights);
  known.set(program, found);
  return found;
}

/** Updates between the version that F reads and the one that the gradient is applied to; −1 where there is no update. */
export function stalenessAt({ read, made }: Versions, slot: number): number {
  return made[slot] < 0 || read[slot] < 0 ? -1 : made[slot] - 1 - read[slot];
}

/**
 * Backwards of the stage from F's read to its own backward, in minibatches: the delay τ of Yang et al., "PipeMare" (2021).
 * NaN where there is none.
 */
export function delayAt({ backwards, runs, updates }: Versions, stage: number, slot: number): number {
  return backwards[slot] < 0 || updates[stage] === 0 ? NaN : (backwards[slot] * updates[stage]) / runs[stage];
}

/** Whether F and the backward of a slot use different weights. */
export const inconsistentAt = ({ read, used }: Versions, slot: number): boolean =>
  read[slot] >= 0 && used[slot] >= 0 && read[slot] !== used[slot];

function walk(program: Program, rule: WeightRule): Versions {
  const { stages, microbatches, order } = program;
  const slots = stages * microbatches;
  const facts = {
    read: new Int32Array(slots).fill(-1),
    used: new Int32Array(slots).fill(-1),
    made: new Int32Array(slots).fill(-1),
    backwards: new Int32Array(slots).fill(-1),
    updates: new Int32Array(stages),
    runs: new Int32Array(stages),
  };
  const missing = reads(program, rule, facts);
  const during = new Int32Array(order.length);
  const after = new Int32Array(order.length);
  const most = hold(program, facts, during, after);
  const copies = program.weightCopies ?? weightRules[rule].copies;
  return { rule, ...facts, during, after, most, copies, missing };
}

type Facts = Pick<Versions, 'read' | 'used' | 'made' | 'backwards' | 'updates' | 'runs'>;

/** Fills `facts` in the order of each device; returns the versions that are not there when they are needed. */
function reads(program: Program, rule: WeightRule, facts: Facts): readonly MissingVersion[] {
  const { stages, microbatches, order, shift, minibatch = 1 } = program;
  const { forward, backward } = weightRules[rule];
  const { read, used, made, backwards, updates, runs } = facts;
  const entered = forward === 'entry' ? entries(program) : undefined;
  const reach = entered === undefined ? undefined : reachOfVersions(program);
  const missing = new Map<number, MissingVersion>();
  // Microbatches of each stage whose gradients wait for the next update, as a linked list over slots.
  const pending = new Int32Array(stages).fill(-1);
  const next = new Int32Array(stages * microbatches).fill(-1);
  // What the first part of each microbatch found.
  const [readBy, usedBy] = [0, 0].map(() => new Int32Array(stages * microbatches).fill(-1));

  for (let position = 0; position < order.length; position += 1) {
    const word = order[position];
    const row = word >> shift;
    const kind = kindOfRow(stages, row);
    const stage = row - kind * stages;
    const microbatch = microbatchOf(program, word);
    const slot = stage * microbatches + microbatch;
    const home = weightsStage(program, stage);
    const first = home * microbatches + microbatch;
    if (kind === F) {
      let version = updates[home];
      if (forward === 'before') version = Math.max(0, Math.trunc(microbatch / minibatch) - 1);
      else if (entered !== undefined && reach !== undefined)
        version = versionReaching(reach[home], entered[microbatch]);
      if (version > updates[home] && !missing.has(home))
        missing.set(home, { stage: home, microbatch, version, newest: updates[home] });
      if (readBy[first] < 0) readBy[first] = Math.min(version, updates[home]);
      read[slot] = readBy[first];
      backwards[slot] = -2 - runs[stage];
    } else if (kind === B || kind === I) {
      if (usedBy[first] < 0) usedBy[first] = backward === 'same' ? read[slot] : updates[home];
      used[slot] = usedBy[first];
      runs[stage] += 1;
      if (backwards[slot] < -1) backwards[slot] = runs[stage] + backwards[slot] + 2;
      next[slot] = pending[home];
      pending[home] = slot;
    } else if (kind === U) {
      updates[stage] += 1;
      for (let waiting = pending[stage]; waiting >= 0; waiting = next[waiting]) made[waiting] = updates[stage];
      pending[stage] = -1;
    }
  }
  // Parts of a stage are updated with it.
  for (let stage = 0; stage < stages; stage += 1) updates[stage] = updates[weightsStage(program, stage)];
  // A forward without a backward has no delay.
  for (let slot = 0; slot < backwards.length; slot += 1) if (backwards[slot] < -1) backwards[slot] = -1;
  return [...missing.values()];
}

/**
 * For each stage, by version less one, how many microbatches from the first its gradients reach. An update after microbatch j
 * holds the whole minibatch of j; replicas that take turns exchange the gradients of their round.
 */
function reachOfVersions(program: Program): readonly number[][] {
  const { stages, order, shift, minibatch = 1, copies } = program;
  const reach: number[][] = Array.from({ length: stages }, () => []);
  for (const word of order) {
    const row = word >> shift;
    if (kindOfRow(stages, row) !== U) continue;
    const stage = row % stages;
    const block = Math.max(minibatch, copies?.every[stage] ?? 1);
    reach[stage].push((Math.trunc(microbatchOf(program, word) / block) + 1) * block);
  }
  return reach;
}

/** The newest version that holds no gradient of microbatches from `entered` on. */
function versionReaching(reach: readonly number[], entered: number): number {
  let low = 0;
  let high = reach.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (reach[middle - 1] <= entered) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** For each microbatch, how many microbatches from the first the weights of stage 0 reached when it entered there. */
function entries(program: Program): Int32Array {
  const { stages, microbatches, order, shift } = program;
  const entered = new Int32Array(microbatches);
  const reach = reachOfVersions(program);
  const updates = new Int32Array(stages);
  for (const word of order) {
    const row = word >> shift;
    const kind = kindOfRow(stages, row);
    const stage = row - kind * stages;
    const microbatch = microbatchOf(program, word);
    if (kind === U) updates[stage] += 1;
    // A microbatch enters with its first part.
    else if (
      kind === F &&
      stageNumberOfStage(program, stage) === 0 &&
      weightsStage(program, stage) === stage &&
      runsMicrobatch(program, stage, microbatch)
    )
      entered[microbatch] = updates[stage] === 0 ? 0 : reach[stage][updates[stage] - 1];
  }
  return entered;
}

/** Counts what each stage holds while an operation runs and after it; returns the most of each stage. */
function hold(program: Program, { read, used, updates }: Facts, during: Int32Array, after: Int32Array): Int32Array {
  const { stages, microbatches, order, shift } = program;
  const first = new Int32Array(stages + 1);
  for (let stage = 0; stage < stages; stage += 1) first[stage + 1] = first[stage] + updates[stage] + 1;
  // Uses of each version that are still to come.
  const left = new Int32Array(first[stages]);
  for (let slot = 0; slot < read.length; slot += 1) {
    const stage = weightsStage(program, Math.trunc(slot / microbatches));
    if (read[slot] >= 0) left[first[stage] + read[slot]] += 1;
    if (used[slot] >= 0) left[first[stage] + used[slot]] += 1;
  }
  const held = new Int32Array(stages).fill(1);
  const newest = new Int32Array(stages);
  const most = new Int32Array(stages).fill(1);
  for (let position = 0; position < order.length; position += 1) {
    const word = order[position];
    const row = word >> shift;
    const kind = kindOfRow(stages, row);
    const stage = row - kind * stages;
    let ends = false;
    const home = weightsStage(program, stage);
    if (kind === U) {
      // Weights that nothing uses any more are updated in place.
      if (left[first[home] + newest[home]] > 0) held[home] += 1;
      newest[home] += 1;
    } else if (kind === F || kind === B || kind === I) {
      const slot = stage * microbatches + microbatchOf(program, word);
      const version = kind === F ? read[slot] : used[slot];
      if (version >= 0) {
        left[first[home] + version] -= 1;
        ends = left[first[home] + version] === 0 && version !== newest[home];
      }
    }
    during[position] = held[home];
    if (held[home] > most[home]) most[home] = held[home];
    if (ends) held[home] -= 1;
    after[position] = held[home];
  }
  for (let stage = 0; stage < stages; stage += 1) most[stage] = most[weightsStage(program, stage)];
  return most;
}

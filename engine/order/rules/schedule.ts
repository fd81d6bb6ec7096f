/**
 * The list scheduler of `listSchedule.ts` for rules that say more than a preference: conditions, limits in bytes, recomputation
 * as a separate operation, a preference for each device. A free device looks at its ready operations when its operation ends
 * or a result arrives. With `next` it also looks when an operation begins whose result it needs, and when a comparison turns.
 */
import type { GreedyRule, RuleOperation, RuleRead } from '../../values/plan.ts';
import {
  B,
  E,
  F,
  I,
  kindName,
  kindOfRow,
  kinds,
  L,
  letters,
  type Program,
  type ProgramCopies,
  R,
  resultOf,
  shiftFor,
  U,
  W,
} from '../../values/program.ts';
import { type Condition, turnsIn } from './conditions.ts';
import type { Dependencies } from '../dependencies.ts';
import { depthsOf } from '../depths.ts';
import type { Reading } from './guards.ts';
import { type Heap, heapOf, pop, push } from '../heap.ts';
import { consumersOf } from './dependencies.ts';
import { ruleRoom } from './room.ts';
import { type EvictionCosts, ruleEvictions } from './evictions.ts';
import type { RuleMemory } from './memory.ts';
import { ruleReleases, type RuleWait, ruleWaits } from './waits.ts';
import { turnsOf } from '../turns.ts';
import { ticksAt, type WholeTicks } from '../wholeTicks.ts';

export interface RuleWork {
  readonly devices: number;
  readonly placement: ArrayLike<number>;
  readonly microbatches: number;
  readonly split: boolean;
  /** Most microbatches in flight, by stage. */
  readonly limits: Float64Array;
  /** Stages with an operation R. */
  readonly again: Uint8Array;
  readonly dependencies: Dependencies;
  readonly ticks: WholeTicks;
  readonly memory: RuleMemory;
  readonly copies?: ProgramCopies;
  readonly rule: Pick<GreedyRule, 'prefer' | 'ties' | 'limit'>;
  /** Only if the rule sends activations away: what copies take, and the device that keeps them, as `Program.partner`. */
  readonly evictions?: EvictionCosts;
  readonly keeper?: Int32Array;
  /** Only if the rule runs operations that the schedule declares: their names, their numbers by result row, and all waits. */
  readonly declared?: {
    readonly names: readonly string[];
    readonly numbers: ReadonlyMap<number, Int32Array>;
    readonly waits: readonly RuleWait[];
  };
  /** Conditions of each result row (F, backward, W, R, U, E, L of each stage); `read` gives what they read. */
  readonly conditions: (read: ReadRule) => readonly (readonly Condition[])[];
  /** Result rows of operations that take bytes and may start only where there is room; only with `evictions`. */
  readonly needsRoom?: Uint8Array;
  /** Whether a condition reads `next`. */
  readonly watches: boolean;
}

/** What a condition reads, as a function; `row`: the result row of the operations that the condition is for. */
type ReadRule = (what: RuleRead, row: number) => Reading;

/** A ready operation that its device may not start, with the conditions that do not hold. */
export interface BlockedOperation {
  readonly device: number;
  readonly word: number;
  readonly conditions: readonly Condition[];
  /** The limit in bytes that it would go over, the device that it is for, and what that device holds. */
  readonly limit?: { readonly bytes: number; readonly held: number; readonly owner: number };
  /** The limit of microbatches in flight. */
  readonly inFlight?: number;
  /** Operations that it waits for because operations of the schedule say so. */
  readonly waits?: readonly number[];
}

export type RuleOrder =
  | { readonly program: Program }
  | {
      readonly blocked: readonly BlockedOperation[];
      readonly program: Program;
      readonly seconds: number;
      readonly left: number;
    };

/** Results of E and L, in a program and in its rule. */
const sends = resultOf[E];
const brings = resultOf[L];

/** After this many looks ahead for one operation, a device looks only when something arrives: a comparison need not be a line. */
const mostLooks = 64;

/** O(n · k) for n operations and k stages of a device. */
export function ruleSchedule(work: RuleWork): RuleOrder {
  const { devices, microbatches, limits, dependencies, ticks, copies, split, again, memory, rule, watches } = work;
  const stages = limits.length;
  const placement = Int32Array.from(work.placement);
  const shift = shiftFor(microbatches);
  const { offsets: needOffsets, needs } = dependencies;
  const rows = needOffsets.length - 1;
  const consumers = consumersOf(dependencies, rows);
  const { microbatchOf, uneven, count, turnOf } = turnsOf(copies, stages, microbatches);
  const depths = depthsOf(copies, stages);
  const placeOf = (stage: number): number => (rule.ties === 'shallowest' ? stages - 1 - depths[stage] : depths[stage]);
  const evictions = work.evictions && ruleEvictions(work.evictions, microbatches);
  const counts = new Int32Array(rows);
  /** Most operations of each row: of E and L, nobody knows how many run. */
  const most = new Int32Array(rows);
  for (let row = 0; row < rows; row += 1) {
    const stage = row % stages;
    const result = kindOfRow(stages, row);
    const runs = result < 2 || (result === 2 && split) || (result === 3 && again[stage] === 1);
    const declared = result > brings ? (work.declared?.numbers.get(row)?.length ?? 0) : 0;
    counts[row] = runs ? count(stage) : declared;
    most[row] = evictions !== undefined && (result === sends || result === brings) ? count(stage) : counts[row];
  }
  const names = work.declared?.names ?? [];
  const kindOfResult = [F, split ? I : B, W, R, U, E, L, ...names.map((_, at) => kinds + at)];
  const letterOf = (kind: number): RuleOperation => kindName({ declared: { names } }, kind);
  const waits = work.declared && ruleWaits(work.declared.waits, rows * microbatches);
  const releases =
    work.declared &&
    ruleReleases(
      work.declared.waits,
      (slot) => slot >= (brings + 1) * stages * microbatches,
      ({ who, whom }) =>
        placement[Math.trunc(who / microbatches) % stages] === placement[Math.trunc(whom / microbatches) % stages],
    );

  const local: number[][] = Array.from({ length: devices }, () => []);
  const offsets = new Int32Array(devices + 1);
  for (let row = 0; row < rows; row += 1) {
    if (most[row] === 0) continue;
    local[placement[row % stages]].push(row);
    offsets[placement[row % stages] + 1] += most[row];
  }
  for (let device = 0; device < devices; device += 1) offsets[device + 1] += offsets[device];
  const order = new Int32Array(offsets[devices]);
  const at = offsets.slice(0, devices);
  const rankOf = rule.prefer.map((preferred) => {
    const listed = [...preferred, 'R', 'B', 'I', 'F', 'W'];
    return kindOfResult.map((kind) => listed.indexOf(letterOf(kind)));
  });
  /** Devices that send activations to each device. */
  const senders: readonly (readonly number[])[] = Array.from({ length: devices }, (_, device) =>
    Array.from(work.keeper ?? []).flatMap((keeper, sender) => (keeper === device ? [sender] : [])),
  );
  const room = ruleRoom(senders, microbatches);
  /** The device whose bytes an operation adds to. */
  const ownerOf = (device: number, result: number): number =>
    result === sends ? (work.keeper?.[device] ?? device) : device;

  const next = new Int32Array(rows);
  const begun = new Int32Array(rows);
  const ended = new Int32Array(rows);
  const end = new Float64Array(rows * microbatches);
  const inFlight = new Int32Array(stages);
  const need = needOffsets.slice(0, rows);
  const readyAt = new Float64Array(rows);
  const ready = new Uint8Array(rows);
  const running = new Int32Array(devices).fill(-1);
  // Values: a row that becomes ready, `rows + device` where the device ends its operation, `rows + devices + device` to look again;
  // from `copied` on the end of a copy out of a slot (stage × microbatches + turn), and then of one back.
  let events = heapOf(2 * (rows + devices));
  const wakeAt = new Float64Array(devices).fill(Infinity);
  // How often a device has looked ahead since its last operation.
  const looks = new Int32Array(devices);
  const touched = new Int32Array(devices);
  const isTouched = new Uint8Array(devices);
  let touchedCount = 0;
  let now = 0;
  const copied = rows + 2 * devices;
  const slots = stages * microbatches;
  // Then arrivals of what operations wait for.
  const awaited = copied + 2 * slots;
  const microbatchAt = (row: number, turn: number): number =>
    work.declared?.numbers.get(row)?.[turn] ?? microbatchOf(row % stages, turn);

  /** Ticks of the n-th operation of a row. */
  const lengthOf = (row: number, turn: number): number => ticksAt(ticks, microbatches, row, microbatchAt(row, turn));
  const schedule = (time: number, value: number): void => {
    if (events.size === events.keys.length) events = larger(events);
    push(events, time, value);
  };
  const touch = (device: number): void => {
    if (isTouched[device] === 1) return;
    isTouched[device] = 1;
    touched[touchedCount] = device;
    touchedCount += 1;
  };
  /** When the results of others are there that an operation of a row needs; infinite while one of them has not begun. */
  const arrival = (row: number, turn: number): number => {
    if (turn < 0 || turn >= counts[row]) return Infinity;
    let latest = 0;
    for (let index = needOffsets[row]; index < needOffsets[row + 1]; index += 1) {
      const producer = needs[index];
      if (producer >= 3 * stages) continue;
      const asked = uneven ? turnOf(producer % stages, row % stages, turn) : turn;
      if (asked < 0) continue;
      if (begun[producer] <= asked) return Infinity;
      latest = Math.max(latest, end[producer * microbatches + asked] + ticks.transfer[index]);
    }
    return latest;
  };

  /** Turn of the operation of a row that its device could start now; −1 for none. */
  const turnOfReady = (row: number): number => {
    if (evictions === undefined && waits === undefined) return ready[row] === 1 ? next[row] : -1;
    return evictions === undefined ? turnOfOpen(row) : turnOfHere(row);
  };
  const turnOfOpen = (row: number): number =>
    ready[row] === 1 && waits?.isOpen(row * microbatches + microbatchAt(row, next[row])) !== false ? next[row] : -1;
  const turnOfHere = (row: number): number => {
    if (evictions === undefined) return -1;
    const result = kindOfRow(stages, row);
    const stage = row - result * stages;
    if (result === sends || result === brings) {
      const turn = result === sends ? evictions.toSend(stage, next[stages + stage]) : evictions.toLoad(stage);
      const isOpen = turn < 0 || waits?.isOpen(row * microbatches + microbatchAt(row, turn)) !== false;
      return isOpen ? turn : -1;
    }
    return result === 1 && ready[row] === 1 && !evictions.isHere(stage, next[row]) ? -1 : turnOfOpen(row);
  };

  /** Now for what conditions read; set ahead to find out when one turns. */
  let seen = 0;
  const resultOfName = (name: RuleOperation = 'F'): number => {
    const letter = (letters as readonly string[]).indexOf(name);
    return letter >= 0 ? resultOf[letter] : brings + 1 + names.indexOf(name);
  };
  const rowsOf = (kind: RuleOperation | undefined, device: number): readonly number[] =>
    local[device].filter((row) => kindOfRow(stages, row) === resultOfName(kind));
  const stageOn = (stage: number | undefined, device: number): number => {
    for (let copy = 0; copy < stages; copy += 1)
      if (placement[copy] === device && (copies?.stage[copy] ?? copy) === stage) return copy;
    return -1;
  };
  const read: ReadRule = ({ read: what, kind, stage }, of) => {
    const device = placement[of % stages];
    const here = stageOn(stage, device);
    const result = resultOfName(kind);
    const row = result * stages + here;
    switch (what) {
      case 'held':
        return () => inFlight[here];
      case 'away':
        return () => evictions?.away(here) ?? 0;
      case 'loaded':
        return () => evictions?.loaded(here) ?? 0;
      case 'bytes':
        return () => memory.bytes(device);
      case 'activation': {
        const size = memory.activation(here);
        return () => size;
      }
      case 'time': {
        if (row >= rows) return () => 0;
        return () => lengthOf(row, Math.max(0, Math.min(next[row], counts[row] - 1))) / ticks.perSecond;
      }
      case 'next':
        if (result === sends) return () => (turnOfReady(row) < 0 ? Infinity : 0);
        if (result === brings && evictions !== undefined)
          return () => Math.max(0, evictions.awayAt(here) - seen) / ticks.perSecond;
        // A load asks when its own backward may begin.
        if (evictions !== undefined && of === brings * stages + here && result === 1)
          return () => Math.max(0, arrival(row, evictions.oldest(here)) - seen) / ticks.perSecond;
        return () => (row < rows ? Math.max(0, arrival(row, next[row]) - seen) / ticks.perSecond : Infinity);
      case 'done': {
        const counted = rowsOf(kind, device);
        return () => counted.reduce((sum, each) => sum + ended[each], 0);
      }
      case 'pending': {
        const counted = rowsOf(kind, device);
        return () => counted.reduce((sum, each) => sum + (turnOfReady(each) < 0 ? 0 : 1), 0);
      }
      // Conditions do not read what operations of a schedule hold or send.
      case 'weights':
      case 'gradients':
        return () => 0;
    }
  };
  const conditions = work.conditions(read);

  const announce = (row: number): void => {
    const turn = next[row];
    if (turn >= counts[row]) return;
    while (need[row] < needOffsets[row + 1]) {
      const producer = needs[need[row]];
      const asked = uneven ? turnOf(producer % stages, row % stages, turn) : turn;
      if (ended[producer] <= asked) return;
      const arrives = asked < 0 ? 0 : end[producer * microbatches + asked] + ticks.transfer[need[row]];
      if (arrives > readyAt[row]) readyAt[row] = arrives;
      need[row] += 1;
    }
    schedule(readyAt[row], row);
  };
  /** Whether nobody needs any more what an operation of the schedule holds. */
  const tellWaits = (slot: number): boolean => {
    waits?.ends(slot, (wait, delay) => schedule(now + delay, awaited + wait));
    const freed = releases?.(slot) ?? [];
    for (const free of freed) memory.releases(Math.trunc(free / microbatches));
    return freed.length > 0;
  };
  const finish = (device: number): void => {
    const row = running[device];
    running[device] = -1;
    touch(device);
    const turn = ended[row];
    ended[row] += 1;
    const result = kindOfRow(stages, row);
    const stage = row - result * stages;
    memory.ends(result, stage);
    if (result === 0) evictions?.forwardEnds(stage, turn);
    if (result === 1) inFlight[stage] -= 1;
    const microbatch = microbatchAt(row, turn);
    // Who sends to this device waits for the room that its operations leave.
    if (senders[device].length > 0 && result !== F && result !== sends && result !== brings)
      room.leaves('operation', device, row, microbatch);
    for (const sender of senders[device]) touch(sender);
    // A copy ends later than its E or L.
    if (result !== sends && result !== brings) tellWaits(row * microbatches + microbatch);
    for (let index = consumers.offsets[row]; index < consumers.offsets[row + 1]; index += 1) {
      const consumer = consumers.rows[index];
      const asked = uneven ? turnOf(consumer % stages, stage, turn) : turn;
      // Only who waits for just this result may go on.
      if (next[consumer] === asked && need[consumer] < needOffsets[consumer + 1] && needs[need[consumer]] === row)
        announce(consumer);
    }
  };
  const wordOfSlot = (row: number, microbatch: number): number =>
    ((kindOfResult[kindOfRow(stages, row)] * stages + (row % stages)) << shift) | microbatch;
  const wordOf = (row: number, turn: number): number => wordOfSlot(row, microbatchAt(row, turn));
  const start = (device: number, row: number): void => {
    const result = kindOfRow(stages, row);
    const stage = row - result * stages;
    const turn = turnOfReady(row);
    order[at[device]] = wordOf(row, turn);
    at[device] += 1;
    looks[device] = 0;
    if (work.needsRoom?.[row] === 1) room.starts(device, ownerOf(device, result), row, microbatchAt(row, turn));
    memory.starts(result, stage);
    running[device] = row;
    if (evictions !== undefined && (result === sends || result === brings)) {
      const slot = stage * microbatches + turn;
      if (result === sends) schedule(evictions.send(stage, turn, now), copied + slot);
      else schedule(evictions.load(stage, turn, now), copied + slots + slot);
      begun[row] += 1;
      schedule(now, rows + device);
      return;
    }
    ready[row] = 0;
    if (result === 0) inFlight[stage] += 1;
    if (result === 1) evictions?.backwardBegins(stage, turn);
    const ends = now + lengthOf(row, next[row]);
    end[row * microbatches + next[row]] = ends;
    begun[row] += 1;
    schedule(ends, rows + device);
    next[row] += 1;
    need[row] = needOffsets[row];
    readyAt[row] = now;
    announce(row);
    for (let index = consumers.offsets[row]; watches && index < consumers.offsets[row + 1]; index += 1)
      touch(placement[consumers.rows[index] % stages]);
  };
  const allowed = (row: number): boolean => {
    const result = kindOfRow(stages, row);
    const stage = row - result * stages;
    if (result === 0 && inFlight[stage] + 1 > limits[stage]) return false;
    const limit = rule.limit[ownerOf(placement[stage], result)] ?? null;
    if (limit !== null && !memory.fits(result, stage, limit)) return false;
    const list = conditions[row];
    for (let index = 0; index < list.length; index += 1) if (list[index].holds() !== 1) return false;
    return true;
  };
  /** The first ready operation of a device that it may start; −1 for none. */
  const choose = (device: number): number => {
    const rank = rankOf[device];
    let best = -1;
    let least = Infinity;
    for (const row of local[device]) {
      const turn = turnOfReady(row);
      if (turn < 0) continue;
      const result = kindOfRow(stages, row);
      const stage = row - result * stages;
      const microbatch = microbatchAt(row, turn);
      const key = keyOf(rule.ties, rank[result], microbatch, placeOf(stage), microbatches, stages);
      if (key < least && allowed(row)) [best, least] = [row, key];
    }
    return best;
  };
  const clock = {
    perSecond: ticks.perSecond,
    ahead(time: number) {
      seen = time;
    },
  };
  /** Looks again when the first condition of a ready operation turns. */
  const wake = (device: number): void => {
    let turns = Infinity;
    for (const row of local[device]) {
      if (turnOfReady(row) >= 0)
        turns = Math.min(turns, turnsIn(conditions[row], now, clock, looks[device] < mostLooks));
    }
    if (turns >= wakeAt[device]) return;
    looks[device] += 1;
    wakeAt[device] = turns;
    schedule(turns, rows + devices + device);
  };

  const arrive = (wait: number): void => {
    const slot = waits?.arrives(wait) ?? -1;
    if (slot >= 0) touch(placement[Math.trunc(slot / microbatches) % stages]);
  };
  const endCopy = (copy: number): void => {
    const slot = copy % slots;
    const stage = Math.trunc(slot / microbatches);
    if (copy < slots) evictions?.leaves(slot);
    else evictions?.returns(slot);
    const row = (copy < slots ? sends : brings) * stages + stage;
    const microbatch = microbatchAt(row, slot % microbatches);
    room.leaves(copy < slots ? 'out' : 'back', placement[stage], row, microbatch);
    if (tellWaits(row * microbatches + microbatch) && copy >= slots)
      room.leaves('in', placement[stage], row, microbatch);
    memory.copied(copy < slots ? sends : brings, stage);
    const keeper = work.keeper?.[placement[stage]] ?? devices;
    for (const device of [placement[stage], keeper]) {
      if (device >= devices) continue;
      touch(device);
      for (const sender of senders[device]) touch(sender);
    }
  };

  for (let row = 0; row < rows; row += 1) announce(row);
  while (events.size > 0) {
    now = events.keys[0];
    seen = now;
    // All that happens at one instant, before any device chooses.
    while (events.size > 0 && events.keys[0] === now) {
      const event = pop(events);
      if (event < rows) {
        ready[event] = 1;
        touch(placement[event % stages]);
      } else if (event < rows + devices) finish(event - rows);
      else if (event >= awaited) arrive(event - awaited);
      else if (event >= copied) endCopy(event - copied);
      else {
        const device = event - rows - devices;
        if (wakeAt[device] <= now) wakeAt[device] = Infinity;
        touch(device);
      }
    }
    while (touchedCount > 0) {
      touchedCount -= 1;
      const device = touched[touchedCount];
      isTouched[device] = 0;
      if (running[device] >= 0) continue;
      const row = choose(device);
      if (row >= 0) start(device, row);
      else if (watches) wake(device);
    }
  }
  const left = counts.reduce((sum, total, row) => (total === 0 ? sum : sum + total - ended[row]), 0);
  const made = evictions === undefined ? { order, offsets } : withoutGaps(order, offsets, at);
  // Only devices that have sent something have a partner.
  const partner = Int32Array.from(work.keeper ?? [], (keeper, device) =>
    local[device].some((row) => kindOfRow(stages, row) === sends && begun[row] > 0) ? keeper : -1,
  );
  const waiting = room.waits();
  const program = {
    devices,
    stages,
    microbatches,
    split,
    placement,
    ...made,
    shift,
    ...(copies && { copies }),
    ...(partner.some((each) => each >= 0) ? { partner, extended: true } : {}),
    ...(waiting === undefined ? {} : { room: waiting }),
  };
  if (left === 0) return { program };
  const blocked: BlockedOperation[] = [];
  for (let row = 0; row < rows; row += 1) {
    const turn = turnOfReady(row);
    if (turn < 0) {
      const open = ready[row] === 1 ? (waits?.openOf(row * microbatches + microbatchAt(row, next[row])) ?? []) : [];
      if (open.length === 0) continue;
      const words = open.map((slot) => wordOfSlot(Math.trunc(slot / microbatches), slot % microbatches));
      blocked.push({ device: placement[row % stages], word: wordOf(row, next[row]), conditions: [], waits: words });
      continue;
    }
    const result = kindOfRow(stages, row);
    const stage = row - result * stages;
    const device = placement[stage];
    const owner = ownerOf(device, result);
    const limit = rule.limit[owner] ?? null;
    const over = limit !== null && !memory.fits(result, stage, limit);
    blocked.push({
      device,
      word: wordOf(row, turn),
      conditions: conditions[row].filter(({ holds }) => holds() !== 1),
      ...(over ? { limit: { bytes: limit, held: memory.bytes(owner), owner } } : {}),
      ...(result === 0 && inFlight[stage] + 1 > limits[stage] ? { inFlight: limits[stage] } : {}),
    });
  }
  return { blocked, program, seconds: now / ticks.perSecond, left };
}

/** Devices have room for all E and L that may run; those that ran are fewer. */
function withoutGaps(order: Int32Array, offsets: Int32Array, at: Int32Array): Pick<Program, 'order' | 'offsets'> {
  const used = new Int32Array(offsets.length);
  for (const [device, end] of at.entries()) used[device + 1] = used[device] + end - offsets[device];
  const packed = new Int32Array(used[at.length]);
  for (const [device, end] of at.entries()) packed.set(order.subarray(offsets[device], end), used[device]);
  return { order: packed, offsets: used };
}

/** The least key runs first: by preference, then as `ties` says; `place` is the stage's among all stages. */
const keyOf = (
  ties: GreedyRule['ties'],
  rank: number,
  microbatch: number,
  place: number,
  microbatches: number,
  stages: number,
): number =>
  ties === 'oldest'
    ? (rank * microbatches + microbatch) * stages + place
    : (rank * stages + place) * microbatches + microbatch;

function larger(heap: Heap): Heap {
  const grown = heapOf(2 * heap.keys.length + 16);
  grown.keys.set(heap.keys);
  grown.values.set(heap.values);
  grown.size = heap.size;
  return grown;
}

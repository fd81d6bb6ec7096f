/** What begins and ends while a rule runs. */
import { F, kindOfRow } from '../../values/program.ts';
import { announce, turnOfReady } from './ready.ts';
import { type EventRanges, lengthOf, type RuleRun, schedule, touch } from './run.ts';
import { brings, sends } from './work.ts';

/** A device starts the operation of a row. */
export function start(run: RuleRun, ranges: EventRanges, device: number, row: number): void {
  const { work, layout, evictions, now, next, end } = run;
  const { stages, microbatches, consumers, placement } = layout;
  const result = kindOfRow(stages, row);
  const stage = row - result * stages;
  const turn = turnOfReady(run, row);
  run.order[run.at[device]] = layout.wordOf(row, turn);
  run.at[device] += 1;
  run.looks[device] = 0;
  if (work.needsRoom?.[row] === 1)
    run.room.starts(device, layout.ownerOf(device, result), row, layout.microbatchAt(row, turn));
  work.memory.starts(result, stage);
  run.running[device] = row;
  run.begun[row] += 1;
  if (evictions !== undefined && (result === sends || result === brings)) {
    const slot = stage * microbatches + turn;
    if (result === sends) schedule(run, evictions.send(stage, turn, now), ranges.copies + slot);
    else schedule(run, evictions.load(stage, turn, now), ranges.copies + ranges.slots + slot);
    schedule(run, now, ranges.ends + device);
    return;
  }
  run.ready[row] = 0;
  if (result === 0) run.inFlight[stage] += 1;
  if (result === 1) evictions?.backwardBegins(stage, turn);
  const ends = now + lengthOf(run, row, next[row]);
  end[row * microbatches + next[row]] = ends;
  schedule(run, ends, ranges.ends + device);
  next[row] += 1;
  run.need[row] = work.dependencies.offsets[row];
  run.readyAt[row] = now;
  announce(run, row);
  for (let index = consumers.offsets[row]; work.watches && index < consumers.offsets[row + 1]; index += 1)
    touch(run, placement[consumers.rows[index] % stages]);
}

/** The operation of a device has ended. */
export function finish(run: RuleRun, ranges: EventRanges, device: number): void {
  const { work, layout, evictions, running, ended, next, need } = run;
  const { stages, microbatches, consumers, senders, turns } = layout;
  const { offsets, needs } = work.dependencies;
  const row = running[device];
  running[device] = -1;
  touch(run, device);
  const turn = ended[row];
  ended[row] += 1;
  const result = kindOfRow(stages, row);
  const stage = row - result * stages;
  work.memory.ends(result, stage);
  if (result === 0) evictions?.forwardEnds(stage, turn);
  if (result === 1) run.inFlight[stage] -= 1;
  const microbatch = layout.microbatchAt(row, turn);
  // Who sends to this device waits for the room that its operations leave.
  if (senders[device].length > 0 && result !== F && result !== sends && result !== brings)
    run.room.leaves('operation', device, row, microbatch);
  for (const sender of senders[device]) touch(run, sender);
  // A copy ends later than its E or L.
  if (result !== sends && result !== brings) tellWaits(run, ranges, row * microbatches + microbatch);
  for (let index = consumers.offsets[row]; index < consumers.offsets[row + 1]; index += 1) {
    const consumer = consumers.rows[index];
    const asked = turns.uneven ? turns.turnOf(consumer % stages, stage, turn) : turn;
    // Only who waits for just this result may go on.
    if (next[consumer] === asked && need[consumer] < offsets[consumer + 1] && needs[need[consumer]] === row)
      announce(run, consumer);
  }
}

/** The copy of an E or L has ended. */
export function endCopy(run: RuleRun, ranges: EventRanges, copy: number): void {
  const { work, layout, evictions, room } = run;
  const { stages, microbatches, placement, senders } = layout;
  const isOut = copy < ranges.slots;
  const slot = copy % ranges.slots;
  const stage = Math.trunc(slot / microbatches);
  if (isOut) evictions?.leaves(slot);
  else evictions?.returns(slot);
  const row = (isOut ? sends : brings) * stages + stage;
  const microbatch = layout.microbatchAt(row, slot % microbatches);
  room.leaves(isOut ? 'out' : 'back', placement[stage], row, microbatch);
  if (tellWaits(run, ranges, row * microbatches + microbatch) && !isOut)
    room.leaves('in', placement[stage], row, microbatch);
  work.memory.copied(isOut ? sends : brings, stage);
  const keeper = work.keeper?.[placement[stage]] ?? work.devices;
  for (const device of [placement[stage], keeper]) {
    if (device >= work.devices) continue;
    touch(run, device);
    for (const sender of senders[device]) touch(run, sender);
  }
}

/** What an operation waits for has arrived. */
export function arrive(run: RuleRun, wait: number): void {
  const { stages, microbatches, placement } = run.layout;
  const slot = run.waits?.arrives(wait) ?? -1;
  if (slot >= 0) touch(run, placement[Math.trunc(slot / microbatches) % stages]);
}

/** Whether nobody needs any more what an operation of the schedule holds. */
function tellWaits(run: RuleRun, ranges: EventRanges, slot: number): boolean {
  run.waits?.ends(slot, (wait, delay) => schedule(run, run.now + delay, ranges.waits + wait));
  const freed = run.releases?.(slot) ?? [];
  for (const free of freed) run.work.memory.releases(Math.trunc(free / run.layout.microbatches));
  return freed.length > 0;
}

import type { Run } from '../schedule/evaluation.ts';
import { stageFor } from '../basics/lengths.ts';
import type { LengthStage, PipelinePlan } from '../values/plan.ts';
import { findPolicy } from '../policies/registry.ts';
import { B, E, F, I, type Kind, L, R, U, W, kindOf, kinds, microbatchOf, rowOf, stageOf } from '../values/program.ts';
import { endAt, secondsOf, startAt, stepAt, stepEnd } from '../values/timeline.ts';
import { type Ink, inkOfDeclared } from './ink.ts';

/** A block of a row: an operation, or a device's synchronisation or optimizer step. Seconds. Filled again for each block: copy what you keep. */
export interface Block {
  device: number;
  /** Position in the program's order; −1 for synchronisation and optimizer. */
  position: number;
  start: number;
  end: number;
  /** −1 for synchronisation and optimizer. */
  microbatch: number;
  /** Two operations that share a slot: the upper and the lower one. */
  half: 'whole' | 'upper' | 'lower';
  /** Its parts in order of time: part i has `inks[i]` and ends at the share `until[i]` of the block. */
  readonly inks: Ink[];
  readonly until: number[];
  /** Index of the part that carries the number. */
  labelled: number;
}

/** Calls `visit` for each block, devices in order, each in order of time. Returns the count of blocks. */
export function eachBlock(plan: PipelinePlan, run: Run, visit: (block: Block) => void): number {
  const { devices, offsets } = run.program;
  const visitBlocks = blocksOf(plan, run, visit);
  let count = 0;
  for (let device = 0; device < devices; device += 1)
    count += visitBlocks(device, offsets[device], offsets[device + 1]);
  return count;
}

/**
 * The same for a part of a device: the operations from one position to another, and what follows the last operation. Returns the
 * count of blocks.
 */
export function blocksOf(
  plan: PipelinePlan,
  run: Run,
  visit: (block: Block) => void,
): (device: number, from: number, to: number) => number {
  const { timeline } = run;
  const { program, timing } = timeline;
  const loading = loadingLane(plan);
  const block: Block = {
    device: 0,
    position: -1,
    start: 0,
    end: 0,
    microbatch: -1,
    half: 'whole',
    inks: [],
    until: [],
    labelled: 0,
  };
  let count = 0;
  const tail = (ink: Ink, start: number, end: number): void => {
    if (!(end > start)) return;
    Object.assign(block, { position: -1, microbatch: -1, half: 'whole', labelled: 0, start, end });
    setParts(block, [ink], [1]);
    visit(block);
    count += 1;
  };
  return (device, from, to) => {
    count = 0;
    block.device = device;
    for (let position = from; position < to; position += 1) {
      const word = program.order[position];
      const stage = stageOf(program, word);
      block.position = position;
      block.start = startAt(timeline, position);
      block.end = endAt(timeline, position);
      block.microbatch = microbatchOf(program, word);
      block.half = halfOf(program.fused, position, program.offsets[device]);
      const kind = kindOf(program, word);
      if (kind === F && plan.placement[stage] === loading) setParts(block, ['transfer'], [1]);
      else
        partsOf(
          stageFor(plan, stage, block.microbatch),
          block,
          kind,
          plan.lengths === undefined
            ? ((timing.single?.layers ?? timing.duration)[rowOf(program, word)] ?? 0)
            : secondsOf(timing, program, word),
          program.apart?.[stage] === 1,
        );
      visit(block);
      count += 1;
    }
    if (to < program.offsets[device + 1]) return count;
    const at = stepAt(timeline, device);
    tail('collective', at, timeline.exchanged[device]);
    const stepped = Math.max(at, timeline.exchanged[device]);
    // Without a barrier each layer steps before its first forward of the next iteration.
    const steps = timing.exchange?.rule.barrier !== false;
    if (steps) tail('optimizer', stepped, stepEnd(timeline, device));
    return count;
  };
}

function halfOf(fused: Uint8Array | undefined, position: number, first: number): Block['half'] {
  if (fused === undefined) return 'whole';
  if (fused[position] === 1) return 'upper';
  return position > first && fused[position - 1] === 1 ? 'lower' : 'whole';
}

function setParts(block: Block, inks: readonly Ink[], until: readonly number[]): void {
  block.inks.length = 0;
  block.until.length = 0;
  block.inks.push(...inks);
  block.until.push(...until);
  block.labelled = 0;
}

const wholeInk: Readonly<Record<Kind, Ink>> = {
  [F]: 'forward',
  [B]: 'backward',
  [I]: 'backwardInput',
  [W]: 'backwardWeight',
  [R]: 'recompute',
  [U]: 'optimizer',
  [E]: 'transfer',
  [L]: 'transfer',
};

/** Recomputation, then the backward's input half, then its weight half, as far as the block has them. */
function partsOf(
  costs: LengthStage | undefined,
  block: Block,
  kind: Kind,
  duration: number,
  recomputedApart: boolean,
): void {
  setParts(block, [], []);
  if ((kind !== B && kind !== I) || costs === undefined || !(duration > 0))
    return setParts(block, [kind >= kinds ? inkOfDeclared(kind - kinds) : wholeInk[kind]], [1]);
  const recompute = recomputedApart ? 0 : Math.min(1, costs.recompute / duration);
  if (recompute > 0) {
    block.inks.push('recompute');
    block.until.push(recompute);
    block.labelled = recompute < 1 ? 1 : 0;
  }
  const weight = kind === I ? 1 : Math.max(recompute, 1 - costs.backwardWeight / duration);
  if (weight > recompute) {
    block.inks.push(kind === I || weight < 1 ? 'backwardInput' : 'backward');
    block.until.push(weight);
  }
  if (weight < 1) {
    block.inks.push('backwardWeight');
    block.until.push(1);
  }
}

/** Lane whose forwards load the weights of another lane; −1 where there is none. */
const loadingLane = ({ schedule }: PipelinePlan): number =>
  schedule.kind === 'policy' && findPolicy(schedule.name)?.loading !== undefined ? 0 : -1;

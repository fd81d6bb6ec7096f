import { tokensOfMicrobatch, writtenMicrobatch } from '../../engine/basics/lengths.ts';
import { memoryAmount } from '../../engine/analyze/unitWords.ts';
import { bytes, count, moment, time } from '../../engine/basics/quantities.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { stageNumber } from '../../engine/costs/stages.ts';
import {
  type BlockType,
  type Gap,
  type Need,
  classOf,
  deviceOf,
  lastNeed,
  microbatchOf,
  paintKindOf,
  stageOf,
  typeOf,
} from './blocks.ts';
import { memoryAfter } from './memoryLevel.ts';
import { ownMemory, ownMemoryWords } from './ownMemory.ts';
import { waitedFor } from './laneWords.ts';
import { kindTransfer } from './columns.ts';
import { versionWords } from './missedUpdate.ts';
import { kindOf, kinds, rowOf } from '../../engine/values/program.ts';
import type { Picture } from './picture.ts';

/** Texts about blocks and gaps: tooltip, detail bar, table and screen reader say the same. */

const kindNames = {
  F: 'Forward',
  B: 'Backward',
  I: 'Backward, input gradient',
  W: 'Backward, weight gradient',
  R: 'Recompute',
  U: 'Weight update',
  E: 'Eviction',
  L: 'Load back',
  operation: 'Operation',
  sync: 'Gradient synchronisation',
  optimizer: 'Optimizer step',
} as const;

/** After a count: `48 backwards`. */
export const countedKinds: Readonly<Record<BlockType, readonly [singular: string, plural: string]>> = {
  F: ['forward', 'forwards'],
  B: ['backward', 'backwards'],
  I: ['input gradient', 'input gradients'],
  W: ['weight gradient', 'weight gradients'],
  R: ['recompute', 'recomputes'],
  U: ['weight update', 'weight updates'],
  E: ['eviction', 'evictions'],
  L: ['load', 'loads'],
  operation: ['operation of the schedule', 'operations of the schedule'],
  sync: ['synchronisation', 'synchronisations'],
  optimizer: ['optimizer step', 'optimizer steps'],
};

export function kindName(picture: Picture, block: number): string {
  const type = typeOf(picture, block);
  if (type === 'operation') return declaredName(picture, block);
  return type === 'F' && paintKindOf(picture, block) === kindTransfer ? 'Weight loading' : kindNames[type];
}

/** Name of an operation that the schedule declares. */
const declaredName = ({ columns }: Pick<Picture, 'columns'>, block: number): string =>
  columns.declared?.[kindOf(columns, columns.word[block]) - kinds] ?? '';

export function blockTitle(picture: Picture, block: number): string {
  const microbatch = microbatchOf(picture, block);
  return microbatch < 0 ? kindName(picture, block) : `${kindName(picture, block)} · microbatch ${microbatch}`;
}

/** PyTorch's name (`2F0`) where it is an operation. */
export function shortName(plan: PipelinePlan, picture: Pick<Picture, 'columns'>, block: number): string {
  const type = typeOf(picture, block);
  if (type === 'sync' || type === 'optimizer') return type;
  const stage = stageOf(picture, block);
  const segment = plan.stages[stage].copy?.segment;
  const name = `${stageNumber(plan, stage)}${type === 'operation' ? declaredName(picture, block) : type}${microbatchOf(picture, block)}`;
  return segment === undefined ? name : `${name}.${segment}`;
}

export type Line = readonly [label: string, value: string];

export function blockLines(plan: PipelinePlan, picture: Picture, block: number): Line[] {
  const { columns, slack } = picture;
  const device = deviceOf(picture, block);
  const stage = stageOf(picture, block);
  const lines: Line[] = [['Device', plan.devices[device].name]];
  if (stage >= 0) lines.push(['Stage', plan.stages[stage].name]);
  const samples = sampleWords(plan, microbatchOf(picture, block));
  if (samples !== '') lines.push(['Sample', samples]);
  lines.push(['Start', moment(columns.start[block])], ['Duration', time(columns.end[block] - columns.start[block])]);
  // A separate recompute operation has its block.
  const inside =
    ['B', 'I'].includes(typeOf(picture, block)) && columns.parts.recompute[rowOf(columns, columns.word[block])] > 0;
  const recompute = stage >= 0 && inside ? plan.stages[stage].recompute : 0;
  if (recompute > 0) lines.push(['of which recompute', time(recompute)]);
  const need = lastNeed(picture, block);
  if (need !== undefined)
    lines.push([
      'Ready at',
      `${moment(need.arrival)}, from ${need.device === device ? 'this device' : plan.devices[need.device].name}`,
    ]);
  if (slack !== undefined) lines.push(['Slack', time(slack[block])]);
  const version = versionWords(picture, block);
  if (version !== '') lines.push(['Weights', version]);
  const own = ownMemory(plan, picture, block);
  const words = own === undefined ? '' : ownMemoryWords(own, plan.unitTimes);
  if (words !== '') lines.push(['Memory', words]);
  // Of what runs at the end of another, the level at its start is its own.
  const level = memoryAfter(picture.memory[device], columns.start[block] + columns.makespan * 1e-12);
  lines.push(['Device holds', `${memoryAmount(level, plan.unitTimes)} while it runs`]);
  const host = picture.hosts?.[device];
  if (host !== undefined)
    lines.push(['Host holds', bytes(memoryAfter(host, columns.start[block] + columns.makespan * 1e-12))]);
  return lines;
}

/** `3,100 tokens in 4 documents`, where microbatches differ; empty otherwise. */
function sampleWords({ lengths }: PipelinePlan, microbatch: number): string {
  if (lengths === undefined || microbatch < 0) return '';
  const { documents } = lengths;
  const packed = documents?.[writtenMicrobatch(lengths, microbatch)];
  const pieces = packed === undefined ? '' : ` in ${count(packed.length, 'document', 'documents')}`;
  return `${tokensOfMicrobatch(lengths, microbatch).toLocaleString('en-US')} tokens${pieces}`;
}

export function gapLines(plan: PipelinePlan, picture: Picture, gap: Gap): Line[] {
  const lines: Line[] = [
    ['Device', plan.devices[gap.device].name],
    ['Start', moment(gap.from)],
    ['Duration', time(gap.to - gap.from)],
    // Data parallelism neither fills nor drains a pipeline.
    ...(plan.devices.length === 1 && picture.lanes !== undefined ? [] : [['Phase', classOf(picture, gap)] as const]),
  ];
  const cause = gapCause(plan, picture, gap);
  if (cause !== '') lines.push(['Waits for', cause]);
  const filled = filledIn(picture, gap);
  if (filled !== '') lines.push([`Filled by ${plan.fill?.model ?? 'another job'}`, filled]);
  return lines;
}

/** What a fill job does in a gap: `block[3], head, embed, block[0] … (14 tasks, 82 ms)`. Empty where it does nothing. */
export function filledIn({ fill }: Picture, { device, from, to }: Gap): string {
  const stretches = fill?.[device];
  if (stretches === undefined) return '';
  const { layers } = stretches;
  let tasks = 0;
  let seconds = 0;
  let names: string[] = [];
  for (const [index, start] of stretches.from.entries()) {
    if (stretches.to[index] <= from || start >= to) continue;
    const { count: taskCount, first } = { count: stretches.count[index], first: stretches.first[index] };
    const shown = Math.min(taskCount, mostNamed - names.length);
    names = [...names, ...Array.from({ length: shown }, (_, task) => layers[(first + task) % layers.length])];
    tasks += taskCount;
    seconds += stretches.to[index] - start;
  }
  if (tasks === 0) return '';
  return `${names.join(', ')}${tasks > names.length ? ' …' : ''} (${count(tasks, 'task', 'tasks')}, ${time(seconds)})`;
}
const mostNamed = 4;

/** `gpu[0] waits 12.6 ms for 1B4`: what ends the wait, where that is one operation. */
export function gapTitle(plan: PipelinePlan, picture: Picture, gap: Gap): string {
  const waits = `${plan.devices[gap.device].name} waits ${time(gap.to - gap.from)}`;
  const tensor = waitedFor(picture, gap);
  if (tensor !== '') return `${waits} for gradients`;
  if (gap.before < 0)
    return `${waits} for the ${picture.columns.period === undefined ? 'end of the' : 'next'} iteration`;
  const need = lastOfSlot(picture, gap);
  // Otherwise it is the order, a blocking exchange, or weights that have yet to be gathered.
  return need === undefined || need.arrival < gap.to - picture.columns.makespan * 1e-9
    ? waits
    : `${waits} for ${shortName(plan, picture, need.from)}`;
}

/** The need that is there last; of two operations that share a slot, either may be waited for. */
function lastOfSlot(picture: Picture, { before }: Gap): Need | undefined {
  const blocks = picture.columns.pair?.[before] === 1 ? [before, before + 1] : [before];
  return blocks
    .flatMap((block) => lastNeed(picture, block) ?? [])
    .reduce<Need | undefined>(
      (last, next) => (last === undefined || next.arrival > last.arrival ? next : last),
      undefined,
    );
}

/** What ends the gap: `3F5 on gpu[2], then 1.2 ms of transfer`. Empty where nothing does. */
export function gapCause(plan: PipelinePlan, picture: Picture, gap: Gap): string {
  const tensor = waitedFor(picture, gap);
  if (tensor !== '') return tensor;
  if (gap.before < 0) return picture.columns.period === undefined ? 'the end of the iteration' : 'the next iteration';
  const need = lastOfSlot(picture, gap);
  if (picture.timing.transfer !== undefined && (need?.arrival ?? 0) < gap.to - picture.columns.makespan * 1e-9)
    return 'a send or receive that blocks this device';
  if (need === undefined || need.arrival < gap.to - picture.columns.makespan * 1e-9) return '';
  const travel = need.arrival - need.made;
  const after = travel > 0 ? `, then ${time(travel)} of transfer` : '';
  return `${shortName(plan, picture, need.from)} on ${plan.devices[need.device].name}${after}`;
}

/** One sentence for a screen reader. */
export function blockSentence(plan: PipelinePlan, picture: Picture, block: number): string {
  const { columns, slack } = picture;
  const microbatch = microbatchOf(picture, block);
  return [
    `Device ${plan.devices[deviceOf(picture, block)].name}`,
    kindName(picture, block).toLowerCase(),
    ...(microbatch < 0 ? [] : [`microbatch ${microbatch}`]),
    `starts ${moment(columns.start[block])}`,
    `takes ${time(columns.end[block] - columns.start[block])}`,
    ...(slack === undefined ? [] : [`slack ${time(slack[block])}`]),
  ].join(', ');
}

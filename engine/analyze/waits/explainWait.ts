/** Why a device waits, as a person reads it: a title, sentences, and the steps of the chain. */
import type { PipelinePlan } from '../../values/plan.ts';
import { kindOf, operationName, type Program, resultOf } from '../../values/program.ts';
import { bytes, count, list, moment, time } from '../../basics/quantities.ts';
import { type Timeline, endAt, startAt } from '../../values/timeline.ts';
import { slotWidth } from '../../order/slot.ts';
import type { Wait, WaitChain } from './chainTypes.ts';
import { readyInstead } from './readyInstead.ts';
import { waitChain } from './waitChain.ts';
import { endedBy } from './iterationBefore.ts';
import { layerOf, stepOnLane, usingLane } from './laneWords.ts';
import { chainEnd, chainOrigin, type WaitStep, waitSteps } from './waitSteps.ts';

export interface WaitExplanation {
  /** `gpu[0] waits 12.6 ms` */
  readonly title: string;
  readonly sentences: readonly Sentence[];
  /** The latest steps, at most `shownSteps`. */
  readonly steps: readonly NamedStep[];
  /** Steps before them. */
  readonly earlier: number;
  /** Seconds that all steps explain, up to the end of the wait. */
  readonly seconds: number;
}

/** Text, with the part that matters most. */
export interface Sentence {
  readonly before: string;
  readonly strong: string;
  readonly after: string;
}

export interface NamedStep extends WaitStep {
  /** `gradient from gpu[1], 1B4` */
  readonly words: string;
  /** `24 ms + 6.3 ms` */
  readonly figure: string;
}

const shownSteps = 12;

/** O(operations). */
export function explainWait(plan: PipelinePlan, timeline: Timeline, wait: Wait): WaitExplanation {
  const chain = waitChain(timeline, wait);
  const steps = waitSteps(wait, chain);
  const origin = chainOrigin(chain, wait.to);
  const end = chainEnd(chain, wait.to);
  const shown = steps.slice(0, shownSteps).map((step, index) => ({
    ...step,
    words: stepWords(plan, timeline, step, steps[index - 1]),
    figure: figureOf(step),
  }));
  return {
    title: `${plan.devices[wait.device].name} waits ${time(wait.to - wait.from)}`,
    sentences: [
      ...firstSentences(plan, timeline, wait, chain, steps.at(0)),
      ...chainSentence(plan, timeline, chain, steps, { from: origin, to: end }),
      ...insteadSentence(plan, timeline, wait, chain, origin),
    ],
    steps: shown,
    earlier: steps.length - shown.length,
    seconds: end - origin,
  };
}

const plain = (text: string): Sentence => ({ before: text, strong: '', after: '' });

/** What results are called, by kind of result. */
const resultWords = [
  'activations',
  'gradient',
  'weight gradient',
  'recomputed activations',
  'updated weights',
  'evicted activations',
  'evicted activations',
];
const resultWord = (program: Program, position: number): string =>
  resultWords[resultOf[kindOf(program, program.order[position])]] ?? 'result';
const nameAt = (program: Program, position: number): string => operationName(program, program.order[position]);
const kindWords = [
  'forward',
  'backward',
  'input gradient',
  'weight gradient',
  'recompute',
  'weight update',
  'eviction',
  'load',
];

/** `24 + 6.3 ms`: the operation and the transfer of its result. */
function figureOf({ work, transfer }: WaitStep): string {
  if (work === 0 || transfer === 0) return time(work + transfer);
  const [first, second] = [time(work), time(transfer)];
  const unit = second.slice(second.lastIndexOf(' '));
  return `${first.endsWith(unit) ? first.slice(0, -unit.length) : first} + ${second}`;
}

function stepWords(plan: PipelinePlan, timeline: Timeline, step: WaitStep, next: WaitStep | undefined): string {
  const { program } = timeline;
  const { position } = step;
  const device = plan.devices[step.device].name;
  const name = position < 0 ? '' : nameAt(program, position);
  const notes = [
    ...(step.queued > 0 && step.transfer > 0 ? [`${time(step.queued)} later, when its link is free`] : []),
    ...(step.slowed > 0 ? [`${time(step.slowed)} of it because others use the link`] : []),
    ...(step.tied && next !== undefined ? [`${plan.devices[next.device].name} is busy until then too`] : []),
  ];
  const noted = (text: string) => (notes.length === 0 ? text : `${text} (${notes.join('; ')})`);
  switch (step.reason) {
    case 'result':
      if (step.blocks)
        return `${device} sends the ${resultWord(program, position)} of ${name} to ${plan.devices[step.receiver].name}`;
      return noted(`${resultWord(program, position)} from ${device}, ${name}`);
    case 'before':
      return `${kindWords[kindOf(program, program.order[position])] ?? 'operation'} just before, ${name}`;
    case 'exchange':
      return `${device} comes to the exchange after ${name}`;
    case 'ahead':
      return noted(`the link carries the ${resultWord(program, position)} of ${name} first`);
    case 'last':
      return `last operation of ${device}, ${name}`;
    case 'sync':
      return `gradient exchange of ${device}`;
    case 'step':
      return `optimizer step of ${device}`;
    case 'gather':
      return `gather of the weights on ${device}`;
    case 'makes':
      return `gradients of ${layerOf(timeline, step.makes)} get ready in ${name}`;
    case 'piece':
    case 'lane':
      return stepOnLane(timeline, step.exchange);
  }
}

/** What the wait is for. */
function firstSentences(
  plan: PipelinePlan,
  timeline: Timeline,
  wait: Wait,
  { tensor }: WaitChain,
  first: WaitStep | undefined,
): readonly Sentence[] {
  const { program } = timeline;
  const next = endedBy(timeline, wait);
  const before = next?.position ?? wait.before;
  if (before < 0) return [firstSentence(plan, program, wait, first)];
  const name = `${nameAt(program, before)}${next === undefined ? '' : ' of the next iteration'}`;
  if (tensor === undefined) {
    if (first?.reason === 'step') return [plain(`${name} waits until ${plan.devices[wait.device].name} has stepped.`)];
    if (next === undefined || first === undefined || first.position < 0)
      return [firstSentence(plan, program, wait, first)];
    return [plain(`${name} waits for the ${resultOn(plan, program, first)}.`)];
  }
  const layer = layerOf(timeline, tensor);
  return [
    plain(`${name} waits for the gradients of ${layer}.`),
    ...(tensor.arrival > wait.to + wait.to * 1e-9 ? [plain(`Its layers before ${layer} run meanwhile.`)] : []),
  ];
}

function firstSentence(plan: PipelinePlan, program: Program, wait: Wait, first: WaitStep | undefined): Sentence {
  const device = plan.devices[wait.device].name;
  if (wait.before < 0)
    return plain(
      first?.blocks === true
        ? `${device} has no operation left, but it has still to send.`
        : `${device} has no work left and waits for the end of the iteration.`,
    );
  const name = nameAt(program, wait.before);
  if (first === undefined || first.position < 0)
    return plain(`${name} waits for ${first?.reason === 'gather' ? 'its weights to be gathered' : 'something else'}.`);
  if (first.blocks && first.device === wait.device)
    return plain(
      `Before ${name}, ${device} sends the ${resultWord(program, first.position)} of ${nameAt(program, first.position)} to ${plan.devices[first.receiver].name}.`,
    );
  return plain(`${name} waits for the ${resultOn(plan, program, first)}.`);
}

const resultOn = (plan: PipelinePlan, program: Program, { position, device }: WaitStep): string =>
  `${resultWord(program, position)} of ${nameAt(program, position)} on ${plan.devices[device].name}`;

/** How long the chain is, and its largest part. */
function chainSentence(
  plan: PipelinePlan,
  timeline: Timeline,
  { stop }: WaitChain,
  steps: readonly WaitStep[],
  { from, to }: { readonly from: number; readonly to: number },
): readonly Sentence[] {
  const { program } = timeline;
  if (steps.length < 2) return [];
  const work = new Map<number, number>();
  let transfers = 0;
  let carried = 0;
  for (const step of steps) {
    if (step.position >= 0) work.set(step.device, (work.get(step.device) ?? 0) + step.work);
    transfers += step.transfer;
    carried += step.transfer > 0 ? 1 : 0;
  }
  const most = Math.max(...work.values());
  const busiest = [...work]
    .filter(([, seconds]) => seconds >= most * 0.999)
    .map(([device]) => plan.devices[device].name);
  const parts = [
    { seconds: most, words: `${time(most)} of it on ${named(busiest)}` },
    ...usingLane(timeline, steps),
    { seconds: transfers, words: `${time(transfers)} of it in ${count(carried, 'transfer', 'transfers')}` },
    ...steps.flatMap(({ work: seconds, reason }) => {
      const name = stepNames.get(reason);
      return name === undefined ? [] : [{ seconds, words: `${time(seconds)} of it in the ${name}` }];
    }),
  ];
  const largest = parts.reduce((all, part) => (part.seconds > all.seconds ? part : all));
  const last = steps[steps.length - 1];
  const begins =
    stop === 'device' && last.position >= 0
      ? last.makes === undefined
        ? `From the end of ${nameAt(program, last.position)}`
        : `From the moment at which ${nameAt(program, last.position)} has made the gradients of ${layerOf(timeline, last.makes)}`
      : stop === 'start'
        ? 'From the start of the iteration'
        : stop === 'repeats'
          ? 'Until the same steps repeat'
          : 'As far as it is known';
  return [{ before: `${begins}, this takes ${time(to - from)}: `, strong: largest.words, after: '.' }];
}

const stepNames: ReadonlyMap<string, string> = new Map([
  ['sync', 'gradient exchange'],
  ['step', 'optimizer step'],
  ['gather', 'gather of the weights'],
]);

/** Devices with equal parts: by name where they are few. */
const named = (devices: readonly string[]): string =>
  devices.length === 1 ? devices[0] : `each of ${devices.length > 4 ? `${devices.length} devices` : list(devices)}`;

/** Why the device does nothing else meanwhile. */
function insteadSentence(
  plan: PipelinePlan,
  timeline: Timeline,
  wait: Wait,
  { stop }: WaitChain,
  origin: number,
): readonly Sentence[] {
  const { program } = timeline;
  const device = plan.devices[wait.device].name;
  if (wait.before < 0) return [];
  if (timeline.blocking !== undefined) return [plain('While it sends or receives, it runs nothing else.')];
  const ready = readyInstead(plan, timeline, wait);
  if (ready !== undefined) {
    const name = nameAt(program, ready.position);
    const before = nameAt(program, wait.before);
    const { memory, reserved } = plan.devices[wait.device];
    const limits = [
      ...(ready.limit === undefined
        ? []
        : [`the limit of ${count(ready.limit, 'microbatch', 'microbatches')} in flight is reached`]),
      ...(ready.bytes === undefined
        ? []
        : [`with it ${device} would hold ${bytes(ready.bytes)} of ${bytes(memory - reserved)}`]),
    ];
    const order = `${name} could start at ${moment(ready.at)}, but the order of ${device} puts ${before} before it`;
    return [plain(`${order}${limits.length === 0 ? '' : `: ${limits.join(', and ')}`}.`)];
  }
  if (stop !== 'device') return [plain(`Nothing else on ${device} is ready.`)];
  const busy = busyBetween(timeline, wait.device, origin, wait.from);
  return [plain(`Meanwhile ${device} has ${time(busy)} of other work, and nothing else is ready.`)];
}

/** Seconds in which a device runs operations, between two moments. */
function busyBetween(timeline: Timeline, device: number, from: number, to: number): number {
  const { program, exchange } = timeline;
  let busy = 0;
  // Without a barrier, other iterations come before and after.
  const period = exchange?.period ?? Infinity;
  for (let later = -2; later <= 1; later += 1) {
    const shift = later === 0 ? 0 : later * period;
    for (let at = program.offsets[device]; at < program.offsets[device + 1]; at += slotWidth(program, at))
      busy += Math.max(0, Math.min(to, endAt(timeline, at) + shift) - Math.max(from, startAt(timeline, at) + shift));
  }
  return busy;
}

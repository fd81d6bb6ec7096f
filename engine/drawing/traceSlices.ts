/** What devices compute, as slices of a trace: by the names of PyTorch's actions where PyTorch has them. */
import type { Run } from '../schedule/evaluation.ts';
import { stageFor, tokensOfMicrobatch } from '../basics/lengths.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { kindName, kindOf, kinds, operationName, type Program, stageNumberOf, stageOf, W } from '../values/program.ts';
import { type Block, blocksOf } from './blocks.ts';
import { computeThread, micros, type TraceEvent } from './traceEvent.ts';

export function* computeSlices(plan: PipelinePlan, run: Run): Generator<TraceEvent> {
  const { devices, offsets } = run.program;
  const layersOf = plan.stages.map(({ layers }) => layersText(layers));
  let events: TraceEvent[] = [];
  let slot: (Pick<Block, 'device' | 'position' | 'start' | 'end' | 'microbatch'> & { readonly ink: string })[] = [];
  const visit = blocksOf(plan, run, ({ device, position, start, end, microbatch, half, inks }) => {
    slot.push({ device, position, start, end, microbatch, ink: inks[0] });
    // Operations that share a slot are one action of PyTorch.
    if (half === 'upper') return;
    events.push(slice(plan, run.program, slot, layersOf));
    slot = [];
  });
  for (let device = 0; device < devices; device += 1) {
    let from = offsets[device];
    // A device without operations may have a step.
    do {
      const to = Math.min(from + atOnce, offsets[device + 1]);
      events = [];
      visit(device, from, to);
      yield* events;
      from = to;
    } while (from < offsets[device + 1]);
  }
}

/** Operations whose events are made before they are handed on. */
const atOnce = 1024;

function slice(
  plan: PipelinePlan,
  program: Program,
  slot: readonly (Pick<Block, 'device' | 'position' | 'start' | 'end' | 'microbatch'> & { readonly ink: string })[],
  layersOf: readonly string[],
): TraceEvent {
  const [{ device, position, microbatch, ink }] = slot;
  const ts = micros(Math.min(...slot.map(({ start }) => start)));
  const until = micros(Math.max(...slot.map(({ end }) => end)));
  const when = { ph: 'X', pid: device, tid: computeThread, ts, dur: Math.round((until - ts) * 1e3) / 1e3 };
  if (position < 0)
    return { ...when, name: ink === 'optimizer' ? 'Optimizer.step#step' : 'gradient synchronisation', cat: ink };
  const words = slot.map((one) => program.order[one.position]);
  const names = words.map((word) => operationName(program, word));
  const text = names.length === 1 ? names[0] : `(${names.join(';')})OVERLAP_F_B`;
  const labelled = hasAction(program, words);
  const stages = words.map((word) => stageOf(program, word));
  const bytes = slot.map((one, index) => stageFor(plan, stages[index], one.microbatch)?.activation ?? 0);
  const args = {
    kind: words.map((word) => kindName(program, kindOf(program, word))).join(';'),
    stage: alone(words.map((word) => stageNumberOf(program, word))),
    microbatch: alone(slot.map((one) => one.microbatch)),
    ...(plan.lengths === undefined ? {} : { tokens: tokensOfMicrobatch(plan.lengths, microbatch) }),
    stage_name: stages.map((stage) => plan.stages[stage].name).join(';'),
    layers: stages.map((stage) => layersOf[stage]).join(';'),
    bytes: alone(bytes),
  };
  const cat = labelled ? 'user_annotation' : kindOf(program, words[0]) >= kinds ? 'operation' : ink;
  return { ...when, name: labelled ? `PP:${text}` : text, cat, args };
}

/** Whether PyTorch has these operations, and two at most in a slot; copies of a stage have no names there. */
const hasAction = (program: Program, words: readonly number[]): boolean =>
  program.copies === undefined && words.length <= 2 && words.every((word) => kindOf(program, word) <= W);

const alone = <T>(items: readonly T[]): T | readonly T[] => (items.length === 1 ? items[0] : items);

const layersText = (names: readonly string[]): string =>
  names.length <= 3 ? names.join(', ') : `${names[0]} to ${names.at(-1)} (${names.length} layers)`;

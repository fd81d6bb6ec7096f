/** What the preview of an empty file shows of examples: made from the files by the engine when the page is built. */
import { readFileSync } from 'node:fs';
import { check } from '../engine/flow/check.ts';
import { defaultOptions, type EngineHost } from '../engine/basics/host.ts';
import type { PipelinePlan } from '../engine/values/plan.ts';
import { kindOf, letters, operationName, stageOf } from '../engine/values/program.ts';
import { endAt, startAt, type Timeline } from '../engine/values/timeline.ts';
import type { ExampleCard } from '../webview/protocol/exampleCard.ts';

const folder = new URL('../examples/', import.meta.url);
const host: EngineHost = {
  resolve: (path, from) => new URL(path, from).href,
  read: () => ({ problem: 'not-found' }),
};

interface Wanted {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly pipeline: string;
  readonly notes: readonly string[];
}

const wanted: readonly Wanted[] = [
  {
    name: 'quickstart',
    title: 'Quickstart',
    text: 'Eight equal layers on four GPUs, 1F1B, a slider for microbatches.',
    pipeline: 'train',
    notes: [],
  },
  {
    name: 'llama3-70b',
    title: 'Llama 3 70B on 64 H100s',
    text: 'Published layers, tensor 8, pipeline 4 × 5 chunks, data 2.',
    pipeline: 'interleaved',
    notes: ['uses std:models'],
  },
  {
    name: 'data-parallel',
    title: 'Data parallelism',
    text: 'VGG-16 on eight GPUs: gradients at the end, in buckets, or in pieces by priority.',
    pipeline: 'ddp',
    notes: ['data 8'],
  },
  {
    name: 'custom-schedule',
    title: 'Custom rows',
    text: 'Write the order of each device yourself, or give a rule and let it fill.',
    pipeline: 'by_rule',
    notes: ['by rows, by rule'],
  },
];

/** Stretches of time of a row. */
const cells = 146;
/** Colours of layers. */
const colours = 8;

/** Throws if an example has an error or imports a file: then its text would not be complete. */
export const exampleCards = (): readonly ExampleCard[] => wanted.map(cardOf);

function cardOf({ name, title, text, pipeline, notes }: Wanted): ExampleCard {
  const uri = new URL(`${name}.pipe`, folder).href;
  const source = readFileSync(new URL(uri), 'utf8');
  const { findings, pipelines } = check({ uri, text: source, host, options: defaultOptions });
  const errors = findings.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  const found = pipelines.find((candidate) => candidate.plan.name === pipeline);
  if (errors.length > 0 || found?.run === undefined)
    throw new Error(
      [
        `${name}.pipe has no card. Pipelines: ${pipelines.map((candidate) => candidate.plan.name).join(', ')}`,
        ...errors,
      ].join('\n'),
    );
  const { timeline, report } = found.run;
  return {
    name,
    title,
    text,
    lines: source.trimEnd().split('\n').length,
    iteration: report.iteration,
    bubble: report.bubble.makespan,
    notes,
    rows: Array.from({ length: timeline.program.devices }, (_, device) => rowOf(timeline, found.plan, device)),
    ...(timeline.exchange === undefined
      ? {}
      : { lanes: Array.from({ length: timeline.program.devices }, (_, device) => laneOf(timeline, device)) }),
    csv: csvOf(timeline),
  };
}

/** The kind at the middle of each stretch: `F`, `I` (also of a whole backward's first part), `W`, another, or a space for none. Small where an operation begins. */
function rowOf(timeline: Timeline, plan: PipelinePlan, device: number): string {
  const { program, makespan } = timeline;
  const row = Array.from({ length: cells }, () => ' ');
  for (let position = program.offsets[device]; position < program.offsets[device + 1]; position += 1) {
    const [start, end] = [startAt(timeline, position), endAt(timeline, position)];
    const word = program.order[position];
    const stage = plan.stages[stageOf(program, word)];
    const letter = letters[kindOf(program, word)];
    const weight = letter === 'B' ? end - stage.backwardWeight : Infinity;
    const first = Math.ceil((start / makespan) * cells - 0.5);
    for (let cell = first; (cell + 0.5) / cells < end / makespan; cell += 1) {
      const drawn = ((cell + 0.5) / cells) * makespan >= weight ? 'W' : letter === 'B' ? 'I' : letter;
      row[cell] = cell === first ? drawn.toLowerCase() : drawn;
    }
  }
  return row.join('');
}

/** The layer whose gradients are sent at the middle of each stretch, by the number of its colour. */
function laneOf({ exchange, makespan }: Timeline, device: number): string {
  const lane = exchange?.lanes.find(({ plan }) => plan.devices.includes(device));
  const row = Array.from({ length: cells }, () => ' ');
  if (lane === undefined) return row.join('');
  const { length, bucket, start, end } = lane.sent;
  for (let piece = 0; piece < length; piece += 1)
    for (
      let cell = Math.ceil((start[piece] / makespan) * cells - 0.5);
      (cell + 0.5) / cells < end[piece] / makespan;
      cell += 1
    )
      row[cell] = String(lane.buckets.front[bucket[piece]] % colours);
  return row.join('');
}

/** The first cells of the order as PyTorch writes it. */
const csvOf = ({ program }: Timeline): readonly string[] =>
  Array.from({ length: program.devices }, (_, device) =>
    Array.from(program.order.subarray(program.offsets[device], program.offsets[device] + 4), (word) =>
      operationName(program, word),
    ).join(','),
  );

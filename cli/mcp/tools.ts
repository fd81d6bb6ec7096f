/** The tools: what each takes and gives, and the command that answers it. */
import { programFormats } from '../../engine/formats/programs.ts';
import type { Fields } from '../summary/summary.ts';

export interface ToolInput {
  readonly type: 'string' | 'integer' | 'boolean' | 'strings' | 'settings';
  readonly doc: string;
  /** Of the command. Absent: the tool itself reads it. */
  readonly option?: string;
}

export interface Tool {
  readonly name: string;
  readonly doc: string;
  readonly inputs: Readonly<Record<string, ToolInput>>;
  readonly required?: readonly string[];
  /** Of the command line. */
  readonly command: string;
  /** The command has `--summary`. */
  readonly isSummary?: true;
  /** How long it searches if the call does not say it. */
  readonly time?: string;
  /** Fields of the structured answer. */
  readonly output: Readonly<Record<string, 'string' | 'integer' | 'number' | 'array' | 'object' | 'boolean'>>;
}

const file = {
  path: { type: 'string', doc: 'File in the working folder.' },
  text: { type: 'string', doc: 'Its text.' },
} as const;
const set = { type: 'settings', option: 'set', doc: 'Params: {"microbatches": 16}.' } as const;
const pipeline = { type: 'string', option: 'pipeline', doc: 'Its name.' } as const;
const limit = { type: 'integer', option: 'summary', doc: 'Most list entries.' } as const;
const engine = {
  type: 'string',
  option: 'engine',
  doc: 'Such as torchtitan.',
} as const;
const left = { left_out: 'object' } as const;
const counts = { errors: 'integer', warnings: 'integer', remarks: 'integer', hints: 'integer' } as const;

export const tools: readonly Tool[] = [
  {
    name: 'check',
    doc: 'Errors and warnings of a .pipe file, and figures of its pipelines.',
    command: 'check',
    isSummary: true,
    inputs: {
      ...file,
      set,
      engine,
      fixes: { type: 'boolean', option: 'fixes', doc: 'Also the best fixes, simulated.' },
      limit,
    },
    output: { ...counts, findings: 'array', pipelines: 'array', ...left },
  },
  {
    name: 'fix',
    doc: 'The file after quick fixes. Writes nothing.',
    command: 'check',
    isSummary: true,
    inputs: {
      ...file,
      code: {
        type: 'string',
        option: 'fix',
        doc: 'Make the best fix of this code. Default: all without an alternative.',
      },
      set,
      limit,
    },
    output: { ...counts, fixed: 'array', findings: 'array', pipelines: 'array', text: 'string', ...left },
  },
  {
    name: 'simulate',
    doc: 'Simulated iteration time, bubble, memory, MFU of each pipeline.',
    command: 'simulate',
    isSummary: true,
    inputs: { ...file, set, pipeline, engine, limit },
    output: { ...counts, pipelines: 'array', findings: 'array', ...left },
  },
  {
    name: 'compare',
    doc: 'Pipelines side by side, as written or under other schedules, the fastest that fits first.',
    command: 'compare',
    isSummary: true,
    inputs: {
      ...file,
      schedules: { type: 'strings', option: 'schedules', doc: 'Such as ["1f1b", "zb_v"].' },
      sync: { type: 'strings', option: 'sync', doc: 'Rules of gradient exchange.' },
      collective: { type: 'strings', option: 'collective', doc: 'Collectives.' },
      set,
      pipeline,
      engine,
      limit,
    },
    output: { rows: 'array', ...left },
  },
  {
    name: 'plan',
    doc: 'Search ranks, microbatches, recomputation and schedules for the fastest plan that fits. Give a file, or model, on and batch: then you get the file of the best plan.',
    command: 'plan',
    isSummary: true,
    time: '30s',
    inputs: {
      ...file,
      model: {
        type: 'string',
        option: 'model',
        doc: 'Of std:models, a file (config.json), or give its text.',
      },
      on: { type: 'string', option: 'on', doc: 'Of std:clusters, e.g. dgx_h100 (8 GPUs a node).' },
      nodes: { type: 'integer', option: 'nodes', doc: 'Its nodes.' },
      batch: { type: 'string', option: 'batch', doc: 'Samples (512) or tokens (4Mtok) of an iteration.' },
      sequence: { type: 'string', option: 'sequence', doc: 'Tokens of a sample.' },
      over: { type: 'string', option: 'over', doc: 'Keys to search: "tensor = [4, 8], pipeline = 1..8".' },
      limits: { type: 'strings', option: 'limit', doc: 'Conditions: ["peak_memory < 75GiB"].' },
      minimise: { type: 'string', option: 'minimise', doc: 'iteration or peak_memory.' },
      set,
      pipeline,
      engine,
      time: { type: 'string', option: 'time', doc: 'Most time. Default: 30s.' },
      write: { type: 'string', option: 'write', doc: 'File of a row (17:e8fa92) instead.' },
      limit,
    },
    output: {
      devices: 'integer',
      samples: 'number',
      rows: 'integer',
      simulated: 'integer',
      unsearched: 'integer',
      best: 'integer',
      certificate: 'string',
      least_over_bytes: 'number',
      would_fit: 'string',
      would_fit_cut: 'integer',
      further: 'string',
      as_written: 'object',
      front: 'array',
      changes: 'array',
      refused: 'array',
      text: 'string',
      ...left,
    },
  },
  {
    name: 'search',
    doc: 'A shorter order for a pipeline, as a schedule, and how far it is from the least possible.',
    command: 'search',
    isSummary: true,
    time: '10s',
    inputs: {
      ...file,
      set,
      pipeline,
      hold: { type: 'string', option: 'limit', doc: 'What a device may hold: microbatches (4) or 20GiB.' },
      time: { type: 'string', option: 'time', doc: 'Most time. Default: 10s.' },
    },
    output: {
      pipeline: 'string',
      iteration_seconds: 'number',
      least_iteration_seconds: 'number',
      span_seconds: 'number',
      least_span_seconds: 'number',
      p95_seconds: 'number',
      effort: 'number',
      seed: 'integer',
      as_written: 'object',
      text: 'string',
      ...left,
    },
  },
  {
    name: 'export',
    doc: 'A pipeline for another program, and what that leaves out.',
    command: 'export',
    inputs: {
      ...file,
      to: { type: 'string', option: 'to', doc: `${programFormats.map(({ name }) => name).join(', ')}.` },
      pipeline,
    },
    required: ['to'],
    output: { left_behind: 'array', text: 'string', ...left },
  },
  {
    name: 'explain',
    doc: 'language (on one page), or any name: key, figure, schedule, code, device, model, std:models.',
    command: 'explain',
    inputs: {
      name: { type: 'string', doc: 'What to explain.' },
      offset: { type: 'integer', doc: 'Go on from this character.' },
    },
    required: ['name'],
    output: { text: 'string', characters: 'integer', next_offset: 'integer' },
  },
  {
    name: 'format',
    doc: 'The file in its canonical layout. Writes nothing.',
    command: 'format',
    inputs: file,
    output: { changed: 'boolean', text: 'string', ...left },
  },
];

const jsonTypes: Readonly<Record<ToolInput['type'], Fields>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  strings: { type: 'array', items: { type: 'string' } },
  settings: { type: 'object' },
};

export const inputSchema = ({ inputs, required }: Pick<Tool, 'inputs' | 'required'>) => ({
  type: 'object' as const,
  properties: Object.fromEntries(
    Object.entries(inputs).map(([name, { type, doc }]) => [name, { ...jsonTypes[type], description: doc }]),
  ),
  ...(required === undefined ? {} : { required: [...required] }),
});

export const outputSchema = ({ output }: Pick<Tool, 'output'>) => ({
  type: 'object' as const,
  properties: Object.fromEntries(Object.entries(output).map(([name, type]) => [name, { type }])),
});

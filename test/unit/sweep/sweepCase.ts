import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { defaultOptions, type EngineHost } from '../../../engine/basics/host.ts';
import type { Axis } from '../../../engine/definitions/search.ts';
import { axesProblem } from '../../../engine/sweep/axesProblem.ts';
import { sweepBase, type SweepBase } from '../../../engine/sweep/base.ts';
import { readAxes } from '../../../engine/sweep/readAxes.ts';
import { outcomeOf } from '../../../engine/sweep/rowsSearch.ts';
import { type Shard, type SweepResult, sweepSteps } from '../../../engine/sweep/sweep.ts';

export const repository = path.resolve(import.meta.dirname, '../../..');

const disk: EngineHost = {
  read(uri) {
    try {
      return { text: readFileSync(fileURLToPath(uri), 'utf8') };
    } catch {
      return { problem: 'not-found' };
    }
  },
  resolve: (imported, from) => new URL(imported, from).href,
};

/** Layers with a shape on eight devices in two nodes: costs depend on every kind of rank. */
export const shaped = `device card { memory = 24GiB  compute = 100TFLOPS  bandwidth = 1TB/s }
cluster box {
  node[2] {
    gpu[4] = card
    link   = 100GB/s + 3us
  }
  link = 10GB/s + 10us
}
model small {
  sequence    = 1024
  micro_batch = 1
  layer embed     = embedding(vocab = 32000, hidden = 2048)
  layer block[12] = transformer(hidden = 2048, heads = 16)
  layer head      = lm_head(vocab = 32000, hidden = 2048)
}
/// What is trained.
pipeline train {
  model        = small // a comment stays
  devices      = box
  data         = 2
  optimizer    = adam_mixed
  microbatches = 16
  stages       = balance(4)
  schedule     = 1f1b
}
pipeline other {
  model        = small
  devices      = box
  microbatches = 8
  stages       = balance(8)
  schedule     = gpipe
}
expect train { bubble < 90% }
`;

/** The base and the axes; throws where the request is wrong. */
export function sweepCase(
  over: string,
  {
    text = shaped,
    file = 'a.pipe',
    pipeline = 'train',
    limits = [],
    overrides = {},
    asked,
  }: Partial<Record<'text' | 'file' | 'pipeline', string>> & {
    readonly limits?: readonly string[];
    readonly overrides?: Readonly<Record<string, number>>;
    /** Samples of an iteration that rows may be near to. */
    readonly asked?: number;
  } = {},
): { readonly base: SweepBase; readonly axes: readonly Axis[] } {
  const uri = pathToFileURL(path.join(repository, file)).href;
  const base = sweepBase(
    { uri, text, host: disk, options: defaultOptions, overrides, ...(asked === undefined ? {} : { asked }) },
    pipeline,
    limits,
  );
  if ('problem' in base) throw new Error(base.problem.message);
  const axes = readAxes(over);
  if ('problem' in axes) throw new Error(axes.problem);
  const problem = axesProblem(base, axes);
  if (problem !== undefined) throw new Error(problem);
  return { base, axes };
}

/** Runs a sweep in this thread; `most`: rows after which it is stopped. */
export function runHere(
  { base, axes }: { readonly base: SweepBase; readonly axes: readonly Axis[] },
  shard?: Shard,
  most = Infinity,
): SweepResult {
  const steps = sweepSteps(base, axes, { shard });
  let looked = 0;
  for (let step = steps.next(); ;) {
    if (step.done) return step.value;
    const { rows, front } = step.value;
    const outcomes = rows.map((row) => {
      looked += 1;
      return looked > most ? undefined : outcomeOf(base, axes, row, front);
    });
    step = steps.next({ outcomes, stop: looked >= most });
  }
}

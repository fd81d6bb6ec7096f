/** A job on GPUs, 4 stages × 2 replicas, against the figures that StragglerAnalysis published for it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { pipeOfRecordings } from '../../../engine/formats/recording/toPipe.ts';
import { stragglerReader } from '../../../engine/formats/stragglerAnalysis/read.ts';
import { stragglersIn } from '../../../engine/measured/stragglersIn.ts';
import { measure } from '../../../engine/runs/measure.ts';
import { runOf } from '../../support/analyse.ts';
import { folder } from './traces.ts';

const bytes = gunzipSync(readFileSync(path.join(folder, 'straggler/timeline-ST.json.gz')));

function read(content: Uint8Array) {
  const reader = stragglerReader('timeline.json');
  for (let at = 0; at < content.length; at += 100_000) reader.push(content.subarray(at, at + 100_000));
  return reader.end();
}

const part = read(bytes);
const replicas = 'recordings' in part ? part.recordings : [];

/** `result-ST.json` of the publication. */
const published = {
  slowdown: 1.1787021836556841,
  stages: [0.9980450635272368, 0.9830562530894704, 0.9824931309511952, 1.2322559543157936],
  replicas: [1.1730828198099532, 1.1778704237064905],
  kinds: {
    F: 1.0874989663025318,
    B: 1.074156472437866,
    'embedding-grads-all-reduce': 1.0095504024370303,
    'grads-reduce-scatter': 1.00266695254219,
    'optimizer-clip-main-grad': 1.0023506224771044,
    optimizer: 1.0014767395023902,
    'params-all-gather': 1.0011307740825817,
    'layernorm-grads-all-reduce': 1.0000026919173086,
  },
};

const equalStages = `model m { layer l[4] { forward = 1ms  backward = 2ms } }
device d { memory = 80GiB }
cluster c { gpu[4] = d  link = 100GB/s }
pipeline p { model = m  devices = c  microbatches = 4  stages = split(1, 1, 1, 1)  schedule = 1f1b }`;

describe('the slowdown of a job', () => {
  const { plan, run } = runOf(equalStages);
  const found = stragglersIn(plan, run.program, replicas, 0);

  test('S, and S_t of each kind and collective', () => {
    expect(Math.abs(found.slowdown - published.slowdown)).toBeLessThan(0.01);
    expect(found.kinds.map(({ name }) => name)).toEqual(Object.keys(published.kinds));
    for (const { name, slowdown } of found.kinds)
      expect(Math.abs(slowdown - published.kinds[name as keyof typeof published.kinds])).toBeLessThan(0.001);
  });

  test('S_w of each stage and replica', () => {
    for (const [at, slowdown] of published.stages.entries())
      expect(Math.abs(found.ranks[at] - slowdown)).toBeLessThan(0.01);
    for (const [at, slowdown] of published.replicas.entries())
      expect(Math.abs(found.replicas[at] - slowdown)).toBeLessThan(0.01);
  });

  test('M_S is over 100 %: the last stage alone explains more than the loss', () => {
    // Published: 1.2194.
    expect(found.lastStage).toBeGreaterThan(1.2);
    expect(found.lastStage).toBeLessThan(1.24);
  });
});

describe.each([0, 1])('replica %i', (index) => {
  const recording = replicas[index];
  const steps = (from: number, to: number) => ({ ...recording, steps: recording.steps.slice(from, to) });
  const simulated = (from: number, to: number): number => {
    const made = pipeOfRecordings([steps(from, to)], 0);
    if ('problem' in made) throw new Error(made.problem);
    return runOf(made.pipe).run.report.iteration;
  };

  test('is simulated from its own times within 0.5 %, and its second half from its first within 2 %', () => {
    expect(recording.steps.length).toBe(32);
    expect(Math.abs(simulated(0, 32) / measure(recording, 0).iteration - 1)).toBeLessThan(0.005);
    expect(Math.abs(simulated(0, 16) / measure(steps(16, 32), 0).iteration - 1)).toBeLessThan(0.02);
  });
});

test('a step that lacks an operation is left out, and damage is told at its place', () => {
  const text = bytes.toString();
  const without = read(Buffer.from(text.replace('"cat":"forward-compute"', '"cat":"other"')));
  expect('recordings' in without ? without.recordings.map(({ steps }) => steps.length) : []).toEqual([31, 32]);
  const wrong = read(Buffer.from(text.replace('"step":25', '"step":"x"')));
  expect('fault' in wrong ? wrong.fault : {}).toMatchObject({ line: 0, message: expect.stringContaining('"step"') });
  const unnamed = read(Buffer.from(text.replaceAll('TP rank 0', 'rank')));
  expect('fault' in unnamed ? unnamed.fault.message : '').toContain('has no name with its ranks');
});

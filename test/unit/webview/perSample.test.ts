import { describe, expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { changeOf, figuresOf } from '../../../webview/session/figures.ts';
import { isResized, secondsPerSample, throughputNote } from '../../../webview/session/perSample.ts';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import { runOf } from '../../support/analyse.ts';

describe('iterations of different batches', () => {
  it('compare by the time of a sample, and say what the throughput is', () => {
    const before = { iteration: 0.2, throughput: 40 };
    const larger = { iteration: 0.3, throughput: 50 };
    expect(secondsPerSample(before)).toBe(0.025);
    expect(isResized(larger, before)).toBe(true);
    expect(throughputNote(larger, before)).toBe('throughput +25 %');
    // One batch: the iteration says all.
    expect(throughputNote({ iteration: 0.1, throughput: 80 }, before)).toBe('');
    // Without samples there is only the iteration.
    expect(secondsPerSample({ iteration: 0.2, throughput: 0 })).toBe(0.2);
  });

  it('a longer iteration with more microbatches is better if a sample takes less of it', () => {
    const figure = (microbatches: number, forward: number) => {
      const { plan } = runOf(`
model m { micro_batch = 1  layer block[4] { forward = ${forward}ms  backward = 8ms  activation = 1MiB } }
device d { memory = 16GiB }
cluster c { gpu[4] = d  link = 25GB/s }
pipeline train { model = m  devices = c  microbatches = ${microbatches}  stages = balance(4)  schedule = 1f1b }
`);
      const { run } = evaluate(plan, defaultOptions);
      if (run === undefined) throw new Error('The pipeline runs.');
      return figuresOf(plan, pictureOf({ plan }, run, 1))[0];
    };
    expect(changeOf(figure(32, 4), figure(8, 4))).toBe('better');
    expect(changeOf(figure(8, 4), figure(32, 4))).toBe('worse');
    expect(changeOf(figure(8, 6), figure(8, 4))).toBe('worse');
  });
});

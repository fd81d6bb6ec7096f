import picocolors from 'picocolors';
import { describe, expect, it } from 'vitest';
import { timelineText } from '../../../cli/drawing/timeline.ts';
import { traceParts } from '../../../engine/drawing/trace.ts';
import { declaredNames } from '../../../engine/program.ts';
import { runOf } from '../../support/analyse.ts';
import { svgOf } from './figure.ts';

/** Two devices; the last computes a loss. With `data` ranks, gradients are exchanged at the end. */
const fileOf = (ranks: number): string => `
device x { memory = 80GiB }
cluster box { gpu[${2 * ranks}] = x  link = 10GB/s + 1ms }
model m { layer a[2] { forward = 4ms  backward = 8ms  weights = 1GiB  output = 10MB } }
schedule mine {
  operation loss { time = 3ms  after(j) = F[j]  before(j) = B[j] }
  row(d) = F[0..<microbatches], if(d == devices - 1, loss[0..<microbatches], []), B[0..<microbatches]
}
pipeline train { model = m  devices = box  data = ${ranks}  microbatches = 2  stages = balance(2)  schedule = mine }
`;

describe('operations that a schedule declares', () => {
  const { plan, run } = runOf(fileOf(1));
  it('are in the legend of the text by name', () => {
    const text = timelineText(run, ['gpu[0]', 'gpu[1]'], 100, picocolors.createColors(false));
    expect(text).toContain('# loss ');
  });

  it('are in the legend of a figure by name, beside exchanges of gradients only if there are any', () => {
    const figure = svgOf(plan, run);
    expect(figure).toContain('>loss</text>');
    expect(figure).not.toContain('gradient synchronisation');
    const both = runOf(fileOf(2));
    expect(svgOf(both.plan, both.run)).toContain('>gradient synchronisation, loss</text>');
  });

  it('are slices of a category of their own in a trace', () => {
    const trace = [...traceParts(plan, run, { file: 'a.pipe', version: '1' })].join('');
    expect([...trace.matchAll(/"name":"(\w+)","cat":"operation"/g)].map(([, name]) => name)).toEqual([
      '1loss0',
      '1loss1',
    ]);
  });

  it('are named up to a few', () => {
    expect(declaredNames(['a', 'b', 'c', 'd'])).toBe('a, b, c, d');
    expect(declaredNames(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c, …');
  });
});

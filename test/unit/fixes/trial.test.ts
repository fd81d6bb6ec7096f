/** Which candidates are shown, and in which order: candidates that change one number each, so that their figures are known. */
import { describe, expect, it } from 'vitest';
import { fixesFor } from '../../../engine/fixes/fix.ts';
import { type Candidate, fixesAmong, type Goal } from '../../../engine/fixes/trial.ts';
import { toEnd } from '../../../engine/basics/steps.ts';
import { analyse, checkedAfter } from '../../support/analyse.ts';
import { pipe } from './file.ts';

const run = (schedule: string, microbatches = 8) =>
  `  microbatches = ${microbatches}\n  stages = balance(4)\n  schedule = ${schedule}`;
// Eight microbatches of gpipe need 9 GiB of 6 GiB, four of 1F1B need 5 GiB.
const text = pipe({ memory: '6GiB', link: '100000GB/s', pipeline: run('gpipe') });
const analysis = analyse(text);
const goal: Goal = { pipeline: 'train', emphasis: 'time', met: () => true };

/** Replaces parts of the file. */
function candidate(what: string, replaced: Readonly<Record<string, string>>, more: Partial<Candidate> = {}): Candidate {
  const edits = Object.entries(replaced).map(([part, by]) => {
    const start = text.indexOf(part);
    expect(start, part).toBeGreaterThan(0);
    return { start, end: start + part.length, text: by };
  });
  return { what, kind: what, edits, ...more };
}
const shown = (candidates: readonly Candidate[], more: Partial<Goal> = {}) =>
  toEnd(fixesAmong(analysis, { ...goal, ...more }, candidates, analyse)).map(({ title }) => title.split(':')[0]);

const fast = candidate('fast', { 'forward = 4ms': 'forward = 1ms' });
const fits = candidate('fits', { gpipe: '1f1b' });
/** Each leaves less in memory, and takes the same time. */
const smaller = [256, 192, 160, 128, 96, 64, 32].map((size) =>
  candidate(`activation ${size}`, { gpipe: '1f1b', 'activation = 512MiB': `activation = ${size}MiB` }),
);

describe('candidates are ranked', () => {
  it('those that fit first, though they are slower', () => {
    expect(shown([fast, fits])).toEqual(['fits', 'fast']);
  });

  it('without what needs even more than a plan that does not fit', () => {
    const fuller = candidate('fuller', {
      'forward = 4ms': 'forward = 1ms',
      'activation = 512MiB': 'activation = 1GiB',
    });
    expect(shown([fuller, fast])).toEqual(['fast']);
    expect(shown([fuller, fast], { mayOverfill: true })).toHaveLength(2);
  });

  it('of equal paces the smaller peak first', () => {
    expect(shown([smaller[0], smaller[3]])).toEqual(['activation 128', 'activation 256']);
    expect(shown([smaller[3], smaller[0]])).toEqual(['activation 128', 'activation 256']);
  });

  it('of equal figures the smaller edit is shown, alone', () => {
    const long = candidate('long', { '  schedule = gpipe': '  schedule = 1f1b // the same, and a comment' });
    expect(shown([long, fits])).toEqual(['fits']);
  });

  it('last resorts after all others, in their order', () => {
    const last = [smaller[6], smaller[0]].map((each) => ({ ...each, kind: each.what, last: true as const }));
    expect(shown([...last, fits])).toEqual(['fits', 'activation 32', 'activation 256']);
  });
});

describe('what leaves less than the margin of memory/headroom', () => {
  const [size, four] = ['activation = 512MiB', 'forward = 4ms'];
  // 5.77 GiB of 6 GiB.
  const tight = candidate('tight', { gpipe: '1f1b', [size]: 'activation = 608MiB', [four]: 'forward = 1ms' });

  it('comes after all that keeps it, though it is faster, usual, or has the same batch', () => {
    expect(shown([tight, fits])).toEqual(['fits', 'tight']);
    expect(shown([{ ...tight, usual: true }, fits])).toEqual(['fits', 'tight']);
    expect(shown([tight, { ...fits, numerics: true }])).toEqual(['fits', 'tight']);
  });

  it('comes before what does not fit, and before last resorts', () => {
    expect(shown([fast, tight])).toEqual(['tight', 'fast']);
    expect(shown([{ ...fits, last: true }, tight])).toEqual(['tight', 'fits']);
  });

  it('makes no change needless that keeps it, nor too slow', () => {
    const slow = candidate('slow', { gpipe: '1f1b', [four]: 'forward = 80ms' });
    expect(shown([tight, { ...slow, parts: [tight, slow] }])).toEqual(['slow', 'tight']);
    expect(shown([tight, slow], { fitting: true })).toEqual(['slow', 'tight']);
  });

  // One sample needs 18.4 GiB of a device, and two need 24.9 GiB. Of 61 published runs, 27 need no more than was said of them.
  const shaped = (memory: string): string => `
model m {
  precision = bf16  sequence = 4096  micro_batch = 1
  layer embed = embedding(vocab = 32000, hidden = 4096)
  layer block[14] = transformer(hidden = 4096, heads = 32, flash = true)
  layer head = lm_head(vocab = 32000, hidden = 4096)
}
device gpu { memory = ${memory}  compute(bf16) = 300TFLOPS  bandwidth = 2TB/s }
cluster box { gpu[4] = gpu  link = 200GB/s }
pipeline train { model = m  devices = box  schedule = 1f1b  stages = balance  optimizer = adam_mixed  microbatches = 16 }`;
  const offered = (memory: string, more: Partial<Goal> = {}): readonly string[] => {
    const file = shaped(memory);
    const change = (what: string, replaced: Readonly<Record<string, string>>): Candidate => ({
      ...{ what, kind: what },
      edits: Object.entries(replaced).map(([part, text]) => {
        const start = file.indexOf(part);
        return { start, end: start + part.length, text };
      }),
    });
    const two = { 'micro_batch = 1': 'micro_batch = 2', 'microbatches = 16': 'microbatches = 8' };
    const [now, faster] = [`memory = ${memory}`, { '300TFLOPS': '600TFLOPS' }];
    const all = [
      change('unlikely', { ...two, '300TFLOPS': '800TFLOPS', [now]: 'memory = 24.92GiB' }),
      change('likely', { ...two, ...faster, [now]: 'memory = 25.6GiB' }),
      change('roomy', { ...two, [now]: 'memory = 48GiB' }),
    ];
    return toEnd(fixesAmong(analyse(file), { ...goal, ...more }, all, analyse)).map(({ title }) => title.split(':')[0]);
  };

  it('is not offered for a file that fits if it fits in fewer than half of the published runs', () => {
    expect(offered('80GiB')).toEqual(['roomy', 'likely']);
    expect(offered('80GiB', { mayOverfill: true })).toContain('unlikely');
  });

  it('is offered last for a file that does not fit', () => {
    expect(offered('8GiB')).toEqual(['roomy', 'likely', 'unlikely']);
  });
});

describe('candidates are shown', () => {
  it('where memory is the goal, only those that fit if there is one', () => {
    expect(shown([fast, fits], { fitting: true })).toEqual(['fits']);
    expect(shown([fast], { fitting: true })).toEqual(['fast']);
  });

  it('five at most, or as many as the goal wants', () => {
    expect(shown(smaller)).toHaveLength(5);
    expect(shown(smaller, { most: 2 })).toEqual(['activation 32', 'activation 64']);
  });

  it('two of a kind at most, or as many as the goal wants', () => {
    const alike = smaller.map((each) => ({ ...each, kind: 'activation' }));
    expect(shown(alike)).toEqual(['activation 32', 'activation 64']);
    expect(shown(alike, { mostOfKind: 1 })).toEqual(['activation 32']);
  });
});

it('is tried without the messages of the changed file: that of a bubble takes longer than all the rest', () => {
  const read: string[] = [];
  const again = (changed: string) => {
    const { findings, ...rest } = analyse(changed);
    const listening = findings.map((found) => ({
      ...found,
      get message() {
        read.push(found.code);
        return found.message;
      },
    }));
    return { ...rest, findings: listening };
  };
  expect(toEnd(fixesAmong(analysis, goal, [fits, fast], again))).toHaveLength(2);
  expect(read).toEqual([]);
});

describe('idle time', () => {
  const fixesOfBubble = (file: string) => {
    const found = analyse(file);
    const finding = found.findings.find(({ code }) => code === 'schedule/bubble');
    if (finding === undefined) throw new Error('There is no finding.');
    return fixesFor(found, finding, checkedAfter(found)).map(({ title }) => title);
  };

  it('of less than half a percent has no fix', () => {
    // 3 of 703 slots are idle.
    expect(fixesOfBubble(pipe({ link: '100000GB/s', pipeline: run('1f1b', 700) }))).toEqual([]);
    expect(fixesOfBubble(pipe({ link: '100000GB/s', pipeline: run('1f1b', 100) }))).not.toEqual([]);
  });

  it('has no fix that shortens the iteration and leaves a larger share of it idle', () => {
    // Without recomputation the same transfers are a larger part of a shorter iteration.
    const file = pipe({ link: '2GB/s', pipeline: `${run('1f1b')}\n  recompute = full` });
    const titles = fixesOfBubble(file);
    expect(titles.length).toBeGreaterThan(0);
    expect(titles.filter((title) => title.startsWith('Recompute no stage'))).toEqual([]);
    const iteration = (changed: string) => analyse(changed).pipelines[0].run?.report.iteration ?? NaN;
    expect(iteration(file.replace('recompute = full', ''))).toBeLessThan(iteration(file));
  });

  it('is filled with as many microbatches as the steps of the param reach', () => {
    const file = pipe({ pipeline: run('1f1b').replace('= 8', '= m'), more: 'param m = 9 in 1..64 step 8\n' });
    expect(fixesOfBubble(file).some((title) => title.startsWith('Set microbatches to 17: '))).toBe(true);
  });
});

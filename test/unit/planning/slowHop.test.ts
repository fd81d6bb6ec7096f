/** `place/slow-hop`, its fixes, and `place = best` written out. */
import { describe, expect, test } from 'vitest';
import { refactorings } from '../../../engine/fixes/fix.ts';
import { apply } from '../../../engine/fixes/proposal.ts';
import { analyse, checkedOnce, codesOf, fixesOf } from '../../support/analyse.ts';

interface Parts {
  readonly output?: string;
  readonly links?: string;
  readonly stages?: string;
  readonly more?: string;
}

/** By number, the first hop takes the link of 5 GB/s; 0, 2, 3, 1 is a row of fast links. */
const uneven = `link gpu[0] -- gpu[1] = 5GB/s + 3us
  link gpu[0] -- gpu[2] = 40GB/s + 3us
  link gpu[2] -- gpu[3] = 40GB/s + 3us
  link gpu[3] -- gpu[1] = 40GB/s + 3us`;

const file = ({ output = '20MB', links = uneven, stages = 'stages = balance(4)', more = '' }: Parts = {}) => `
device small { memory = 16GiB }
cluster box {
  gpu[4] = small
  link = 2GB/s + 5us
  ${links}
}
model toy { layer block[8] { forward = 1ms  backward = 2ms  weights = 1MB  output = ${output} } }
pipeline train {
  model = toy
  devices = box
  microbatches = 8
  ${stages}
  schedule = 1f1b
  ${more}
}
`;
const blocks = `stage a { layers = block[0..1] }
  stage b { layers = block[2..3] }
  stage c { layers = block[4..5] }
  stage d { layers = block[6..7] }`;

const slowHops = (text: string) => analyse(text).findings.filter(({ code }) => code === 'place/slow-hop');
const iterationOf = (text: string) => analyse(text).pipelines[0]?.run?.report.iteration ?? NaN;
const devicesOf = (text: string) => analyse(text).pipelines[0]?.plan.devices.map(({ name }) => name);

describe('place/slow-hop', () => {
  test('says by how much the best placement is faster', () => {
    const [found, ...others] = slowHops(file());
    expect(others).toEqual([]);
    expect(found?.message).toContain('takes 4 ms; on other devices it would take 503 µs');
    const gain = 1 - iterationOf(file({ more: 'place = best' })) / iterationOf(file());
    expect(gain).toBeGreaterThan(0.05);
    expect(found?.message).toContain(`(${(100 * gain).toFixed(1).replace(/\.0$/, '')} % less)`);
  });

  test('is left out where less than 5 % can be saved', () => {
    for (const output of ['1kB', '3MB', '4MB', '5MB', '6MB', '8MB', '10MB', '12MB']) {
      const gain = 1 - iterationOf(file({ output, more: 'place = best' })) / iterationOf(file({ output }));
      expect(slowHops(file({ output })).length, output).toBe(gain >= 0.05 ? 1 : 0);
    }
  });

  test('is left out where the file chooses, and where all links are alike', () => {
    expect(slowHops(file({ more: 'place = best' }))).toEqual([]);
    let device = 0;
    const pinned = blocks.replace(/ \}/g, () => `  on = gpu[${device++}] }`);
    expect(codesOf(analyse(file({ stages: pinned })))).toContain('comm/exposed');
    expect(slowHops(file({ stages: pinned }))).toEqual([]);
    expect(slowHops(file({ links: '' }))).toEqual([]);
  });

  test.each([
    ['balance', {}],
    ['blocks', { stages: blocks }],
  ])('is answered by the key, or by `on` of the stages (%s)', (_, parts) => {
    const text = file(parts);
    const fixes = fixesOf(analyse(text), 'place/slow-hop');
    expect(fixes.map(({ title }) => title.split(':')[0])).toEqual([
      'Set place to best',
      'Write the devices of the best placement into the file',
    ]);
    for (const fix of fixes) {
      const fixed = apply(text, fix.edits);
      expect(slowHops(fixed)).toEqual([]);
      expect(devicesOf(fixed)).toEqual(['gpu[0]', 'gpu[2]', 'gpu[3]', 'gpu[1]']);
      expect(iterationOf(fixed)).toBe(iterationOf(file({ more: 'place = best' })));
    }
    expect(apply(text, fixes[1]?.edits ?? [])).toContain('on = gpu[3]');
  });
});

describe('Write the devices of the best placement into the file', () => {
  const written = (text: string) => {
    const [found] = refactorings(analyse(text), text.indexOf('place = best'), checkedOnce());
    return found === undefined ? undefined : apply(text, found.edits);
  };

  test.each([
    ['balance', {}],
    ['blocks', { stages: blocks }],
    ['blocks of which one says on', { stages: blocks.replace('] }', ']  on = gpu[2] }') }],
  ])('keeps every stage where the search put it (%s)', (_, parts) => {
    const text = file({ ...parts, more: 'place = best' });
    const after = written(text) ?? '';
    expect(after).not.toContain('place = best');
    expect(codesOf(analyse(after))).not.toContain('key/not-applicable');
    expect(devicesOf(after)).toEqual(devicesOf(text));
    expect(iterationOf(after)).toBe(iterationOf(text));
  });

  test('keeps chunks and copies', () => {
    for (const schedule of ['interleaved_1f1b(chunks = 2)', 'chimera']) {
      const stages = schedule === 'chimera' ? 'stages = balance(4)' : 'stages = balance(8)';
      const text = file({ stages, more: 'place = best' }).replace('1f1b', schedule);
      expect(devicesOf(written(text) ?? ''), schedule).toEqual(devicesOf(text));
    }
  });

  test('is not offered elsewhere', () => {
    expect(written(file({ more: 'place = by_number // place = best' }))).toBeUndefined();
  });
});

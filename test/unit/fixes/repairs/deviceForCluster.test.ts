import { describe, expect, test } from 'vitest';
import { after, analyse, codesOf, fixesOf } from '../../../support/analyse.ts';

const model = 'model m { layer block[8] { forward = 10ms  backward = 20ms  output = 1MB } }';
const pipeline = (keys: string) => `pipeline train { model = m  ${keys}  microbatches = 8  schedule = 1f1b }`;
const withErrors = (text: string) => analyse(text).findings.filter(({ severity }) => severity === 'error');

describe('a device where a cluster is wanted', () => {
  test('has the machines with this device, and a cluster of as many as the pipeline needs', () => {
    const text = `import { h100 } from "std:hardware"\n${model}\n${pipeline('devices = h100  stages = balance(4)  data = 2')}\n`;
    const analysis = analyse(text);
    const fixes = fixesOf(analysis, 'type/mismatch');
    expect(fixes.map(({ title }) => title.split(':', 1)[0])).toEqual([
      'Write dgx_h100 of std',
      'Write p5 of std',
      'Declare cluster box { gpu[8] = h100  link = 25GB/s + 5us }',
    ]);
    for (const fix of fixes) {
      const changed = after(analysis, fix);
      expect(codesOf(changed)).not.toContain('type/mismatch');
      expect(withErrors(changed.syntax.text)).toEqual([]);
      expect(changed.pipelines[0].run).toBeDefined();
    }
    // Four stages of two data ranks each.
    expect(after(analysis, fixes[2]).findings.filter(({ code }) => code === 'device/idle')).toEqual([]);
  });

  test('has the clusters of the file first', () => {
    const text = `device g { memory = 8GiB }\ncluster mine { gpu[4] = g  link = 25GB/s }\n${model}\n${pipeline('devices = g  stages = balance(4)')}\n`;
    const [fix] = fixesOf(analyse(text), 'type/mismatch');
    expect(fix.title).toMatch(/^Write mine/);
    expect(withErrors(after(analyse(text), fix).syntax.text)).toEqual([]);
  });
});

describe('a cluster that is too small', () => {
  const cluster = (groups: string) => `device g { memory = 80GiB }\ncluster box { ${groups} }\n${model}\n`;
  const message = (text: string) => analyse(text).findings.find(({ code }) => code === 'stage/device-count')?.message;

  test('is told how many nodes to write where not one rank fits, with the fix that writes them', () => {
    const text = `${cluster('node[1] { gpu[8] = g  link = 400GB/s }  link = 50GB/s')}${pipeline('devices = box  stages = balance(4)  data = 80')}`;
    expect(message(text)).toBe(
      '4 pipeline ranks of 80 devices each (data 80) need 320 devices, but "box" has 8; write `node[40]` in the cluster.',
    );
    const fixes = fixesOf(analyse(text), 'stage/device-count');
    const fix = fixes.find(({ title }) => title.startsWith('With node[40] in the cluster'));
    if (fix === undefined) throw new Error(fixes.map(({ title }) => title).join('\n'));
    expect(withErrors(after(analyse(text), fix).syntax.text)).toEqual([]);
  });

  test('is told the number of devices where it has no nodes', () => {
    const text = `${cluster('gpu[2] = g  link = 400GB/s')}${pipeline('devices = box  stages = balance(4)  data = 4')}`;
    expect(message(text)).toMatch(/but "box" has 2; write `gpu\[16\]` in the cluster\.$/);
  });

  test('is not told a number where its nodes differ', () => {
    const text = `${cluster('node[1] { gpu[1] = g }  node[1] { gpu[2] = g }  link = 50GB/s')}${pipeline('devices = box  stages = balance(4)  data = 4')}`;
    expect(message(text)).toMatch(/but "box" has 3; not one rank fits\.$/);
  });

  test('has the fix even if the plan then needs more memory than there is', () => {
    const text = `${cluster('gpu[2] = g  link = 400GB/s').replace('80GiB', '1MiB').replace('output', 'activation = 1GiB  output')}${pipeline('devices = box  stages = balance(4)')}`;
    const titles = fixesOf(analyse(text), 'stage/device-count').map(({ title }) => title);
    expect(titles.some((title) => /^With gpu\[4\] in the cluster: .* over$/.test(title))).toBe(true);
  });
});

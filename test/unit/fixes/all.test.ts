import { describe, expect, it } from 'vitest';
import type { Code } from '../../../engine/findings/catalogue.ts';
import { fixAllSteps, safeCodes } from '../../../engine/fixes/all.ts';
import { toEnd } from '../../../engine/steps.ts';
import { after, analyse, codesOf } from '../../support/analyse.ts';
import { pipe } from './file.ts';

const run = '  microbatches = 8\n  stages = balance(4)\n  schedule = 1f1b';
const all = (text: string, codes: readonly Code[] = safeCodes) => {
  const analysis = analyse(text);
  const fix = toEnd(fixAllSteps(analysis, codes, (count) => `all ${count}`, analyse));
  return { analysis, fix, changed: fix === undefined ? undefined : after(analysis, fix) };
};

describe('all findings of a kind', () => {
  it('are fixed as one change, over several codes', () => {
    const good = pipe({ pipeline: run });
    const { fix, changed } = all(good.replace('1f1b', '1f1bb').replace('microbatches =', 'microbatchs ='));
    expect(fix?.title).toBe('all 2');
    expect(changed?.syntax.text).toBe(good);
  });

  it('of one code alone leave the others', () => {
    const text = pipe({ pipeline: run, more: 'let spare = 1\nlet other = 2\n' }).replace('1f1b', '1f1bb');
    const { changed } = all(text, ['name/unused']);
    expect(codesOf(changed ?? analyse(text))).toEqual(['name/unknown']);
    expect(changed?.syntax.text).not.toContain('let ');
  });

  it('need at least two', () => {
    expect(all(pipe({ pipeline: run }).replace('1f1b', '1f1bb')).fix).toBeUndefined();
    expect(all(pipe({ pipeline: run })).fix).toBeUndefined();
  });

  it('never change figures of pipelines that run: those fixes are chosen one by one', () => {
    const second = `pipeline second {\n  model = toy\n  devices = box\n${run}\n}\n`;
    const two = pipe({ memory: '2GiB', pipeline: run, more: second });
    expect(codesOf(analyse(two)).filter((code) => code === 'memory/out-of-memory')).toHaveLength(2);
    expect(all(two, ['memory/out-of-memory', 'schedule/bubble']).fix).toBeUndefined();
  });
});

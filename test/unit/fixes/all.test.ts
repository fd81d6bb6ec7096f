import { describe, expect, it } from 'vitest';
import type { Code } from '../../../engine/findings/catalogue.ts';
import { effectWords, figuresOf } from '../../../engine/fixes/effect.ts';
import { fixesFor } from '../../../engine/fixes/fix.ts';
import { fixAllSteps, safeCodes } from '../../../engine/fixes/all.ts';
import { toEnd } from '../../../engine/basics/steps.ts';
import { after, analyse, codesOf, checkedAfter } from '../../support/analyse.ts';
import { pipe } from './file.ts';

const run = '  microbatches = 8\n  stages = balance(4)\n  schedule = 1f1b';
const all = (text: string, codes: readonly Code[] = safeCodes, unambiguous = false) => {
  const analysis = analyse(text);
  const title = (fixed: number, findings: number) => `${fixed} of ${findings}`;
  const fix = toEnd(fixAllSteps(analysis, { codes, title, unambiguous }, analyse));
  return { analysis, fix, changed: fix === undefined ? undefined : after(analysis, fix) };
};

describe('all findings of a kind', () => {
  it('are fixed as one change, over several codes', () => {
    const good = pipe({ pipeline: run });
    const { fix, changed } = all(good.replace('1f1b', '1f1bb').replace('microbatches =', 'microbatchs ='));
    expect(fix?.title).toMatch(/^2 of 2: runs, iteration /);
    expect(changed?.syntax.text).toBe(good);
  });

  it('state the effect of the whole change, from one simulation of it', () => {
    const good = pipe({ pipeline: run });
    const { fix, changed } = all(good.replace('1f1b', '1f1bb').replace('microbatches =', 'microbatchs ='));
    const [{ run: after }] = changed?.pipelines ?? [{ run: undefined }];
    const figures = after === undefined ? undefined : figuresOf(after.report);
    expect(figures).toBeDefined();
    expect(fix?.effect?.after).toEqual(figures);
    expect(fix?.title).toBe(
      `2 of 2: runs, ${figures === undefined ? '' : effectWords({ pipeline: 'train', after: figures }, 'time')}`,
    );
  });

  it('say how many of the findings they fix', () => {
    const text = pipe({ pipeline: run, more: 'let spare = 1\nlet other = 2\nlet more = nothing_alike\n' });
    const { fix } = all(
      text.replace('1f1b', '1f1bb').replace('devices = box', 'devices = bax'),
      ['name/unknown'],
      true,
    );
    expect(fix?.title).toMatch(/^2 of 3/);
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

  it('take only fixes without an alternative where nobody chooses', () => {
    const wrong = (unit: string) =>
      pipe({ memory: unit, pipeline: run.replace('1f1b', '1f1bb'), more: 'let least = 1\n' }).replace(
        'devices = box',
        'devices = bax',
      );
    // 16M may be MB or MiB: the unit is left to the user.
    const { analysis, changed } = all(wrong('16M'), safeCodes, true);
    expect(codesOf(analysis)).toContain('syntax/unit');
    expect(changed?.syntax.text).toBe(wrong('16M').replace('1f1bb', '1f1b').replace('bax', 'box'));
  });

  it('invent nothing where nobody chooses: an unknown name without a near one stays', () => {
    const text = pipe({ pipeline: run, more: 'let a = nothing_alike\nlet b = anything_else\n' });
    const { analysis } = all(text);
    const [unknown] = analysis.findings.filter(({ code }) => code === 'name/unknown');
    expect(fixesFor(analysis, unknown, checkedAfter(analysis)).map(({ title }) => title)).toEqual([
      expect.stringMatching(/^Declare let nothing_alike/),
    ]);
    expect(all(text, ['name/unknown']).changed?.syntax.text).toContain('let nothing_alike');
    expect(all(text, ['name/unknown'], true).fix).toBeUndefined();
  });

  it('leave a choice between two entries to the user', () => {
    const twice = pipe({ pipeline: `${run}\n  microbatches = 16\n  stages = balance(2)` });
    expect(codesOf(analyse(twice)).filter((code) => code === 'key/duplicate')).toHaveLength(2);
    expect(all(twice).fix).toBeDefined();
    expect(all(twice, safeCodes, true).fix).toBeUndefined();
  });
});

import { expect, test } from 'vitest';
import { apply } from '../../../engine/fixes/proposal.ts';
import { bytes, share } from '../../../engine/basics/quantities.ts';
import { lineChanges } from '../../../server/text/lineChanges.ts';
import type { HelpAnswer, HelpFix, HelpRequest, PlanAnswer } from '../../../webview/protocol/requests.ts';
import { analyse } from '../../support/analyse.ts';
import { main, offsetOf, withClient } from '../../support/server.ts';
import { toy } from './samples.ts';

const ask = async (text: string, request: Omit<HelpRequest, 'uri'>): Promise<HelpAnswer> => {
  let found: HelpAnswer = { version: -1, fixes: [] };
  await withClient(async (client) => {
    client.open(main, text);
    found = await client.request<HelpAnswer>('pipewright/help', { uri: main, ...request });
  });
  return found;
};

const textAfter = (text: string, { edits }: HelpFix): string =>
  apply(
    text,
    edits.map(({ range, newText }) => ({
      start: offsetOf(text, range.start),
      end: offsetOf(text, range.end),
      text: newText,
    })),
  );

test('a bubble has at most three fixes, each with the figures of the changed file and its lines', async () => {
  const { fixes, version } = await ask(toy, { pipeline: 'train', about: 'bubble' });
  expect(version).toBe(1);
  expect(fixes.length).toBeGreaterThan(1);
  expect(fixes.length).toBeLessThanOrEqual(3);
  for (const fix of fixes) {
    const changed = textAfter(toy, fix);
    const report = analyse(changed).pipelines[0].run?.report;
    expect(fix.effect.iteration).toBe(report?.iteration);
    expect(fix.effect.bubble).toBe(report?.bubble.makespan);
    expect(fix.effect.peak).toBe(Math.max(...(report?.devices ?? []).map(({ peak }) => peak)));
    expect(fix.before?.iteration).toBeCloseTo(0.264, 9);
    expect(fix.diff).toEqual(lineChanges(toy, changed));
  }
  const [best] = fixes;
  expect(best.title).toContain(`iteration ${share(best.effect.iteration / 0.264 - 1, true)}`);
  expect(best.effect.bubble).toBeLessThan(3 / 11);
});

test('the peak of a device: fixes lower it, also where the device fits', async () => {
  const { fixes } = await ask(toy, { pipeline: 'train', about: 'memory', device: 1 });
  const before = analyse(toy).pipelines[0].run?.report.devices[1].peak ?? NaN;
  expect(fixes.length).toBeGreaterThan(0);
  for (const fix of fixes) {
    const after = analyse(textAfter(toy, fix)).pipelines[0].run?.report.devices[1].peak;
    expect(fix.effect.peak).toBe(after);
    expect(fix.effect.peak).toBeLessThan(before);
    expect(fix.title).toContain(`peak ${bytes(fix.effect.peak)}`);
  }
});

test('params are as tried: the figures are of the tried value, the edits of the file', async () => {
  const { fixes } = await ask(toy, { pipeline: 'train', about: 'bubble', overrides: { microbatches: 4 } });
  expect(fixes.length).toBeGreaterThan(0);
  for (const fix of fixes) {
    const report = analyse(textAfter(toy, fix), { overrides: { microbatches: 4 } }).pipelines[0].run?.report;
    expect(fix.effect.iteration).toBe(report?.iteration);
    // Its value is under trial: another default would change nothing.
    expect(textAfter(toy, fix)).toContain('param microbatches = 8 in');
  }
  // The shape of a schedule that is shown by itself has nothing to do with it.
  const beside = await ask(toy, {
    pipeline: 'train',
    about: 'bubble',
    overrides: { microbatches: 4, 'mine.devices': 2 },
  });
  expect(beside.fixes).toEqual(fixes);
  const refused = await ask(toy, { pipeline: 'train', about: 'bubble', overrides: { microbatches: 1000 } });
  expect(refused.fixes).toEqual([]);
});

test('a pipeline that does not exist, and a device that does not exist, have no fixes', async () => {
  expect((await ask(toy, { pipeline: 'other', about: 'bubble' })).fixes).toEqual([]);
  expect((await ask(toy, { pipeline: 'train', about: 'memory', device: 99 })).fixes).toEqual([]);
  expect((await ask(toy, { pipeline: 'train', about: 'deadlock' })).fixes).toEqual([]);
});

test('the plan of a fix can be shown while its version is the newest', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    const { fixes, version } = await client.request<HelpAnswer>('pipewright/help', {
      uri: main,
      pipeline: 'train',
      about: 'bubble',
    });
    const { edits } = fixes[0];
    const { plan } = await client.request<PlanAnswer>('pipewright/plan', { uri: main, trial: { version, edits } });
    expect(plan?.pipelines).toEqual(analyse(textAfter(toy, fixes[0]), { uri: main }).resolution.plan.pipelines);
    const late = await client.request<PlanAnswer>('pipewright/plan', { uri: main, trial: { version: 0, edits } });
    expect(late.plan).toBeUndefined();
    expect(late.problem?.message).toBe('The file has changed since this fix was found.');
  });
});

test('the lines of a change: what goes, then what comes; lines that stay are left out; long changes are cut short', () => {
  expect(lineChanges('a\n  b\nc\nd', 'a\n  x\nc\ny')).toEqual(['- b', '- d', '+ x', '+ y']);
  expect(lineChanges('a\nb', 'a\nn\nb')).toEqual(['+ n']);
  expect(lineChanges('a\nb', 'a\nb')).toEqual([]);
  const long = lineChanges('', Array.from({ length: 40 }, (_, index) => `line ${index}`).join('\n'));
  expect(long).toHaveLength(12);
  expect(long.at(-1)).toBe('…');
});

test('a question about a text that has changed meanwhile has no answer: its trials stop', async () => {
  await withClient(async (client) => {
    const text = toy.replace('microbatches = 8', 'microbatches = 64');
    client.open(main, text);
    await client.request('textDocument/codeLens', { textDocument: { uri: main } });
    const asked = client.request<HelpAnswer | null>('pipewright/help', {
      uri: main,
      pipeline: 'train',
      about: 'bubble',
    });
    client.change(main, `${text}// More.\n`);
    expect(await asked).toBeNull();
  });
});

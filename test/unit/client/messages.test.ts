import * as fc from '../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { readFromPage } from '../../../client/preview/messages.ts';
import { readState } from '../../../webview/protocol/state.ts';

describe('messages of the preview page', () => {
  test.each([
    { type: 'reveal', path: 'train/stage:2', preserveFocus: true },
    { type: 'reveal', path: 'train/stage:2', preserveFocus: true, explicit: true },
    { type: 'try', overrides: { microbatches: 16 } },
    { type: 'apply', name: 'microbatches', value: 16 },
    { type: 'error', message: 'no worker' },
    { type: 'goto', line: 22, character: 4 },
    { type: 'sync', following: true, revealOnClick: false },
    { type: 'export', pipeline: 'train' },
    { type: 'export', pipeline: 'train', seconds: 4 },
    { type: 'copyLink', state: { uri: 'file:///a.pipe', selection: { of: 'device', device: 2 } } },
    { type: 'drawn', request: 3, base64: 'iVBORw0KGgo=' },
    { type: 'drawn', request: 4 },
    { type: 'restart' },
    { type: 'race', request: 4, pipeline: 'train', against: 'saved' },
    { type: 'racePlan', request: 4, pipeline: 'train', search: 3, row: 12 },
    { type: 'sweep', request: 5, pipeline: 'train', name: 'microbatches', values: [4, 8] },
    { type: 'chooseBeside' },
    { type: 'chooseRun' },
    { type: 'chooseRun', uris: ['file:///traces/rank0.json'] },
    { type: 'calibrate', pipeline: 'train', replica: 1 },
    { type: 'endBeside', pair: 3 },
    { type: 'revealBeside', path: 'train/stage:2' },
    { type: 'endRace', request: 5 },
    { type: 'findPlan', request: 5, pipeline: 'train' },
    { type: 'findPlan', request: 6, more: true },
    { type: 'findPlan', request: 7, overrides: { batch: 64 } },
    { type: 'planView', request: 6, open: false },
    { type: 'stopPlan', request: 6 },
    { type: 'writePlan', request: 6, row: 17 },
    { type: 'showPlan', request: 6, row: -1 },
    { type: 'savePlan', request: 6, format: 'csv' },
    { type: 'searchOrder', request: 7, pipeline: 'train', times: 4 },
    { type: 'stopOrder', request: 7 },
    { type: 'keepOrder', request: 7 },
    { type: 'endOrder', request: 7 },
    { type: 'adopt', request: 4, index: 2 },
    { type: 'moveSlot', request: 5, schedule: 'mine', kind: 'F', stage: 3, slot: 7, alone: true },
    {
      type: 'moveInRow',
      request: 6,
      pipeline: 'mine',
      device: 0,
      moves: [{ kind: 'F', stage: 1, microbatch: 2, to: 3 }],
    },
    { type: 'endMove', request: 5, write: false },
    { type: 'openRenamed' },
    { type: 'close' },
    { type: 'insertExample', name: 'quickstart' },
    { type: 'importSchedule' },
    { type: 'openExamples' },
    { type: 'openGuide' },
    { type: 'addPipeline' },
    { type: 'lines', request: 3, paths: ['train/row:1/item:2'] },
    { type: 'writeMissing', pipeline: 'train' },
    { type: 'origin', request: 2, path: 'train/row:1/item:0/operation:0.1.2' },
  ])('a valid $type is taken as it is', (message) => {
    expect(readFromPage(message)).toEqual(message);
  });

  test.each([
    undefined,
    null,
    [],
    'ready',
    {},
    { type: 'other' },
    { type: 'insertExample' },
    { type: 'findPlan', request: -1 },
    { type: 'findPlan', request: 1, overrides: { batch: '64' } },
    { type: 'planView', request: 6 },
    { type: 'findPlan', request: 1, pipeline: 4 },
    { type: 'stopPlan' },
    { type: 'stopOrder' },
    { type: 'writePlan', request: 6, row: -1 },
    { type: 'showPlan', request: 6, row: -2 },
    { type: 'savePlan', request: 6, format: 'exe' },
    { type: 'lines', request: -1, paths: [] },
    { type: 'origin', request: -1, path: 'a' },
    { type: 'writeMissing' },
    { type: 'origin', request: 1, path: 7 },
    { type: 'lines', request: 3, paths: [7] },
    { type: 'lines', request: 3, paths: Array.from({ length: 101 }, () => 'train') },
    { type: 'reveal', path: 7, preserveFocus: true },
    { type: 'reveal', path: 'x'.repeat(5000), preserveFocus: true },
    { type: 'reveal', path: 'train' },
    { type: 'try', overrides: { m: Number.NaN } },
    { type: 'try', overrides: [1] },
    { type: 'apply', name: '', value: 1 },
    { type: 'apply', name: 'm', value: Number.POSITIVE_INFINITY },
    { type: 'error', message: { text: 'x' } },
    { type: 'goto', line: -1, character: 0 },
    { type: 'export' },
    { type: 'export', pipeline: '' },
    { type: 'export', pipeline: ['train'] },
    { type: 'race', request: 4, pipeline: 'train', against: '/etc/passwd' },
    { type: 'racePlan', request: 4, pipeline: 'train', search: -1, row: 12 },
    { type: 'racePlan', request: 4, pipeline: 'train', search: 3 },
    { type: 'sweep', request: 5, pipeline: 'train', name: 'm', values: Array(65).fill(1) },
    { type: 'sweep', request: 5, pipeline: 'train', name: 'm', values: ['1'] },
    { type: 'adopt', request: 4, index: -1 },
    { type: 'moveSlot', request: 5, schedule: 'mine', kind: 'F', stage: 3, slot: -1, alone: true },
    { type: 'moveInRow', request: 6, pipeline: 'mine', device: 0, moves: [{ kind: 'F', stage: 1, microbatch: 2 }] },
    { type: 'endMove', request: 5 },
    { type: 'goto', line: 1.5, character: 0 },
  ])('%j is dropped', (message) => {
    expect(readFromPage(message)).toBeUndefined();
  });

  test('ready keeps what is usable of the state and leaves the rest out', () => {
    const state = {
      uri: 'file:///a.pipe',
      pipeline: 'train',
      t0: 0,
      t1: 'x',
      colours: 'rainbow',
      criticalPath: true,
      extra: 1,
    };
    expect(readFromPage({ type: 'ready', state })).toEqual({
      type: 'ready',
      state: { uri: 'file:///a.pipe', pipeline: 'train', t0: 0, criticalPath: true },
    });
    expect(readFromPage({ type: 'ready', state: 5 })).toEqual({ type: 'ready', state: undefined });
  });

  test('a state that was read is read again as it is', () => {
    const state = fc.record({
      uri: fc.string({ minLength: 1 }),
      t0: fc.double(),
      scroll: fc.anything(),
      overrides: fc.anything(),
    });
    fc.assert(
      fc.property(state, (raw) => {
        const once = readState(raw);
        expect(readState(structuredClone(once))).toEqual(once);
      }),
    );
  });

  test('nothing that can be posted makes it throw', () => {
    const tagged = fc.record({
      type: fc.constantFrom('ready', 'reveal', 'try', 'apply', 'error'),
      state: fc.anything(),
      overrides: fc.anything(),
    });
    fc.assert(
      fc.property(fc.oneof(fc.anything(), tagged), (raw) => {
        const message = readFromPage(raw);
        if (message?.type === 'try')
          for (const value of Object.values(message.overrides)) expect(Number.isFinite(value)).toBe(true);
      }),
    );
  });
});

test('questions for fixes, and which of them to show or apply', () => {
  const help = { type: 'help', request: 3, pipeline: 'train', about: 'memory', device: 2 };
  expect(readFromPage(help)).toEqual(help);
  expect(readFromPage({ ...help, about: 'speed' })).toBeUndefined();
  expect(readFromPage({ ...help, request: -1 })).toBeUndefined();
  expect(readFromPage({ ...help, device: 1.5 })).toEqual({
    type: 'help',
    request: 3,
    pipeline: 'train',
    about: 'memory',
  });
  expect(readFromPage({ type: 'showFix', request: 3, index: -1 })).toEqual({ type: 'showFix', request: 3, index: -1 });
  expect(readFromPage({ type: 'applyFix', request: 3, index: 1, edits: [] })).toEqual({
    type: 'applyFix',
    request: 3,
    index: 1,
  });
  expect(readFromPage({ type: 'applyFix', request: 3, index: -2 })).toBeUndefined();
});

test('an error of the page is cut at 4096 characters', () => {
  const sent = (length: number) => readFromPage({ type: 'error', message: 'x'.repeat(length) });
  for (const [length, kept] of [
    [4096, 4096],
    [4097, 4096],
  ])
    expect(sent(length)).toEqual({ type: 'error', message: 'x'.repeat(kept) });
});

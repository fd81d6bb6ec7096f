import { expect, test } from 'vitest';
import { findPolicy } from '../../../engine/policies/registry.ts';
import type { CandidatesAnswer, PlanAnswer } from '../../../webview/protocol/requests.ts';
import { main, withClient } from '../../support/server.ts';
import { staged, toy } from './samples.ts';

const ask = { uri: main, pipeline: 'train' };

test('every candidate is another schedule of the same devices, and its text can be planned', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    const { version, candidates } = await client.request<CandidatesAnswer>('pipewright/candidates', ask);
    expect(candidates.length).toBeGreaterThan(10);
    const names = candidates.map(({ schedule }) => schedule);
    expect(new Set(names).size).toBe(names.length);
    expect(names).not.toContain('1f1b');
    expect(names).toEqual(expect.arrayContaining(['gpipe', 'zb_h1', 'zb_v', 'interleaved_1f1b(chunks = 2)']));
    for (const { schedule, edits } of candidates) {
      const answer = await client.request<PlanAnswer>('pipewright/plan', { uri: main, trial: { version, edits } });
      const plan = answer.plan?.pipelines.find(({ name }) => name === 'train');
      expect(plan?.schedule.name, schedule).toBe(schedule.replace(/\(.*/, ''));
      expect(findPolicy(plan?.schedule.name ?? ''), schedule).toBeDefined();
      expect(plan?.devices.length, schedule).toBe(4);
    }
  });
});

test('a schedule that needs more stages brings its cut; stages written one by one keep theirs', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    const { candidates } = await client.request<CandidatesAnswer>('pipewright/candidates', ask);
    const two = candidates.find(({ schedule }) => schedule === 'interleaved_1f1b(chunks = 2)');
    expect(two?.edits.map(({ newText }) => newText)).toEqual(['interleaved_1f1b(chunks = 2)', '8']);
    client.change(main, staged);
    const own = await client.request<CandidatesAnswer>('pipewright/candidates', { uri: main, pipeline: 'run' });
    expect(own.candidates.map(({ schedule }) => schedule)).toContain('1f1b');
    expect(own.candidates.every(({ edits }) => edits.length === 1)).toBe(true);
  });
});

test('there are none for an unknown pipeline', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    const answer = await client.request<CandidatesAnswer>('pipewright/candidates', { uri: main, pipeline: 'other' });
    expect(answer.candidates).toEqual([]);
  });
});

import { expect, test } from 'vitest';
import type { WorkspaceEdit } from 'vscode-languageserver';
import { applyEdits, editsIn, main } from '../../support/server.ts';
import { hoverAt, labelsAt, serverWith } from '../../support/asked.ts';

const file = (job: string) => `model toy { layer block[2] { forward = 1ms  backward = 2ms  weights = 1MiB } }
device card { memory = 1GiB }
cluster box { gpu[2] = card  link = 10GB/s }
cluster crate { gpu[2] = card  link = 10GB/s }
pipeline first { model = toy  devices = box  microbatches = 1  stages = balance(2)  schedule = pipedream }
pipeline second { model = toy  devices = crate  microbatches = 1  stages = balance(2)  schedule = pipedream }
/// Both of them.
${job}
`;
const good = 'job all { workers = [first, second]  sync = wsp(distance = 1) }';

const labels = (job: string): Promise<readonly string[]> => labelsAt(file(job));

test('a hover on a job shows its workers, waits and staleness', async () => {
  const value = await hoverAt(file(good.replace('all', '$0all')));
  // A minibatch each 3 ms for each of two workers; N = 2, so that the bound is 2 · 2 + 2 − 2.
  for (const part of [
    'Both of them.',
    '666.7 samples/s',
    'waves of 2 minibatches',
    'the bound is 4',
    'first',
    'waits 0 %',
  ])
    expect(value).toContain(part);
});

test('a hover on a job without locks shows the mean of the staleness', async () => {
  const value = await hoverAt(file('job $0all { workers = [first, second]  sync = free }'));
  for (const part of ['666.7 samples/s', 'On average a minibatch misses', 'updates of all other workers'])
    expect(value).toContain(part);
});

test('completion offers pipelines as workers, and ways to synchronise', async () => {
  expect(await labels('job all { workers = [$0] }')).toEqual(['first', 'second']);
  expect(await labels('job all { workers = [first, $0] }')).toEqual(['first', 'second']);
  expect(await labels('job all { workers = [first]  sync = $0 }')).toEqual(['wsp', 'free']);
  expect(await labels('job all { workers = [first]  sync = wsp($0) }')).toContain('distance');
  expect(await labels('job all { $0 }')).toEqual(['workers', 'sync', 'servers', 'link', 'waves']);
});

test('renaming a pipeline renames the worker', async () => {
  await serverWith(file(good.replace('[first', '[$0first')), async ({ text, ask }) => {
    const answer = await ask<WorkspaceEdit | null>('textDocument/rename', { newName: 'fast' });
    expect(applyEdits(text, editsIn(answer ?? {}, main))).toBe(
      text.replace('pipeline first', 'pipeline fast').replace('[first', '[fast'),
    );
  });
});

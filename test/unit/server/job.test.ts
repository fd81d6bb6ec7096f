import { expect, test } from 'vitest';
import type { CompletionList, Hover, MarkupContent, WorkspaceEdit } from 'vscode-languageserver';
import { applyEdits, main, positionAt, withClient } from './harness.ts';
import { marked } from './marks.ts';

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

/** The answer to a request at `$0`. */
async function ask(
  source: string,
  method: string,
  more: object = {},
): Promise<{ readonly text: string; readonly answer: unknown }> {
  const { text, at } = marked(source);
  const answers: unknown[] = [];
  await withClient(async (client) => {
    client.open(main, text);
    const position = positionAt(text, at[0] ?? 0);
    answers.push(await client.request<unknown>(method, { textDocument: { uri: main }, position, ...more }));
  });
  const [answer] = answers;
  return { text, answer };
}

async function labels(job: string): Promise<readonly string[]> {
  const { answer } = await ask(file(job), 'textDocument/completion', {
    context: { triggerKind: 1 },
  });
  return ((answer as CompletionList | null)?.items ?? []).map((item) => item.label);
}

test('a hover on a job shows its workers, waits and staleness', async () => {
  const { answer } = await ask(file(good.replace('all', '$0all')), 'textDocument/hover');
  const value = ((answer as Hover | null)?.contents as MarkupContent | undefined)?.value ?? '';
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

test('completion offers pipelines as workers, and ways to synchronise', async () => {
  expect(await labels('job all { workers = [$0] }')).toEqual(['first', 'second']);
  expect(await labels('job all { workers = [first, $0] }')).toEqual(['first', 'second']);
  expect(await labels('job all { workers = [first]  sync = $0 }')).toEqual(['wsp']);
  expect(await labels('job all { workers = [first]  sync = wsp($0) }')).toContain('distance');
  expect(await labels('job all { $0 }')).toEqual(['workers', 'sync', 'servers', 'link', 'waves']);
});

test('renaming a pipeline renames the worker', async () => {
  const { text, answer } = await ask(file(good.replace('[first', '[$0first')), 'textDocument/rename', {
    newName: 'fast',
  });
  expect(applyEdits(text, (answer as WorkspaceEdit | null)?.changes?.[main] ?? [])).toBe(
    text.replace('pipeline first', 'pipeline fast').replace('[first', '[fast'),
  );
});

/** The rule of exchange in the editor: what it means here, what it gives, and the hint behind it. */
import { expect, test } from 'vitest';
import type { Hover, InlayHint } from 'vscode-languageserver';
import { serverWith, shownBy } from '../../support/asked.ts';
import { main, withClient } from '../../support/server.ts';

/** A tensor takes its bytes / 10 GB/s: 1, 1 and 4 ms. A forward and a backward take 3 ms each. */
const file = (sync: string, collective = 'ring', matrix = '') => `model toy {
  layer front { forward = 1ms  backward = 1ms  weights = 10MB }
  layer mid   { forward = 1ms  backward = 1ms  weights = 10MB }
  layer back  { forward = 1ms  backward = 1ms  weights = 40MB  ${matrix} }
}
device gpu { memory = 16GiB }
cluster pair { gpu[2] = gpu  link = 10GB/s }
pipeline p {
  model = toy  devices = pair  data = 2  stages = balance(1)  microbatches = 1  schedule = 1f1b
  sync = ${sync}
  collective = ${collective}
}
`;

async function hoverOf(source: string): Promise<string> {
  let text = '';
  await serverWith(source, async (opened) => {
    text = shownBy(await opened.ask<Hover | null>('textDocument/hover'));
  });
  return text;
}

test('a preset says what it stands for, in bytes of this model, and what it gives', async () => {
  const text = await hoverOf(file('$0bytescheduler(ack = 0ms)'));
  expect(text).toContain('overlap(order = forward, partition = 1.91 MiB, credit = 7.63 MiB, barrier = false)');
  expect(text).toContain('Iteration 8 ms, bound 8 ms');
  expect(text).toMatch(/ go in 3 buckets\./);
  expect(text).toContain('waits 2 ms');
});

test('a rule that is no preset, and sizes that `best` stands for', async () => {
  expect(await hoverOf(file('$0overlap(credit = 60MB)'))).toContain('`overlap(credit = 57.2 MiB)`');
  const text = await hoverOf(file('$0overlap(order = forward, partition = best, barrier = false)'));
  expect(text).toContain('partition = best, barrier = false');
  expect(text).toMatch(/`best` stands for pieces of [\d.]+ [KM]iB/);
});

test('a collective says which layers go by what', async () => {
  const shape = 'matrix = [5000, 2000]';
  const text = await hoverOf(file('hybrid', '$0ps(servers = 2)', shape));
  expect(text).toMatch(/^- `sfb`: `back`$/m);
  expect(text).toMatch(/^- `ps`: `front`, `mid`$/m);
  expect(await hoverOf(file('wfbp', '$0ps(servers = 2)', shape))).not.toContain('`sfb`');
});

test('other names and other pipelines say nothing of it', async () => {
  expect(await hoverOf(file('overlap(order = $0forward)'))).not.toContain('Iteration');
  expect(await hoverOf(file('$0end'))).not.toContain('Here:');
});

test('behind the rule stand period and bound', () =>
  withClient(async (client) => {
    const text = file('overlap(order = forward, barrier = false, partition = 10MB, credit = 40MB)');
    client.open(main, text);
    const hints = await client.request<InlayHint[]>('textDocument/inlayHint', {
      textDocument: { uri: main },
      range: { start: { line: 0, character: 0 }, end: { line: text.split('\n').length, character: 0 } },
    });
    const [hint, ...others] = hints.filter(({ label }) => typeof label === 'string' && label.includes('bound'));
    expect(others).toEqual([]);
    expect(hint.label).toBe('10 ms, bound 8 ms');
    expect(text.split('\n')[hint.position.line].slice(0, hint.position.character)).toMatch(/credit = 40MB\)$/);
  }));

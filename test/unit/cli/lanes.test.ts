/** Lanes of a rule of exchange in the terminal: rows below their devices, and the table of gradients. */
import { describe, expect, test } from 'vitest';
import { call } from './harness.ts';

/** A tensor takes its bytes / 10 GB/s: 1, 1 and 4 ms. A forward and a backward take 3 ms each. */
const file = (sync: string, more = '') => `model toy {
  layer front { forward = 1ms  backward = 1ms  weights = 10MB }
  layer mid   { forward = 1ms  backward = 1ms  weights = 10MB }
  layer back  { forward = 1ms  backward = 1ms  weights = 40MB }
}
device gpu { memory = 16GiB }
cluster pair { gpu[2] = gpu  link = 10GB/s }
pipeline p {
  model = toy  devices = pair  data = 2  stages = balance(1)  microbatches = 1  schedule = 1f1b
  sync = ${sync}
  ${more}
}
`;

async function linesOf(text: string, columns: number): Promise<readonly string[]> {
  const { out } = await call(['simulate', 'a.pipe', '--width', String(columns)], { files: { 'a.pipe': text } });
  return out.split('\n');
}

/** 9 characters a millisecond. */
const row = (milliseconds: string): string => [...milliseconds].map((mark) => mark.repeat(9)).join('');
const drawn = (lines: readonly string[], label: string): string | undefined =>
  lines.find((line) => line.trim().startsWith(`${label} `))?.slice(10);

describe('the drawing', () => {
  test('has an optimizer step only with a barrier: without one each layer steps before its next forward', async () => {
    const steps = 'optimizer = adam(step = 2ms)';
    const without = await linesOf(file('overlap(order = forward, barrier = false)', steps), 82);
    expect(drawn(without, 'gpu[0]')).toMatch(/^F0─*B0─*·+$/);
    expect(drawn(await linesOf(file('ddp', steps), 82), 'gpu[0]')).not.toMatch(/^F0─*B0─*[·~]+$/);
  });

  test('without a barrier shows a period, and what the iteration before sends', async () => {
    // Back gets ready at 4 ms, mid at 5 ms, front at 6 ms; pieces take 1 ms. Two of back go on while the next forward runs.
    const lines = await linesOf(file('overlap(order = forward, barrier = false, partition = 10MB)'), 82);
    expect(drawn(lines, 'lane')).toBe(row('cc··cbac'));
    expect(lines).toContain('          a front  b mid  c back');
    expect(lines).toContain('          lane: exchange of gradients; a letter is the first layer of what is sent');
  });

  test('with a barrier begins with an idle lane, and shows calls', async () => {
    // From 4 ms: a call of 0.5 ms and back; then a call, mid and front as one, to 11 ms.
    const lines = await linesOf(file('ddp', 'collective = ring(call = 0.5ms)'), 10 + 11 * 12);
    const half = (marks: string): string => [...marks].map((mark) => mark.repeat(6)).join('');
    expect(drawn(lines, 'lane')).toBe(half('········-cccccccc-aaaa'));
    expect(lines.some((line) => line.endsWith('- call'))).toBe(true);
  });

  test('has no lane in which nothing is as long as a character', async () => {
    const text = file('ddp').replace('link = 10GB/s', 'link = 100TB/s');
    const lines = await linesOf(text, 82);
    expect(drawn(lines, 'gpu[0]')).toMatch(/^F/);
    expect(lines.filter((line) => /^ +lane +[·a-c]+$/.test(line))).toEqual([]);
    expect(lines.some((line) => line.includes('a front'))).toBe(false);
  });

  test('has a row for pushes and a row for pulls', async () => {
    const sync = 'overlap(order = forward, barrier = false, partition = 10MB)';
    // A piece is pulled once it has been pushed. The period is 9 ms; the last two pulls go on at its start.
    const lines = await linesOf(file(sync, 'collective = ps(servers = 2)'), 10 + 81);
    expect(drawn(lines, 'out')).toBe(row('c···cbacc'));
    expect(drawn(lines, 'back')).toBe(row('cc···cbac'));
  });

  test('has no lanes where no rule orders the exchange', async () => {
    const lines = await linesOf(file('overlap'), 82);
    expect(drawn(lines, 'lane')).toBeUndefined();
    expect(lines).not.toContain('Gradients');
  });

  test('keeps to its columns, whatever the names', async () => {
    const names = file('ddp').replaceAll('front', 'embedding_of_all_words').replaceAll('mid', 'middle'.repeat(9));
    const lines = await linesOf(names, 70);
    const ruler = lines.findIndex((line) => line.includes('|0 ms'));
    for (const line of lines.slice(ruler, lines.indexOf('Memory'))) expect(line.length, line).toBeLessThanOrEqual(70);
  });
});

test('over nodes, the exchange may go over trees, which `collective = ring` never does', async () => {
  const nodes = (more = '') =>
    file('ddp', more)
      .replace(
        'cluster pair { gpu[2] = gpu  link = 10GB/s }',
        'cluster pair { node[2] { gpu[2] = gpu  link = 100GB/s }  link = 10GB/s }',
      )
      .replace('data = 2', 'data = 4');
  const laneOf = (lines: readonly string[]) => lines.find((line) => line.startsWith('  lane    busy'));
  expect(laneOf(await linesOf(nodes(), 80))).toContain(' 57.2 MiB by ring or tree, ');
  expect(laneOf(await linesOf(nodes('collective = ring'), 80))).toContain(' 57.2 MiB by ring, ');
});

test('the table has the rule, the period against its bound, and the causes of waits', async () => {
  const bound = await linesOf(file('overlap(order = forward, barrier = false, partition = 10MB)'), 80);
  const at = bound.indexOf('Gradients');
  expect(bound.slice(at + 1, at + 5)).toEqual([
    '  rule    overlap    order forward, no barrier',
    '  period  8 ms       at its bound',
    '  lane    busy 6 ms  57.2 MiB by ring, 6 calls',
    '  waits   2 ms       gpu[0]: the layer is sent 2 ms',
  ]);
  const over = await linesOf(file('overlap(order = forward, barrier = false, partition = 10MB, credit = 40MB)'), 80);
  expect(over).toContain('  period  10 ms      25 % over the bound of 8 ms');
});

test('several lanes have their stages and devices, and the headline has all GPUs', async () => {
  const stages = file('overlap(order = forward)').replace('gpu[2]', 'gpu[4]').replace('balance(1)', 'split(1, 2)');
  const lines = await linesOf(stages, 80);
  expect(lines[0]).toContain('2 devices for 4 GPUs · 1 microbatch');
  expect(lines.filter((line) => line.startsWith('  lane'))).toEqual([
    expect.stringContaining('s0 on gpu[0]: 9.54 MiB by'),
    expect.stringContaining('s1 on gpu[2]: 47.7 MiB by'),
  ]);
});

test('without a barrier, the sentence of the longest wait for gradients says what the lane sends meanwhile', async () => {
  const waits = async (sync: string) =>
    (await linesOf(file(sync), 80)).filter((line) => line.includes('waits for the'));
  // Back is sent from 4 to 8 ms, mid to 9 ms and front to 10 ms; the device has ended at 6 ms.
  expect(await waits('overlap(barrier = false)')).toEqual([
    '  gpu[0] waits 4 ms. 0F0 of the next iteration waits for the gradients of front. From the moment at which 0B0 has made the gradients of back, this takes 6 ms: 6 ms of it on the lane of gpu[0].',
  ]);
  expect(await waits('overlap')).toEqual([]);
});

test('of all devices, the one that waits longest for gradients has the sentence', async () => {
  const stages = file('overlap(barrier = false)').replace('gpu[2]', 'gpu[4]').replace('balance(1)', 'split(1, 2)');
  // The back stage ends at 5 ms and begins again at 9 ms; the front stage waits from 7 to 8 ms.
  expect((await linesOf(stages, 80)).filter((line) => line.includes('waits for the'))).toEqual([
    expect.stringMatching(/^ {2}gpu\[2\] waits 4 ms\. 1F0 of the next iteration waits for the gradients of mid\. /),
  ]);
});

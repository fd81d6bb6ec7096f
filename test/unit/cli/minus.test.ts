/** Every figure that a person reads has the typographic minus; data and files have the hyphen. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { bytes, iterationTime, numbered, share, show, time, timeChange } from '../../../engine/basics/quantities.ts';
import { analyseExample } from '../../support/analyse.ts';
import { sleepingPlan } from '../../support/sleepingPlan.ts';
import { filesOf, folder } from '../runs/traces.ts';
import { call, repository } from './harness.ts';

/** A hyphen before a figure, where no word, figure or option ends. What a file writes is quoted, or has a bar before it. */
const hyphens = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => !/^\s*\d* \|/.test(line) && /(?<![\w.)\]-])-\d/.test(line.replaceAll(/"[^"]*"|`[^`]*`/g, '…')));

const examples = path.join(repository, 'examples');
const names = readdirSync(examples).filter((name) => name.endsWith('.pipe'));
const files = Object.fromEntries(names.map((name) => [name, readFileSync(path.join(examples, name), 'utf8')]));

/** The fast ones: they have gains, losses and changes of each kind. */
const walked = ['quickstart', 'custom-schedule', 'data-parallel', 'offload', 'lora-ethernet', 'nvlink-hops'];

test('a hyphen would be seen', () => {
  expect(hyphens('host -474 ns\n   12 | x = -3ms\n  of 0-3, --scale, zb-1, −2 %, "step -1"\n  (-2.4 %)')).toEqual([
    'host -474 ns',
    '  (-2.4 %)',
  ]);
});

test.each(walked)('%s', async (name) => {
  for (const [command, ...args] of [['simulate'], ['compare', '--schedules', 'gpipe,1f1b']]) {
    const { out, err } = await call([command, `${name}.pipe`, ...args], { files });
    expect(hyphens(out + err)).toEqual([]);
  }
});

test('messages of mistakes', () => {
  const messages = analyseExample('broken.pipe').findings.map(({ message }) => message);
  expect(messages.length).toBeGreaterThan(50);
  expect(hyphens(messages.join('\n'))).toEqual([]);
});

describe('a recorded run that is faster and slower than planned', () => {
  const runs = filesOf('sleep_zbv_p4').map((file) => path.join(folder, file));
  const world = { disk: true, files: { 'plan.pipe': sleepingPlan(8, 4, 'v_half') } } as const;

  test.each(['compare', 'calibrate'])('%s', async (command) => {
    const { out, err } = await call([command, 'plan.pipe', '--with', ...runs], world);
    const said = command === 'compare' ? out : err;
    expect(said).toMatch(/−\d/);
    expect(hyphens(said)).toEqual([]);
  });

  test('its data has the hyphen', async () => {
    const { out } = await call(['compare', 'plan.pipe', '--with', ...runs, '--format', 'json'], world);
    expect(out).toMatch(/:-\d/);
    expect(out).not.toContain('−');
    expect(() => JSON.parse(out) as unknown).not.toThrow();
  });
});

test('no other code writes a sign: they cannot differ', () => {
  const rooms = ['engine', 'cli', 'server', 'platform', 'client', 'webview'];
  const sources = rooms.flatMap((room) =>
    readdirSync(path.join(repository, room), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'))
      .map((file) => path.join(room, file)),
  );
  const own = sources.filter((file) => /['"`]−['"`]/.test(readFileSync(path.join(repository, file), 'utf8')));
  // The second reads a number of a message back.
  expect(own.toSorted()).toEqual(['engine/basics/quantities.ts', 'engine/fixes/repairs/range.ts']);
});

test('each formatter writes it', () => {
  const written = [
    [time(-474e-9), '−474 ns'],
    [time(-2.5), '−2.5 s'],
    [iterationTime(-0.0024), '−2.4 ms'],
    [timeChange(-474e-9), '−474 ns'],
    [timeChange(0.012), '+12 ms'],
    [timeChange(-1e-12), '0 ms'],
    [bytes(-3 * 2 ** 20), '−3 MiB'],
    [share(-0.024), '−2.4 %'],
    [share(1e-5, true), '0 %'],
    [show(-3, 'number'), '−3'],
    [show(-0.5, 'share'), '−50 %'],
    [show(-2e9, 'bandwidth'), '−2 GB/s'],
    [numbered([2], 'stage', 'stages'), 'stage 2'],
    [numbered([2, 5], 'stage', 'stages'), 'stages 2 and 5'],
  ] as const;
  for (const [text, wanted] of written) expect(text).toBe(wanted);
});

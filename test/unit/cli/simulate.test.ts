import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import * as fc from '../../support/property.ts';
import picocolors from 'picocolors';
import { beforeAll, describe, expect, test } from 'vitest';
import { memoryBar, memoryKinds } from '../../../cli/drawing/memoryBar.ts';
import { csv } from '../../../cli/output/csv.ts';
import type { DeviceReport, Report } from '../../../engine/values/report.ts';
import { bytes, share, time } from '../../../engine/basics/quantities.ts';
import { builtCommand } from '../../support/builtCommand.ts';
import { call, good, repository } from './harness.ts';
import { equal, runOf } from './drawn.ts';

const files = { 'a.pipe': good };
const two = `${good}pipeline again { model = toy  devices = box  microbatches = 4  stages = balance(4)  schedule = gpipe }\n`;

describe('stages that send nothing', () => {
  const textOf = async (text: string): Promise<string> =>
    (await call(['simulate', 'a.pipe'], { files: { 'a.pipe': text } })).out;
  const note =
    '  s0 sends 0 B to s1, like 2 other pairs of stages: write in its layers what one microbatch passes on, such as output = 16MiB.\n';

  test('are named, with what to write, also where no link is listed', async () => {
    expect(await textOf(good)).toContain(note);
    expect(await textOf(good.replace('+ 5us', '+ 0us'))).toContain(`\nLinks\n${note}`);
  });

  test('are no stages whose layers say their output, that share a device, or that no file has', async () => {
    for (const text of [
      good.replace('activation =', 'output = 1MiB  activation ='),
      good.replace('gpu[4]', 'gpu[1]').replace('balance(4)', 'balance(1)'),
    ])
      expect(await textOf(text)).not.toContain(' sends 0 B');
    const unit = ['simulate', 'a.pipe', '--schedule', '1f1b', '--devices', '2', '--microbatches', '4'];
    expect((await call(unit, { files })).out).not.toContain(' sends 0 B');
  });
});

describe('simulate', () => {
  test('the text says the figures of the report', async () => {
    const text = await call(['simulate', 'a.pipe'], { files });
    const { out } = await call(['simulate', 'a.pipe', '--format', 'json'], { files });
    const [pipeline] = JSON.parse(out).pipelines;
    expect(text.status).toBe(0);
    for (const figure of [
      time(pipeline.iteration, 4),
      share(pipeline.bubble.makespan),
      share(pipeline.bubble.bound),
      bytes(pipeline.devices[0].peak),
      bytes(pipeline.devices[0].capacity),
    ])
      expect(text.out).toContain(figure);
  });

  test('stages show their parameters, and how many train', async () => {
    const text = `device gpu { memory = 80GiB  compute = 100TFLOPS  bandwidth = 1TB/s }
cluster box { gpu[2] = gpu  link = 25GB/s }
model whole { sequence = 64  layer map[4] = linear(inputs = 1000, outputs = 1000, bias = false) }
model tuned { from = whole  frozen = map[0] }
pipeline p { model = tuned  devices = box  microbatches = 4  stages = balance(2)  schedule = 1f1b }
`;
    const { out } = await call(['simulate', '-'], { files: { '-': text } });
    const { out: json } = await call(['simulate', '-', '--format', 'json'], { files: { '-': text } });
    const rows = out.split('\n').filter((line) => line.includes(' parameters'));
    expect(JSON.parse(json).pipelines[0].stages.map(({ layers }: { layers: string[] }) => layers.length)).toEqual([
      2, 2,
    ]);
    expect(rows[0]).toMatch(/^ {2}s0 .* 2 M parameters \(1 M train\)$/);
    expect(rows[1]).toMatch(/^ {2}s1 .* 2 M parameters$/);
    const without = good.replace(/weights = [^ ]+/, '');
    expect((await call(['simulate', '-'], { files: { '-': without } })).out).not.toContain(' parameters');
  });

  test('the fullest device is told item by item, at the moment of its peak', async () => {
    const text = good.replace(/memory = \d+GiB[^}]*/, 'memory = 16GiB  reserved = framework ').replace(' + 5us', '');
    const { out } = await call(['simulate', '-'], { files: { '-': text } });
    // Two layers of 256 MiB and 512 MiB on each of four devices; the fourth forward of 8 ms ends the warm-up of the first.
    expect(out).toContain(
      'gpu[0] at 32 ms (0F3): weights 512 MiB, gradients 512 MiB, activations 4 GiB (4 microbatches in flight); 2 GiB are reserved: context 1.5 GiB, communicators 512 MiB\n',
    );
  });

  test('equal stages under 1F1B: iteration and bubble are the closed forms', async () => {
    const exact = good.replace(' + 5us', ' + 0us');
    const [pipeline] = JSON.parse(
      (await call(['simulate', '-', '--format=json'], { files: { '-': exact } })).out,
    ).pipelines;
    const [p, m, F, B] = [4, 8, 0.008, 0.016];
    expect(pipeline.iteration).toBeCloseTo((m + p - 1) * (F + B), 12);
    expect(pipeline.bubble.makespan).toBeCloseTo((p - 1) / (m + p - 1), 12);
    expect(pipeline.devices.map((device: { in_flight: number }) => device.in_flight)).toEqual([4, 3, 2, 1]);
  });

  test('--pipeline judges one pipeline: what is wrong with another is not its fault', async () => {
    const wrong = `${two}expect again { bubble < 0% }\n`;
    const simulated = (text: string, name: string) =>
      call(['simulate', 'a.pipe', '--pipeline', name], { files: { 'a.pipe': text } });
    const again = await simulated(wrong, 'again');
    expect(again.status).toBe(1);
    expect(again.out).toContain('error[expect/failed]');
    const [first = ''] = /(?<=^pipeline )\w+/m.exec(good) ?? [];
    const other = await simulated(wrong, first);
    expect(other).toMatchObject({ status: 0, err: '' });
    expect(other.out).not.toContain('expect/failed');
    // What nobody can simulate is in a block of the other one.
    expect((await simulated(two.replace('schedule = gpipe', 'schedule = nothing'), first)).status).toBe(0);
    // What is wrong with the file is wrong with each of its pipelines.
    expect((await simulated(`${two}param x =\n`, first)).status).toBe(1);
  });

  test('--set gives an argument of the schedule another value, under the name of its pipeline', async () => {
    const files = { 'a.pipe': good.replace(/schedule( *)= \w+/, 'schedule$1= dapple') };
    const limited = (value: string) =>
      call(['simulate', 'a.pipe', '--format=json', '--set', `train.policy=${value}`], { files });
    const written = { 'a.pipe': good.replace(/schedule( *)= \w+/, 'schedule$1= dapple(policy = b)') };
    const { out } = await call(['simulate', 'a.pipe', '--format=json'], { files: written });
    const parsed = (text: string) => JSON.parse(text).pipelines;
    expect(parsed((await limited('1')).out)).toEqual(parsed(out));
    expect((await limited('2')).err).toContain('"train.policy" is 2; it must be from 0 to 1.');
    expect((await limited('0.5')).err).toContain('0 is a, 1 is b');
  });
  test('--set gives a param that an import sets another value', async () => {
    const text = `import { dgx_h100 } from "std:clusters" with { nodes = 2 }
model m { layer a[64] { forward = 1ms  backward = 2ms } }
pipeline p { model = m  devices = dgx_h100  microbatches = 4  stages = balance  schedule = 1f1b }
`;
    const simulated = (...more: readonly string[]) =>
      call(['simulate', 'a.pipe', '--format=json', ...more], { files: { 'a.pipe': text } });
    const devices = async (...more: readonly string[]) =>
      (JSON.parse((await simulated(...more)).out) as Report).pipelines[0]?.devices.length;
    expect(await devices()).toBe(16);
    expect(await devices('--set', 'dgx_h100.nodes=3')).toBe(24);
    expect((await simulated('--set', 'dgx_h100.nodes=4096')).err).toContain('it must be from 1 to 2048');
    expect((await simulated('--set', 'dgx_h100.node=4')).err).toContain('Did you mean "dgx_h100.nodes"?');
  });

  test('--set gives a param another value', async () => {
    const args = ['simulate', 'a.pipe', '--format=json', '--set', 'microbatches=16'];
    const [pipeline] = JSON.parse((await call(args, { files })).out).pipelines;
    expect(pipeline.microbatches).toBe(16);
  });

  test('--pipeline chooses one of several, and csv asks for it', async () => {
    const world = { files: { 'a.pipe': two } };
    const names = async (...more: string[]) =>
      JSON.parse((await call(['simulate', 'a.pipe', '--format=json', ...more], world)).out).pipelines.map(
        (pipeline: { name: string }) => pipeline.name,
      );
    expect(await names()).toEqual(['train', 'again']);
    expect(await names('--pipeline', 'again')).toEqual(['again']);
    const refused = await call(['simulate', 'a.pipe', '--format=csv'], world);
    expect([refused.status, refused.out]).toEqual([2, '']);
    expect(refused.err).toContain('train and again');
    expect((await call(['simulate', 'a.pipe', '--format=csv', '--pipeline=again'], world)).status).toBe(0);
  });

  test('a file with a mistake shows it instead of figures and exits with 1', async () => {
    const broken = good.replace('1f1b', '1f1c');
    const { status, out } = await call(['simulate', '-'], { files: { '-': broken } });
    expect(status).toBe(1);
    expect(out).toContain('error[name/unknown]');
    expect(out).toContain('Nothing was simulated');
  });

  test('an expectation that fails exits with 1, figures and all', async () => {
    const strict = `${good}expect train { bubble < 1% }\n`;
    const { status, out } = await call(['simulate', '-'], { files: { '-': strict } });
    expect(status).toBe(1);
    expect(out).toContain('Iteration');
    expect(out).toContain('error[expect/failed]');
  });

  test('tables on a narrow terminal are cut, lose nothing and fit', async () => {
    // With an output, or a sentence would follow the links.
    const sent = { 'a.pipe': good.replace('activation =', 'output = 1MiB  activation =') };
    const sections = async (width: number) => {
      const { out } = await call(['simulate', 'a.pipe', '--width', String(width)], { files: sent });
      const lines = out.split('\n');
      return ['Stages', 'Links'].flatMap((title) => {
        const from = lines.indexOf(title) + 1;
        const rest = lines.slice(from);
        return rest.slice(
          0,
          rest.findIndex((line) => line !== '' && !line.startsWith('  ')),
        );
      });
    };
    const [narrow, wide] = [await sections(40), await sections(200)];
    expect(Math.max(...wide.map((line) => line.length))).toBeGreaterThan(40);
    expect(Math.max(...narrow.map((line) => line.length))).toBeLessThanOrEqual(40);
    const cells = (lines: readonly string[]) =>
      new Set(lines.flatMap((line) => line.trim().split(/ {2,}/)).filter((cell) => cell !== ''));
    expect(cells(narrow)).toEqual(cells(wide));
    // Wider ones are as they were: a log of a job has no terminal.
    expect(await sections(80)).toEqual(wide);
  });

  test('no line of a drawing is wider than --width', async () => {
    for (const width of [40, 80, 200]) {
      const { out } = await call(['simulate', 'a.pipe', '--width', String(width)], { files });
      const rows = out.split('\n').filter((line) => /^ {2}gpu\[\d\] {2}[FB·]/.test(line));
      expect(rows).toHaveLength(4);
      for (const row of rows) expect(row.length).toBeLessThanOrEqual(width);
    }
  });
});

test('operations without time between transfers that take some: the drawing is idle, and its scale is a time', async () => {
  const still = good.replaceAll(/(forward|backward) = \d+ms/g, '$1 = 0ms');
  const { status, out } = await call(['simulate', 'a.pipe', '--width', '60'], { files: { 'a.pipe': still } });
  expect(status).toBe(0);
  expect(out).toMatch(/^ {2}gpu\[0\] {2}·+$/m);
  expect(out).toMatch(/a character is [\d.]+ [nµ]s and shows what runs in most of it/);
});

test('csv has one row an operation, with the start and end of the timeline', () => {
  const run = runOf({ ...equal('zb_h1', 3, 5, [2, 3, 1]), latency: 0.25 });
  const [head, ...rows] = [...csv(run)].join('').trimEnd().split('\r\n');
  expect(head).toBe('device,stage,kind,microbatch,start,end');
  expect(rows).toHaveLength(3 * 3 * 5);
  const seen = new Set(rows.map((row) => row.split(',').slice(0, 4).join(',')));
  expect(seen.size).toBe(rows.length);
  const seconds = { F: 2, I: 3, W: 1 };
  const last = Math.max(...rows.map((row) => Number(row.split(',')[5])));
  expect(last).toBe(run.timeline.makespan);
  for (const row of rows) {
    const [device, stage, kind, , start, end] = row.split(',');
    expect(device).toBe(`gpu[${stage.slice(1)}]`);
    expect(Number(end) - Number(start)).toBeCloseTo(seconds[kind as keyof typeof seconds], 12);
  }
});

test('a memory bar fills the share of the capacity that the peak takes, to a character', () => {
  const amounts = fc.array(fc.integer({ min: 0, max: 1000 }), {
    minLength: memoryKinds.length,
    maxLength: memoryKinds.length,
  });
  fc.assert(
    fc.property(
      amounts,
      fc.integer({ min: 1, max: 9000 }),
      fc.integer({ min: 1, max: 60 }),
      (sizes, capacity, cells) => {
        const memory = { reserved: 0, ...Object.fromEntries(memoryKinds.map((kind, index) => [kind, sizes[index]])) };
        const peak = sizes.reduce((sum, size) => sum + size, 0);
        const device = { memory, peak, capacity } as DeviceReport;
        const bar = memoryBar(device, cells, picocolors.createColors(false));
        const full = [...bar].filter((character) => character === '█').length;
        expect(bar).toHaveLength(cells);
        expect(Math.abs(full - Math.min(cells, (cells * peak) / capacity))).toBeLessThanOrEqual(0.5 + 1e-9);
      },
    ),
  );
});

describe('the program itself', () => {
  let main = '';
  beforeAll(async () => {
    main = await builtCommand();
  });
  const quickstart = join(repository, 'examples', 'quickstart.pipe');

  test('runs, reads standard input and exits as it should', () => {
    const out = execFileSync(process.execPath, [main, 'simulate', '-'], { input: good, encoding: 'utf8' });
    expect(out).toContain('train');
    expect(() =>
      execFileSync(process.execPath, [main, 'check', '-'], { input: '}', stdio: ['pipe', 'pipe', 'pipe'] }),
    ).toThrow(expect.objectContaining({ status: 1 }));
  });

  test('a reader that goes away is no error', async () => {
    const child = spawn(process.execPath, [main, 'simulate', quickstart, '--format=csv', '--set', 'microbatches=64']);
    let err = '';
    child.stderr.on('data', (data: Buffer) => (err += data.toString()));
    child.stdout.destroy();
    const [status] = (await once(child, 'close')) as [number];
    expect([status, err]).toEqual([0, '']);
  });
});

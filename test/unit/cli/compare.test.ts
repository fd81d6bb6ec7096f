import * as fc from '../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { splitList } from '../../../cli/splitList.ts';
import type { PipelineReport } from '../../../engine/values/report.ts';
import { isValue } from '../../../engine/advice/compare.ts';
import { policies } from '../../../engine/policies/registry.ts';
import { runOf } from '../../support/analyse.ts';
import { call, good } from './harness.ts';

const exact = good.replace(' + 5us', ' + 0us');
const two = `${exact}pipeline again { model = toy  devices = box  microbatches = 4  stages = balance(4)  schedule = gpipe }\n`;
const files = { 'a.pipe': exact, 'two.pipe': two };

interface Row {
  readonly file: string;
  readonly pipeline: string;
  readonly schedule: string;
  readonly report?: PipelineReport;
  readonly cut?: { readonly stages: number; readonly text?: string; readonly instead?: string };
  readonly problem?: { readonly code: string; readonly message: string };
}

async function rowsOf(args: readonly string[], own: Readonly<Record<string, string>> = files): Promise<readonly Row[]> {
  const { out } = await call(['compare', ...args, '--format', 'json'], { files: own });
  const answer = JSON.parse(out) as { readonly version: number; readonly rows: readonly Row[] };
  expect(answer.version).toBe(1);
  return answer.rows;
}

async function simulated(text: string, ...more: readonly string[]): Promise<readonly PipelineReport[]> {
  const { out } = await call(['simulate', '-', '--format', 'json', ...more], { files: { '-': text } });
  return (JSON.parse(out) as { readonly pipelines: readonly PipelineReport[] }).pipelines;
}

const under = (text: string, schedule: string): string =>
  text.replace('schedule     = 1f1b', `schedule     = ${schedule}`);

describe('compare', () => {
  test('gives all pipelines of several files the reports that simulate gives', async () => {
    const rows = await rowsOf(['a.pipe', 'two.pipe']);
    expect(rows.map((row) => `${row.file} ${row.pipeline} ${row.schedule}`)).toEqual([
      'a.pipe train 1f1b',
      'two.pipe train 1f1b',
      'two.pipe again gpipe',
    ]);
    expect(rows.map((row) => row.report)).toEqual([...(await simulated(exact)), ...(await simulated(two))]);
  });

  test('a pipeline of measured layers has no MFU: an empty cell in csv and a dash in text', async () => {
    const text = `device card { memory = 80GiB  compute = 100TFLOPS  bandwidth = 1TB/s }
cluster box { gpu[2] = card  link = 25GB/s }
model measured { layer block[2] { forward = 4ms  backward = 8ms } }
model derived { sequence = 128  micro_batch = 1  layer block[2] = transformer(hidden = 512, heads = 8) }
pipeline plain { model = measured  devices = box  microbatches = 4  stages = balance(2)  schedule = 1f1b }
pipeline shaped { model = derived  devices = box  microbatches = 4  stages = balance(2)  schedule = 1f1b }
`;
    const { out } = await call(['compare', 'm.pipe', '--format', 'csv'], { files: { 'm.pipe': text } });
    const [head, ...rows] = out.trimEnd().split('\r\n');
    const at = head.split(',').indexOf('mfu');
    const cells = rows.map((row) => row.split(',')[at]);
    expect(cells[0]).toBe('');
    expect(Number(cells[1])).toBeGreaterThan(0);
    const shown = (await call(['compare', 'm.pipe'], { files: { 'm.pipe': text }, columns: 240 })).out.split('\n');
    expect(shown[0]).toContain('MFU');
    expect(shown.find((line) => line.includes('plain'))).toContain('–');
  });

  test('says of a schedule with operations that others leave them out', async () => {
    const own = `${exact}
schedule mine { operation loss { after(j) = F[j] }  row(d) = each(j in 0..<microbatches, F[j], loss[j], B[j]) }`;
    const words = 'mine sets operations or durations, which other schedules leave out.';
    expect(
      (await call(['compare', 'a.pipe', '--schedules', '1f1b, mine'], { files: { 'a.pipe': own } })).out,
    ).toContain(words);
    const alone = await call(['compare', 'a.pipe', '--schedules', 'mine'], { files: { 'a.pipe': own } });
    expect(alone.out).not.toContain(words);
  });

  test('--schedules gives the report of the file with that schedule in it', async () => {
    const schedules = ['gpipe', '1f1b', 'zb_h1', 'zb_h2'];
    const rows = await rowsOf(['a.pipe', '--schedules', schedules.join(', '), '--set', 'microbatches=6']);
    for (const [at, schedule] of schedules.entries()) {
      const [report] = await simulated(under(exact, schedule), '--set', 'microbatches=6');
      const cut = { stages: 4, text: 'balance(4)' };
      // Megatron and DeepSpeed have 1F1B, and tables of PyTorch all of these.
      const runs = schedule === '1f1b' ? ['Megatron', 'torchtitan', 'PyTorch', 'DeepSpeed'] : ['torchtitan', 'PyTorch'];
      expect(rows[at]).toEqual({ file: 'a.pipe', pipeline: 'train', schedule, cut, report, runs_on: runs });
    }
  });

  test('equal stages: iteration and microbatches in flight are the closed forms', async () => {
    const [gpipe, oneFOneB] = await rowsOf(['a.pipe', '--schedules', 'gpipe,1f1b']);
    const [p, m, F, B] = [4, 8, 0.008, 0.016];
    const most = (row: Row) => Math.max(...(row.report?.devices.map((device) => device.in_flight) ?? []));
    for (const row of [gpipe, oneFOneB]) expect(row.report?.iteration).toBeCloseTo((m + p - 1) * (F + B), 12);
    expect([most(gpipe), most(oneFOneB)]).toEqual([m, p]);
  });

  test('a schedule that cannot be says why and leaves the others alone', async () => {
    const list = 'gpipe, interleaved_1f1b(chunks = 3), nonsense, 1f1b';
    const rows = await rowsOf(['a.pipe', '--schedules', list]);
    expect(rows.map((row) => row.problem?.code)).toEqual([undefined, 'stage/device-count', 'name/unknown', undefined]);
    const { status, out } = await call(['compare', 'a.pipe', '--schedules', list], { files });
    expect(status).toBe(1);
    expect(out).toMatch(/^Cannot run\n {2}interleaved_1f1b\(chunks = 3\): stage\/device-count: /m);
  });

  test('a file without a pipeline that can be read is named by its path', async () => {
    const { status, out } = await call(['compare', 'broken.pipe'], { files: { 'broken.pipe': 'pipeline {' } });
    expect(status).toBe(1);
    expect(out).toMatch(/^Cannot run\n {2}broken\.pipe: syntax\//);
  });

  test('the devices of a row are cut in a terminal only', async () => {
    const wide = Array.from({ length: 40 }, (_, index) => `  stage s${index} { layers = block[${index}] }\n`).join('');
    const text = `device small { memory = 16GiB }\ncluster box { gpu[40] = small  link = 25GB/s + 5us }
model toy { layer block[40] { forward = 1ms  backward = 2ms  activation = 512MiB } }
pipeline train {\n  model = toy  devices = box  microbatches = 40  schedule = 1f1b\n${wide}}\n`;
    const listed = async (terminal: boolean) => {
      const { out } = await call(['compare', 'wide.pipe'], { files: { 'wide.pipe': text }, terminal, columns: 80 });
      return out.split('\n').find((line) => line.includes('20 GiB,')) ?? '';
    };
    expect(await listed(true)).toMatch(/…$/);
    expect((await listed(false)).match(/GiB|MiB/g)).toHaveLength(40);
  });

  test('rules of exchange: what devices wait for gradients, no bound that excludes nothing, no list of one device', async () => {
    // Two ranks on 10 GB/s: the last layer takes 4 ms, after 6 ms of compute or between its backward and its next forward.
    const layer = (name: string, size: number) =>
      `layer ${name} { forward = 1ms  backward = 1ms  weights = ${size}MB }`;
    const pair = `model toy { ${layer('front', 0)} ${layer('mid', 0)} ${layer('back', 40)} }
device gpu { memory = 16GiB }
cluster pair { gpu[2] = gpu  link = 10GB/s }
pipeline two { model = toy  devices = pair  microbatches = 1  stages = balance(1)  data = 2  schedule = 1f1b }
`;
    const asked = ['compare', 'p.pipe', '--sync', 'end,overlap(order = forward,barrier = false)'];
    const { out } = await call(asked, { files: { 'p.pipe': pair }, columns: 240 });
    const [head, end, forward] = out.split('\n').map((line) => line.trim().split(/ {2,}/));
    const at = (title: string) => head.indexOf(title) + 1;
    expect([end[at('gradients')], end[at('bound')]]).toEqual(['40 %', '40 %']);
    expect(forward[at('bound')]).toBe('–');
    expect(out).toContain('gradients: of these, the share for gradients');
    expect(out).toMatch(/in all rows: span bubble 0 %, peak memory \S+ MiB gpu\[0\], in flight 1\n/);
    expect(end[at('exposed')]).toBe(end[at('gradients')]);
    expect(forward[at('exposed')]).toBe(forward[at('gradients')]);
    expect(head).not.toContain('peak memory');
    expect(out).not.toContain('Peak memory by device');
    const csv = (await call([...asked, '--format', 'csv'], { files: { 'p.pipe': pair } })).out.split('\r\n');
    const cell = csv[1].split(',')[csv[0].split(',').indexOf('exposed_gradients')];
    expect(Number(cell)).toBeCloseTo(0.4, 12);
    const ofAll = (name: string) => Number(csv[1].split(',')[csv[0].split(',').indexOf(name)]);
    expect([ofAll('exposed_communication'), ofAll('exposed_transfers')]).toEqual([Number(cell), 0]);
    const served = (await call(['compare', 'p.pipe', '--sync', 'ddp,wfbp'], { files: { 'p.pipe': pair } })).out;
    expect(served).toContain('servers: machines in addition to the devices, through which gradients go');
    expect(out).not.toContain('servers');
    const alone = (await call(['compare', 'a.pipe'], { files })).out;
    expect(alone).not.toContain('gradients:');
  });

  test('rules and collectives without effect say so, and servers that come in addition', async () => {
    const text = (optimizer: string) => `device card { memory = 80GiB  compute = 300TFLOPS  bandwidth = 2TB/s }
cluster box { gpu[4] = card  link = 25GB/s }
model m { sequence = 512  layer l[4] = transformer(hidden = 1024, heads = 8) }
pipeline p { model = m  devices = box  data = 2  microbatches = 8  stages = balance(2)  schedule = 1f1b  optimizer = ${optimizer} }
`;
    const shown = async (optimizer: string, sync: string, collective: string, ...more: readonly string[]) => {
      const asked = ['compare', 'p.pipe', '--sync', sync, '--collective', collective, ...more];
      return (await call(asked, { files: { 'p.pipe': text(optimizer) }, columns: 300 })).out;
    };
    const shared = await shown('adam_mixed(shard = fsdp)', 'end,overlap', 'ring,ps');
    expect(shared).toContain('Without effect\n  end · ring and end · ps: "collective" has no effect here: ');
    expect(shared).toContain('  overlap · ring and overlap · ps: "sync" has no effect here: ');
    expect(shared).not.toContain('servers');
    const json = await shown('adam_mixed(shard = fsdp)', 'overlap', 'ring', '--format', 'json');
    const [{ idle }] = (JSON.parse(json) as { rows: { idle?: string[] }[] }).rows;
    expect(idle).toEqual([expect.stringContaining('"sync" has no effect here')]);
    const whole = await shown('adam_mixed', 'overlap,hybrid', 'ring,ps');
    expect(whole).toContain('hybrid · ring: "hybrid" has no effect here: `collective = ring` sends all layers alike');
    expect(whole).not.toContain('overlap · ring: ');
    expect(whole).toContain('servers: machines in addition to the devices, through which gradients go');
    const counts = async (optimizer: string, sync: string, collective: string): Promise<readonly string[]> => {
      const [head, ...rows] = (await shown(optimizer, sync, collective, '--format', 'csv')).trim().split('\r\n');
      const at = head.split(',').indexOf('servers');
      return rows.map((row) => row.replaceAll(/"[^"]*"/gu, '').split(',')[at]);
    };
    // Two stages of two ranks, and two servers for each stage unless the row says how many.
    expect(await counts('adam_mixed', 'overlap', 'ring,ps,ps(servers = 1)')).toEqual(['0', '4', '2']);
    expect(await counts('adam_mixed', 'overlap', 'ring,ps(colocated = true)')).toEqual(['0', '0']);
    expect(await counts('adam_mixed(shard = fsdp)', 'end', 'ps')).toEqual(['0']);
    expect(await shown('adam_mixed', 'overlap', 'ring,nccl')).not.toContain('servers');
  });

  test('peaks by device that are the same in all rows are listed once', async () => {
    const { out } = await call(['compare', 'a.pipe', '--schedules', '1f1b,dapple', '--pipeline', 'train'], { files });
    expect(out).toMatch(/Peak memory by device\n {2}all rows {2}\S+ GiB/);
    const { out: differ } = await call(['compare', 'a.pipe', '--schedules', '1f1b,gpipe'], { files });
    expect(differ).toMatch(/Peak memory by device\n {2}1f1b .*\n {2}gpipe /);
  });

  test('numbers that a policy does not take are told in its own words', async () => {
    const [{ problem }] = await rowsOf(['a.pipe', '--schedules', 'pipeswitch']);
    expect(problem?.code).toBe('schedule/shape');
    const eight = exact.replace('balance(4)', 'balance(8)');
    const odd = under(eight, 'interleaved_1f1b(chunks = 2)');
    const world = { 'a.pipe': odd };
    const args = ['a.pipe', '--schedules', 'interleaved_1f1b(chunks = 2, group = 3)', '--set', 'microbatches=7'];
    const [refused] = await rowsOf(args, world);
    const { out } = await call(['check', 'b.pipe', '--format', 'json'], {
      files: {
        'b.pipe': odd
          .replace('chunks = 2', 'chunks = 2, group = 3')
          .replace('microbatches = 8 in', 'microbatches = 7 in'),
      },
    });
    const [file] = (JSON.parse(out) as { files: { findings: { code: string; message: string }[] }[] }).files;
    const told = file.findings.find(({ code }) => code === 'schedule/shape');
    expect(refused.problem?.message).toBe(told?.message);
  });

  test('cuts again for the same devices: each row is the file with that schedule and that cut', async () => {
    const names = policies.map(({ name }) => name);
    for (const stages of [4, 8]) {
      const base = under(exact.replace('balance(4)', `balance(${stages})`), stages === 4 ? '1f1b' : 'zb_v');
      const rows = await rowsOf(['a.pipe', '--schedules', names.join(',')], { 'a.pipe': base });
      expect(rows.map((row) => row.schedule)).toEqual(names);
      const again = rows.filter(({ cut }) => cut?.instead !== undefined);
      expect(again.length).toBeGreaterThan(3);
      for (const { schedule, report, cut } of again) {
        expect(cut).toEqual({ stages: 12 - stages, text: `balance(${12 - stages})`, instead: `balance(${stages})` });
        const text = under(exact, schedule).replace('balance(4)', cut?.text ?? '');
        // As data holds it.
        expect(JSON.parse(JSON.stringify(runOf(text).run.report))).toEqual(report);
        expect(report?.devices.map(({ name }) => name)).toEqual(['gpu[0]', 'gpu[1]', 'gpu[2]', 'gpu[3]']);
      }
    }
  });

  test('cuts again for more chunks than a schedule without a number is tried with', async () => {
    const deep = exact.replace('block[8]', 'block[36]');
    const rows = await rowsOf(['a.pipe', '--schedules', '1f1b, interleaved_1f1b(chunks = 9)'], { 'a.pipe': deep });
    expect(rows.map(({ cut }) => cut?.text)).toEqual(['balance(4)', 'balance(36)']);
    // F = 4 ms and B = 8 ms of each layer: nine layers on each device, each a chunk.
    const [F, B, p, m, v] = [0.036, 0.072, 4, 8, 9];
    expect(rows[0].report?.iteration).toBeCloseTo((m + p - 1) * (F + B), 12);
    expect(rows[1].report?.iteration).toBeCloseTo((m + (p - 1) / v) * (F + B), 12);
  });

  test('keeps what a cut weighs, and says what it replaces', async () => {
    const cutBy = async (cut: string, schedule: string) => {
      const world = { 'a.pipe': exact.replace('stages       = balance(4)', cut) };
      const [row] = await rowsOf(['a.pipe', '--schedules', schedule], world);
      return row.cut ?? row.problem?.message;
    };
    const two = 'interleaved_1f1b(chunks = 2)';
    expect(await cutBy('stages = balance(stages = 4, by = memory)', two)).toEqual({
      stages: 8,
      text: 'balance(stages = 8, by = memory)',
      instead: 'balance(stages = 4, by = memory)',
    });
    expect(await cutBy('stages = split(3, 2, 2, 1)', two)).toEqual({
      stages: 8,
      text: 'balance(8)',
      instead: 'split(3, 2, 2, 1)',
    });
    const blocks = [0, 1, 2, 3].map((at) => `stage s${at} { layers = block[${2 * at}..${2 * at + 1}] }`).join('\n  ');
    expect(await cutBy(blocks, two)).toEqual({ stages: 8, text: 'balance(8)', instead: '4 stage blocks' });
    expect(await cutBy(blocks, 'gpipe')).toEqual({ stages: 4 });
    // What a block says of its layers cannot be said of others.
    const special = blocks.replaceAll(' {', ' { recompute = none ');
    expect(await cutBy(special, two)).toMatch(
      /It is not cut again: stage "s0" sets "recompute", which a new cut would lose\.$/,
    );
  });

  test('refuses chunks for stages that say their devices', async () => {
    const stages = [0, 1, 2, 3].map(
      (at) => `stage s${at} { layers = block[${2 * at}..${2 * at + 1}]  on = gpu[${at}] }`,
    );
    const world = { 'a.pipe': exact.replace('stages       = balance(4)', stages.join('\n  ')) };
    const list = 'gpipe, zb_v, interleaved_1f1b(chunks = 2)';
    const rows = await rowsOf(['a.pipe', '--schedules', list], world);
    expect(rows.map(({ problem }) => problem?.message)).toEqual([
      undefined,
      ...['zb_v', 'interleaved_1f1b'].map(
        (name) =>
          `${name} needs 2 stages on each device; the file puts 4 stages on 4 devices. It is not cut again: stage "s0" sets "on", which a new cut would lose.`,
      ),
    ]);
  });

  test('text and csv say which rows are cut again', async () => {
    const list = '1f1b, dualpipe_v, interleaved_1f1b(chunks = 2)';
    const { out, status } = await call(['compare', 'a.pipe', '--schedules', list], { files, columns: 200 });
    expect(status).toBe(0);
    expect(out).toContain(
      'Cut again\n' +
        '  dualpipe_v                    balance(8) instead of balance(4), on the same 4 devices\n' +
        '  interleaved_1f1b(chunks = 2)  balance(8) instead of balance(4), on the same 4 devices\n',
    );
    expect((await call(['compare', 'a.pipe', '--schedules', 'gpipe'], { files })).out).not.toContain('Cut again');
    const csv = (await call(['compare', 'a.pipe', '--schedules', list, '--format=csv'], { files })).out;
    expect(csv.split('\r\n').map((line) => line.split(',').at(-1))).toEqual([
      'cut',
      'balance(4)',
      'balance(8)',
      'balance(8)',
      '',
    ]);
  });

  test('marks no samples per second as best where samples differ in their tokens', async () => {
    const pipeline = (name: string, lengths: string) =>
      `pipeline ${name} { model = m  devices = box  microbatches = 8  stages = balance(4)  schedule = 1f1b  ${lengths} }\n`;
    const text = (lengths: string) => `
model m { sequence = 1000  layer block[4] { forward = 4ms  backward = 8ms  activation = 64MiB  output = 1MB } }
device gpu { memory = 60GiB }
cluster box { gpu[4] = gpu  link = 100GB/s }
${pipeline('whole', '')}${pipeline('other', lengths)}`;
    const column = async (lengths: string) =>
      (await call(['compare', 'a.pipe'], { files: { 'a.pipe': text(lengths) } })).out
        .split('\n')
        .filter((line) => /^ {2}(whole|other) .* ms/.test(line))
        .map((line) => /ms( \*)?\s+[\d.]+( \*)?/.exec(line)?.[2] ?? '');
    expect(await column('tokens(i) = 500')).toEqual(['', '']);
    expect(await column('documents = [300]')).toEqual(['', '']);
    expect(await column('recompute = full')).toEqual([' *', '']);
  });

  test('marks what is best of its column, and nothing that does not fit its device', async () => {
    const { out } = await call(['compare', 'a.pipe', '--schedules', 'gpipe,1f1b,zb_h1'], { files, columns: 300 });
    const lines = out.split('\n');
    const row = (name: string) => lines.find((line) => line.startsWith(`  ${name} `)) ?? '';
    expect(row('zb_h1')).toMatch(/^ {2}zb_h1\s+216 ms \*/);
    expect(row('gpipe')).not.toContain('*');
    const small = exact.replace('memory = 16GiB', 'memory = 5632MiB');
    const full = await call(['compare', 'a.pipe', '--schedules', 'zb_h2,1f1b'], {
      files: { 'a.pipe': small },
      columns: 300,
    });
    const [over, within] = full.out.split('\n').slice(1);
    expect(full.status).toBe(1);
    expect(over).toMatch(/GiB gpu\[\d\] !/);
    expect(over).not.toContain('*');
    expect(within).toContain('*');
  });

  test('keeps to the width of the terminal', async () => {
    for (const columns of [60, 80, 100, 160]) {
      const { out } = await call(['compare', 'a.pipe', 'two.pipe', '--schedules', 'gpipe,1f1b,pipedream'], {
        files,
        columns,
      });
      const tables = out.slice(0, out.indexOf('\n  * best'));
      for (const line of tables.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
      for (const title of ['iteration', 'samples/s', 'bound', 'peak memory', 'exposed', 'in flight', 'staleness'])
        expect(tables).toContain(title);
    }
  });

  test('names of rows are cut only where what is left of them differs', async () => {
    const alike = [
      'overlap(order = forward, partition = 4194304B, credit = 1)',
      'overlap(order = forward, partition = 4194304B)',
    ];
    const { out } = await call(['compare', 'a.pipe', '--sync', [...alike, 'end'].join(',')], { files, columns: 160 });
    for (const rule of [...alike, 'end']) expect(out).toContain(`  ${rule}  `);
    const single = await call(['compare', 'a.pipe', '--sync', `${alike[0]},end`], { files, columns: 160 });
    expect(single.out).toContain('  overlap(order = forward, partition = 419430…  ');
  });

  test('csv has one line a row with as many fields as its head', async () => {
    const { status, out } = await call(['compare', 'a.pipe', '--schedules', 'gpipe,nonsense', '--format=csv'], {
      files,
    });
    expect(status).toBe(1);
    const [head, gpipe, nonsense, end] = out.split('\r\n');
    const [{ report }] = await rowsOf(['a.pipe', '--schedules', 'gpipe']);
    const at = (name: string) => head.split(',').indexOf(name);
    expect(Number(gpipe.split(',')[at('iteration')])).toBe(report?.iteration);
    expect(Number(gpipe.split(',')[at('bubble')])).toBe(report?.bubble.makespan);
    expect(gpipe.split(',')[at('peaks')].split(' ')[3]).toBe(`gpu[3]=${report?.devices[3].peak}`);
    expect(gpipe.split(',').length).toBe(head.split(',').length);
    expect(nonsense.startsWith('a.pipe,train,nonsense,,')).toBe(true);
    expect(nonsense).toContain('"Unknown policy ""nonsense"');
    expect(end).toBe('');
  });

  test('an expectation counts for the schedule of the file only', async () => {
    const world = { files: { 'a.pipe': `${exact}expect train { bubble < 1% }\n` } };
    const check = await call(['check', 'a.pipe'], world);
    expect(check.status).toBe(1);
    expect((await call(['compare', 'a.pipe'], world)).status).toBe(1);
    expect((await call(['compare', 'a.pipe', '--schedules', 'gpipe,1f1b'], world)).status).toBe(0);
  });

  test('a file with mistakes says so and fails', async () => {
    const { status, out, err } = await call(['compare', 'a.pipe', 'b.pipe'], {
      files: { ...files, 'b.pipe': 'pipeline {' },
    });
    expect(status).toBe(1);
    expect(out).toContain('1f1b');
    expect(err).toContain('b.pipe has errors: "pipewright check b.pipe" shows them.');
  });

  test('names the check that shows a mistake which only other values of params make', async () => {
    const text = good.replace('balance(4)', 'balance(parts)').replace('param', 'param parts = 4\nparam');
    const world = { files: { 'a.pipe': text } };
    const set = ['--set', 'parts=9'];
    const { status, err } = await call(['compare', 'a.pipe', ...set], world);
    expect([status, err]).toEqual([1, expect.stringContaining('"pipewright check a.pipe --set parts=9" shows them')]);
    expect((await call(['check', 'a.pipe'], world)).status).toBe(0);
    expect((await call(['check', 'a.pipe', ...set], world)).status).toBe(1);
  });

  test.each([
    [['compare'], 'at least one file'],
    [['compare', 'none.pipe'], 'none.pipe cannot be read'],
    [['compare', 'a.pipe', '--pipeline', 'trian'], 'Did you mean "train"?'],
    [['compare', 'a.pipe', '--schedules', 'gpipe,'], 'not ""'],
    [['compare', 'a.pipe', '--schedules', 'gpipe } pipeline x {'], 'not "gpipe } pipeline x {"'],
    [['compare', 'a.pipe', '--set', 'microbatches=99'], 'microbatches'],
    [['compare', 'a.pipe', '--format', 'jsn'], 'Did you mean "json"?'],
  ])('%j is a wrong call', async (args, sentence) => {
    const { status, out, err } = await call(args, { files });
    expect([status, out]).toEqual([2, '']);
    expect(err).toContain(sentence);
  });
});

test('a schedule is one name or one call, and never more', () => {
  for (const name of ['gpipe', '1f1b', 'interleaved_1f1b(chunks = 2)', 'dapple(warmup = [1, 2])'])
    expect(`${name} ${isValue(name)}`).toBe(`${name} true`);
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('gpipe', 'zb_v', 'hanayo(waves = 2)'), (text, schedule) => {
      const joined = `${schedule} ${text}`;
      const rest = text.trim();
      fc.pre(rest !== '' && !rest.startsWith('('));
      expect(isValue(joined)).toBe(false);
    }),
  );
});

test('a list is split at its outer commas', () => {
  const item = fc.stringMatching(/^[a-z_]{1,6}(\([a-z0-9= ]{0,5}(, \[[0-9, ]{0,6}\])?\))?$/);
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 6 }), (items) => {
      expect(splitList(items.join(' , '))).toEqual(items);
    }),
  );
});

describe('random times', () => {
  const noisy = `
model m { layer l[8] { forward = 1ms  backward_input = 1ms  backward_weight = 1ms } }
device d { memory = 1GiB }
cluster c { gpu[4] = d  link = 1GB/s }
pipeline train { model = m  devices = c  microbatches = 8  stages = balance(4)  schedule = 1f1b  JITTER }
`;
  const compared = async (schedules: string, jitter: string, ...more: readonly string[]) => {
    const files = { 'a.pipe': noisy.replace('JITTER', jitter) };
    return (await call(['compare', 'a.pipe', '--schedules', schedules, ...more], { files })).out;
  };
  interface Rows {
    readonly rows: readonly { readonly schedule: string; readonly paired?: { readonly faster: number } }[];
  }

  test('are compared draw by draw with the pipeline as written, also if no row has its schedule', async () => {
    const out = await compared('zb_h1, gpipe', 'jitter = 5%');
    expect(out).toContain('Against the file, draw by draw');
    expect(out).toMatch(/zb_h1 +faster in 100 % of draws; gain [\d.]+…[\d.]+ %/);
    const { rows } = JSON.parse(await compared('1f1b, zb_h1, gpipe', 'jitter = 5%', '--format', 'json')) as Rows;
    // The row of the file is not compared with itself.
    expect(rows.map(({ schedule, paired }) => [schedule, paired !== undefined])).toEqual([
      ['1f1b', false],
      ['zb_h1', true],
      ['gpipe', true],
    ]);
    expect(rows[1].paired).toMatchObject({ draws: 1000, faster: 1 });
    const csv = await compared('1f1b, zb_h1', 'jitter = 5%', '--format', 'csv');
    const [head, own, other] = csv.split('\r\n').map((line) => line.split(',').slice(-3));
    expect(head).toEqual(['faster', 'gain_p5', 'gain_p95']);
    expect(own).toEqual(['', '', '']);
    expect(other.map(Number).every((value) => value > 0)).toBe(true);
    expect(Number(other[0])).toBe(1);
  });

  test('are no figure of certain times', async () => {
    for (const jitter of ['', 'jitter = 0%']) {
      expect(await compared('zb_h1', jitter)).not.toContain('draw by draw');
      expect(await compared('zb_h1', jitter, '--format', 'json')).not.toContain('paired');
      expect(await compared('zb_h1', jitter, '--format', 'csv')).not.toContain('gain_p5');
    }
  });
});

import { describe, expect, test } from 'vitest';
import { dataFile } from '../support/data.ts';
import { call, good } from './harness.ts';

const zbv = dataFile('torch/torch2141_ZBVZeroBubble_p4_m8_v2_compute.csv');
const comms = dataFile('torch/torch2141_ZBVZeroBubble_p4_m8_v2_comms.csv');
const defect = dataFile('torch/torch2141_1F1B_p4_m8_v1_compute.csv');
const files = { 'good.pipe': good, 'zbv.csv': zbv, 'defect.csv': defect };

describe('import', () => {
  test('writes a file that checks, simulates and exports to the very table', async () => {
    const { status, out, err } = await call(['import', 'zbv.csv'], { files });
    expect([status, err]).toEqual([0, '']);
    const world = { files: { 'a.pipe': out } };
    expect((await call(['check', 'a.pipe'], world)).status).toBe(0);
    expect((await call(['simulate', 'a.pipe', '--format', 'json'], world)).status).toBe(0);
    expect((await call(['format', '--check', 'a.pipe'], world)).status).toBe(0);
    expect((await call(['export', 'a.pipe', '--to', 'torch-csv'], world)).out).toBe(zbv);
    expect((await call(['export', 'a.pipe', '--to', 'torch-csv', '--comms'], world)).out).toBe(comms);
  });

  test('--output writes a file', async () => {
    const called = await call(['import', 'zbv.csv', '--output', 'new.pipe'], { files });
    expect([called.status, called.out]).toEqual([0, '']);
    expect(called.files['new.pipe']).toBe((await call(['import', '-'], { files: { '-': zbv } })).out);
  });

  test('refuses a damaged file with line and character, and says what --repair would do', async () => {
    const { status, out, err } = await call(['import', 'defect.csv', '--output', 'new.pipe'], { files });
    expect([status, out]).toEqual([1, '']);
    const line = defect.split('\r\n')[3];
    expect(err).toContain(`defect.csv:4:${line.indexOf('3F8') + 1}: rank 3, column 15: \`3F8\``);
    expect(err).toContain('--repair fixes it');
  });

  test('--repair mends the known defect and says so', async () => {
    const { status, out, err } = await call(['import', 'defect.csv', '--repair'], { files });
    expect(status).toBe(0);
    expect(err).toContain('defect.csv: mended: ');
    expect(out).toContain('row(3)    = zip(F[0..7], B[0..7])');
  });

  test('--repair does not invent what it cannot know', async () => {
    const world = { files: { 'a.csv': zbv.replace('7F3', '7F4') } };
    const { status, out, err } = await call(['import', 'a.csv', '--repair'], world);
    expect([status, out]).toEqual([1, '']);
    expect(err).toContain('7F3');
  });

  test.each([
    [['import'], 'It needs a file.'],
    [['import', 'none.csv'], 'none.csv cannot be read'],
    [['export', 'good.pipe'], '--to torch-csv'],
    [['export', 'good.pipe', '--to', 'torch-cvs'], 'Did you mean "torch-csv"?'],
    [['export', 'good.pipe', '--to', 'torch-csv', '--pipeline', 'x'], 'has no pipeline "x"'],
    [['export', 'two.pipe', '--to', 'torch-csv'], 'choose one with --pipeline'],
    [['export', 'good.pipe', '--to', 'torch-csv', '--set', 'microbatches=99'], 'microbatches'],
  ])('%j is a wrong call', async (args, sentence) => {
    const two = `${good}${good.slice(good.indexOf('pipeline train')).replace('train', 'other')}`;
    const { status, out, err } = await call(args, { files: { ...files, 'two.pipe': two } });
    expect([status, out]).toEqual([2, '']);
    expect(err).toContain(sentence);
  });
});

describe('export', () => {
  test('names what a table cannot carry, on standard error', async () => {
    const { status, out, err } = await call(['export', 'good.pipe', '--to', 'torch-csv'], { files });
    expect(status).toBe(0);
    expect(out.split('\r\n')[3]).toBe(',,,3F0,3B0,3F1,3B1,3F2,3B2,3F3,3B3,3F4,3B4,3F5,3B5,3F6,3B6,3F7,3B7');
    expect(err).toContain('Times, sizes and links are not in the table');
    expect(err).toContain('"1f1b"');
  });

  test('--set and --output', async () => {
    const args = ['export', 'good.pipe', '--to', 'torch-csv', '--set', 'microbatches=1', '--output', 'a.csv'];
    const called = await call(args, { files });
    expect(called.files['a.csv']).toBe('0F0,,,,,,,0B0\r\n,1F0,,,,,1B0\r\n,,2F0,,,2B0\r\n,,,3F0,3B0\r\n');
  });

  test('a pipeline that does not run is not written', async () => {
    const broken = good
      .replace('schedule     = 1f1b', 'schedule     = by_hand')
      .concat('schedule by_hand { row(d) = F[0..7] }\n');
    const { status, out, err } = await call(['export', 'a.pipe', '--to', 'torch-csv'], { files: { 'a.pipe': broken } });
    expect([status, out]).toEqual([1, '']);
    expect(err).toContain('schedule/incomplete');
    expect(err).toContain('nothing was written');
  });
});

describe('import of other files', () => {
  const node = (id: string, time: string) =>
    `${id} -- Op -- forward_compute_time=${time}, backward_compute_time=2.5, activation_size=8.0, parameter_size=4.0`;

  test('a profile becomes a model, whatever the name of its file', async () => {
    const { status, out, err } = await call(['import', 'a.csv'], {
      files: { 'a.csv': `${node('b', '1.5')}\n${node('a', '1')}\n\ta -- b` },
    });
    expect([status, err]).toEqual([0, '']);
    expect(out.indexOf('layer a')).toBeLessThan(out.indexOf('layer b'));
    expect(out).toContain('forward = 1.5ms');
  });

  test('its faults are told at line and character, and nothing is written', async () => {
    const { status, err, files } = await call(['import', 'a.txt', '--output', 'new.pipe'], {
      files: { 'a.txt': `${node('a', '1')}\n\ta -- z` },
    });
    expect(status).toBe(1);
    expect(err).toBe('a.txt:2:7: The profile does not define this node.\n');
    expect(files['new.pipe']).toBeUndefined();
  });

  test('a layout becomes stages', async () => {
    const { status, out } = await call(['import', '-'], { files: { '-': '"Ett|tt|ttL"\n' } });
    expect(status).toBe(0);
    expect(out.match(/stage s\d/g)).toEqual(['stage s0', 'stage s1', 'stage s2']);
  });
});

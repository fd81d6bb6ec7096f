import * as fc from '../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { importText } from '../../../engine/formats/importText.ts';
import { exportTorch } from '../../../engine/formats/torchCsv/export.ts';
import { cellText } from '../../../engine/formats/torchCsv/table.ts';
import { exportTorchScript } from '../../../engine/formats/torchScript/export.ts';
import { pythonString } from '../../../engine/formats/program/pythonString.ts';
import { runnable } from '../support/cases.ts';
import { recipePlan } from '../support/plans.ts';
import { programOf } from '../support/programs.ts';
import { runOf } from '../../support/analyse.ts';
import { call, good } from '../cli/harness.ts';

const rowsPlan = (devices: number, microbatches: number) =>
  recipePlan({ devices, microbatches, schedule: { kind: 'rows', name: 'r', rows: [] } });

/** A constant of the program: the lines between its name and the line that closes it. */
const blockOf = (text: string, from: string, to: string): readonly string[] => {
  const start = text.indexOf(`\n${from}\n`) + from.length + 2;
  return text.slice(start, text.indexOf(`\n${to}\n`, start)).split('\n');
};

describe('the program', () => {
  test('holds the order and the stages of each rank of random programs, and no character beyond ASCII', () => {
    let written = 0;
    fc.assert(
      fc.property(runnable, fc.string({ unit: 'binary' }), ({ plan, program }, name) => {
        const named = { ...plan, name, stages: plan.stages.map((stage) => ({ ...stage, name, layers: [name, name] })) };
        const script = exportTorchScript(named, program);
        const table = exportTorch(named, program, false);
        if ('problem' in script || 'problem' in table) return;
        written += 1;
        const { text } = script;
        const rows = table.table.rows.map((row) => row.map(cellText).filter((cell) => cell !== ''));
        expect(blockOf(text, 'SCHEDULE = """', '"""').map((row) => row.split(','))).toEqual(rows);
        const stages = blockOf(text, 'STAGES_OF_RANK = [', ']').map((row) => JSON.parse(row.trim().slice(0, -1)));
        for (const [rank, own] of stages.entries())
          expect(own).toEqual([...program.placement.keys()].filter((stage) => program.placement[stage] === rank));
        expect(text).toMatch(/^[\n\x20-\x7e]*$/);
        expect(exportTorchScript(named, program)).toEqual(script);
        // The first text of the program says all that is lost, and ends where it should.
        const docs = text.slice(text.indexOf('"""') + 3, text.indexOf('"""\n\nimport argparse'));
        expect(docs).not.toContain('"""');
        const words = docs.replaceAll(/\s+/g, ' ');
        for (const note of script.notes)
          expect(words).toContain(pythonString(note).slice(1, -1).replaceAll(/\s+/g, ' ').trim());
      }),
      { numRuns: 60 },
    );
    expect(written).toBeGreaterThan(10);
  });

  test('is refused where the last stage takes microbatches out of order: PyTorch numbers its losses', () => {
    const rows = [
      ['0F1', '0F0', '0B1', '0B0'],
      ['1F1', '1F0', '1B1', '1B0'],
    ];
    expect(exportTorchScript(rowsPlan(2, 2), programOf(rows, 2, 2, [0, 1]))).toEqual({
      problem: expect.stringContaining('1F1 runs where 1F0 is due'),
    });
    // Other stages may take them as they like.
    const fine = [
      ['0F0', '0F1', '0B1', '0B0'],
      ['1F0', '1F1', '1B1', '1B0'],
    ];
    expect(exportTorchScript(rowsPlan(2, 2), programOf(fine, 2, 2, [0, 1]))).toHaveProperty('text');
  });
});

describe('read back', () => {
  const source = (more = '', schedule = 'zb_v') => `
model toy {
  layer embed { forward = 1ms  backward = 2ms }
  layer block[10] { forward = 1ms  backward_input = 1ms  backward_weight = 1ms  activation = 1MiB }
  layer head { forward = 2ms  backward = 3ms }
}
device gpu { memory = 16GiB }
cluster box { gpu[8] = gpu  link = 25GB/s }
pipeline train { model = toy  devices = box  microbatches = 7  stages = balance(4)  schedule = ${schedule} ${more} }
`;
  const exported = async (text: string): Promise<string> => {
    const { status, out, err } = await call(['export', 'a.pipe', '--to', 'torch-script'], {
      files: { 'a.pipe': text },
    });
    expect([status, err]).toEqual([0, expect.any(String)]);
    return out;
  };
  const imported = (script: string) => {
    const made = importText(script);
    if (made === undefined || 'faults' in made) throw new Error(JSON.stringify(made));
    return made.pipe;
  };
  const figures = (text: string) => {
    const { plan, run } = runOf(text);
    const table = exportTorch(plan, run.program, false);
    if ('problem' in table) throw new Error(table.problem);
    return {
      ...{ data: plan.data, microbatches: plan.microbatches, placement: plan.placement },
      layers: plan.stages.map(({ layers }) => layers),
      rows: table.table.rows.map((row) => row.map(cellText).filter((cell) => cell !== '')),
    };
  };

  test.each([
    ['data = 4', 'zb_v'],
    ['data = 4  rank_order = tp_cp_pp_dp', 'zb_v'],
    ['data = 1', 'interleaved_1f1b(chunks = 1)'],
    ['data = 2', 'zb_h1'],
  ])('%s %s: layers, stages, pipelines and the order are those that were written', async (more, schedule) => {
    const chunks = schedule === 'zb_v' ? 2 : 1;
    const stages = (8 / Number(/data = (\d)/.exec(more)?.[1])) * chunks;
    const text = source(more, schedule).replace('balance(4)', `balance(${stages})`);
    const script = await exported(text);
    const back = imported(script);
    expect(figures(back)).toEqual(figures(text));
    // Written again it is the same program but for names.
    const data = (one: string) =>
      one.slice(one.indexOf('RANKS ='), one.indexOf('DEVICE_NAMES')) +
      one.slice(one.indexOf('STAGES_OF_RANK'), one.indexOf('STAGE_NAMES')) +
      one.slice(one.indexOf('LAYERS ='));
    expect(data(await exported(back))).toBe(data(script));
    expect(script).toContain(more.includes('rank_order') ? 'MESH = ("dp", "pp")' : 'MESH = ("pp", "dp")');
  });

  test('all layers of each stage are in the program, however many', async () => {
    const text = source().replace('block[10]', 'block[400]');
    const script = await exported(text);
    const names = [...script.slice(script.indexOf('LAYERS = ['), script.indexOf('SCHEDULE =')).matchAll(/"([^"]+)"/g)];
    expect(names.map(([, name]) => name)).toEqual([
      'embed',
      ...Array.from({ length: 400 }, (_, at) => `block[${at}]`),
      'head',
    ]);
    for (const line of script.split('\n')) if (!/^\d/.test(line)) expect(line.length).toBeLessThan(140);
  });

  test('names that do not say the layers in order become a layer for each stage, and that is said', async () => {
    const script = (await exported(source())).replace('"block[3]"', '"block[7]"');
    const made = importText(script);
    expect(made).toMatchObject({
      remarks: expect.arrayContaining([expect.stringContaining('do not say the layers in order')]),
    });
    expect(figures(imported(script)).layers.flat()).toEqual(['stage[0]', 'stage[1]', 'stage[2]', 'stage[3]']);
  });

  test.each([
    ['0F1', '0F9', '0F9', /Expected/],
    ['0F1,', '', '', /missing/],
    ['DATA = 1', 'DATA = 0', 'DATA', /from 1 to/],
    ['SCHEDULE = """\n', 'SCHEDULE = "', '#', /no table/],
  ])('%s → %s is reported at its place', async (from, to, marked, message) => {
    const script = (await exported(source())).replace(from, to);
    const made = importText(script);
    const [fault] = made !== undefined && 'faults' in made ? made.faults : [];
    expect(fault?.message).toMatch(message);
    expect(script.slice(fault?.start, fault?.end)).toContain(marked);
  });

  test('stages with other data ranks are refused: the program has one mesh', () => {
    const plan = rowsPlan(2, 1);
    const devices = plan.devices.map((device, index) =>
      index === 0 ? device : { ...device, mesh: { tensor: 1, context: 1, data: 2, expert: 1 } },
    );
    const rows = [
      ['0F0', '0B0'],
      ['1F0', '1B0'],
    ];
    expect(exportTorchScript({ ...plan, devices }, programOf(rows, 2, 1, [0, 1]))).toEqual({
      problem: expect.stringContaining('different numbers of data ranks'),
    });
  });
});

describe('what PyTorch has no action for', () => {
  const under = (schedule: string, more = ''): Promise<{ status: number; out: string; err: string }> => {
    const text = good.replace('schedule     = 1f1b', `schedule     = ${schedule}${more}`);
    return call(['export', 'a.pipe', '--to', 'torch-csv'], { files: { 'a.pipe': text } });
  };

  test.each([
    ['bpipe', '(E, L)'],
    ['1f1b(recompute = ahead)', '(R)', '  recompute = full'],
  ])('%s is written without it, and it is named', async (schedule, named, more = '') => {
    const { status, out, err } = await under(schedule, more);
    expect([status, err]).toEqual([0, expect.stringContaining(named)]);
    expect(out).toMatch(/^((\d+[FBIW]\d+)?,?)*$/m);
    expect(out).not.toMatch(/[RUEL]/);
  });

  test.each([
    ['chimera', 'in PyTorch each stage is on one rank'],
    ['pipeswitch', 'the schedule has no backward'],
    ['seq1f1b(segments = 2)', 'segments'],
    ['pipedream', 'updates weights without a flush (the rule "stash"): PyTorch runs the 8 microbatches of a step'],
  ])('%s is refused in words', async (schedule, reason) => {
    const files = {
      'a.pipe': good
        .replace('schedule     = 1f1b', `schedule     = ${schedule}`)
        .replace('= microbatches\n', `= ${schedule === 'pipeswitch' ? 1 : 8}\n`),
    };
    for (const format of ['torch-csv', 'torch-script']) {
      const { status, out, err } = await call(['export', 'a.pipe', '--to', format], { files });
      expect([status, out]).toEqual([1, '']);
      expect(err).toContain(reason);
    }
  });
});

test('export --to torch-script tells what is lost and that the stages are stand-ins', async () => {
  const { status, out, err } = await call(['export', 'a.pipe', '--to', 'torch-script'], { files: { 'a.pipe': good } });
  expect(status).toBe(0);
  expect(out.startsWith('#!/usr/bin/env python3\n')).toBe(true);
  expect(err).toContain('Times, sizes and links are not in the table');
  expect(err).toContain('stand-ins');
  const wrong = await call(['export', 'a.pipe', '--to', 'torch-script', '--comms'], { files: { 'a.pipe': good } });
  expect([wrong.status, wrong.out]).toEqual([2, '']);
  expect(wrong.err).toContain('--comms');
});

test('a Python string is ASCII and reads back as what it was', () => {
  const read = (literal: string): string =>
    literal.slice(1, -1).replaceAll(/\\(?:x(..)|u(....)|U(.{8})|(.))/g, (_, x, u, U, one: string) => {
      const digits: string | undefined = x ?? u ?? U;
      return digits === undefined ? one : String.fromCodePoint(Number.parseInt(digits, 16));
    });
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const literal = pythonString(text);
      expect(literal).toMatch(/^"([\x20\x21\x23-\x5b\x5d-\x7e]|\\.)*"$/);
      expect(read(literal)).toBe(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'));
    }),
  );
});

import * as fc from '../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { exportTorch } from '../../../engine/formats/torchCsv/export.ts';
import { cellText } from '../../../engine/formats/torchCsv/table.ts';
import { exportTorchScript } from '../../../engine/formats/torchScript/export.ts';
import { pythonString } from '../../../engine/formats/torchScript/pythonString.ts';
import { runnable } from '../support/cases.ts';
import { recipePlan } from '../support/plans.ts';
import { programOf } from '../support/programs.ts';
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
        expect(blockOf(text, 'SCHEDULE = """\\', '"""').map((row) => row.split(','))).toEqual(rows);
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

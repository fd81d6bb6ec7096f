import { describe, expect, it } from 'vitest';
import { traceParts } from '../../../../engine/drawing/trace.ts';
import { eachBlock } from '../../../../engine/drawing/blocks.ts';
import { exportTorch } from '../../../../engine/formats/torchCsv/export.ts';
import { memoryTrack } from '../../../../engine/simulate/memory.ts';
import { memoryStack } from '../../../../engine/simulate/memoryStack.ts';
import { B, kindOf } from '../../../../engine/values/program.ts';
import { blockLines } from '../../../../webview/picture/describe.ts';
import { needsOf } from '../../../../webview/picture/blocks.ts';
import { pictureOf } from '../../../../webview/worker/makePicture.ts';
import { runOf } from '../../../support/analyse.ts';

const file = (lengths: string) => `
model toy { sequence = 1000  layer block[4] { forward = 4ms  backward = 8ms  activation = 100MiB  output = 10MB } }
device gpu { memory = 60GiB }
cluster box { gpu[4] = gpu  link = 10GB/s }
pipeline p { model = toy  devices = box  microbatches = 4  stages = balance(4)  schedule = 1f1b  recompute = full  ${lengths} }`;
const shown = (lengths: string) => {
  const { plan, run, analysis } = runOf(file(lengths));
  return { plan, run, picture: pictureOf(analysis.pipelines[0], run, 1) };
};

describe('different microbatches where people look at them', () => {
  it('say their tokens in the details of a block, and how wide their messages are', () => {
    const { plan, run, picture } = shown('tokens = [1000, 250, 500, 1000]');
    const lines = (block: number) => new Map(blockLines(plan, picture, block));
    // 0F0 and 0F1.
    expect(lines(0).get('Sample')).toBe('1,000 tokens');
    expect(lines(1).get('Sample')).toBe('250 tokens');
    expect(lines(1).get('Duration')).toBe('1 ms');
    const first = picture.columns.offsets[1];
    expect(needsOf(picture, first)[0].occupancy).toBeCloseTo(1e-3, 12);
    expect(needsOf(picture, first + 1)[0].occupancy).toBeCloseTo(0.25e-3, 12);
    expect(run.report.iteration).toBeGreaterThan(0);
  });

  it('say their documents', () => {
    const { plan, picture } = shown('documents(i) = [100, 100 * i + 100]');
    expect(new Map(blockLines(plan, picture, 1)).get('Sample')).toBe('300 tokens in 2 documents');
  });

  it('say nothing where all are alike', () => {
    const { plan, picture } = shown('');
    expect(new Map(blockLines(plan, picture, 1)).has('Sample')).toBe(false);
  });

  it('stack up to the memory of their device at every moment', () => {
    const { plan, run } = shown('tokens = [1000, 250, 500, 10]');
    for (const device of plan.devices.keys()) {
      const stack = memoryStack(plan, run.timeline, device);
      const statics = Object.values(stack.statics).reduce((sum, each) => sum + each, 0);
      const { at, bytes } = memoryTrack(plan, run.timeline, device);
      for (const [index, level] of bytes.entries()) {
        const moment = at[index] + 1e-7;
        const sum = stack.from.reduce(
          (all, from, piece) => (from <= moment && moment < stack.to[piece] ? all + stack.bytes[piece] : all),
          statics,
        );
        expect(Math.abs(sum - level)).toBeLessThan(64);
      }
    }
  });

  it('have the shares of their recomputation and gradients in figures for papers', () => {
    const { plan, run } = shown('tokens = [1000, 1, 500, 250]');
    const ends = new Set<string>();
    eachBlock(plan, run, ({ position, until }) => {
      if (position >= 0 && kindOf(run.program, run.program.order[position]) === B)
        ends.add(until.map((share) => share.toFixed(9)).join(' '));
    });
    // A forward of 4 ms again, then 4 ms of each gradient.
    expect([...ends]).toEqual(['0.333333333 0.666666667 1.000000000']);
  });

  it('are left out of a table for PyTorch, which says so', () => {
    const { plan, run } = shown('tokens = [1000, 250, 500, 1000]');
    const found = exportTorch(plan, run.program, false);
    expect('notes' in found ? found.notes : []).toContainEqual(expect.stringContaining('The lengths of microbatches'));
  });

  it('are in the arguments of a trace', () => {
    const { plan, run } = shown('tokens = [1000, 250, 500, 1000]');
    const text = [...traceParts(plan, run, { file: 'a.pipe', version: '1' })].join('');
    expect(text).toContain('"microbatch":1,"tokens":250');
    const plain = shown('');
    expect([...traceParts(plain.plan, plain.run, { file: 'a.pipe', version: '1' })].join('')).not.toContain('"tokens"');
  });
});

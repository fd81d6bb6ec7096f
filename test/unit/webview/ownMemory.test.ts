import { describe, expect, it } from 'vitest';
import { walkMemory } from '../../../engine/order/memory/walk.ts';
import { blockLines } from '../../../webview/picture/describe.ts';
import { ownMemory, ownMemoryWords } from '../../../webview/picture/ownMemory.ts';
import { blockShift } from '../../../webview/worker/makeColumns.ts';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import { example } from '../../browser/example.ts';

/** Examples with plain, split, separate and missing backwards, chunks, copies, segments and pairs of operations. */
const names = [
  'quickstart',
  'packed-sequences',
  'gpt-22b',
  'systems/zero_bubble',
  'systems/dualpipe',
  'systems/dualpipe_v',
  'systems/v_schedules',
  'systems/recompute_ahead',
  'systems/chimera',
  'systems/seq1f1b',
  'systems/pipeswitch',
  'systems/gpipe',
  'systems/pipedream_2bw',
  'systems/torchgpipe',
];

describe('memory of an operation', () => {
  it.each(names)('is what the device holds more or less with it, in %s', (name) => {
    for (const evaluation of example(name).analysis.pipelines) {
      const { plan, run } = evaluation;
      if (run === undefined) continue;
      const picture = pictureOf(evaluation, run, 1);
      const shift = blockShift(picture.columns, run.program.offsets);
      for (let device = 0; device < run.program.devices; device += 1) {
        let before = 0;
        walkMemory(plan, run.program, device, (position, width, bytes, _held, after) => {
          const own = Array.from({ length: width }, (_, at) => ownMemory(plan, picture, position + at + shift[device]));
          const sum = (key: 'takes' | 'keeps') => own.reduce((total, each) => total + (each?.[key] ?? 0), 0);
          const scale = Math.max(1, bytes) * 1e-9;
          expect(Math.abs(before + sum('takes') - bytes)).toBeLessThanOrEqual(scale);
          expect(Math.abs(before + sum('keeps') - after)).toBeLessThanOrEqual(scale);
          before = after;
        });
      }
    }
  });

  it('is of the block alone, whatever begins when it ends', () => {
    const [evaluation] = example('quickstart').analysis.pipelines;
    if (evaluation.run === undefined) throw new Error('quickstart runs');
    const picture = pictureOf(evaluation, evaluation.run, 1);
    const lines = (block: number) => new Map(blockLines(evaluation.plan, picture, block));
    // 0F0, 0F1: each microbatch is 1 GiB.
    expect(lines(0).get('Memory')).toBe('takes 1 GiB');
    expect(lines(1).get('Memory')).toBe('takes 1 GiB');
    expect(lines(1).get('Device holds')).toBe('3 GiB while it runs');
    const backward = Array.from(picture.columns.word.keys()).find(
      (block) => lines(block).get('Memory') === 'frees 1 GiB',
    );
    expect(backward).toBeDefined();
  });

  it('says what passes and what stays apart', () => {
    const GiB = 2 ** 30;
    expect(ownMemoryWords({ takes: 3 * GiB, keeps: GiB })).toBe('takes 1 GiB, another 2 GiB while it runs');
    expect(ownMemoryWords({ takes: 2 * GiB, keeps: -GiB })).toBe('takes 2 GiB while it runs, frees 1 GiB');
    expect(ownMemoryWords({ takes: 0, keeps: 0 })).toBe('');
    expect(ownMemoryWords({ takes: 1, keeps: 1 }, true)).toBe('takes 1 activation');
  });
});

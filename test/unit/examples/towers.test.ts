import { describe, expect, test } from 'vitest';
import { analyseExample } from '../../support/analyse.ts';

describe('vision-language.pipe', () => {
  const { pipelines } = analyseExample('vision-language.pipe');
  const planOf = (name: string) => {
    const found = pipelines.find(({ plan }) => plan.name === name)?.plan;
    if (found === undefined) throw new Error(`no pipeline ${name}`);
    return found;
  };

  test('has the parameters of Qwen2-VL 7B, and without the tower those of its projector and language model', () => {
    for (const name of ['by_layers', 'by_time', 'frozen_vision'])
      expect(planOf(name).stages.reduce((sum, { parameters }) => sum + parameters, 0)).toBe(8_291_375_616);
    const trainable = planOf('frozen_vision').stages.reduce(
      (sum, stage) => sum + (stage.trainable ?? stage.parameters),
      0,
    );
    const merger = 5120 * 5120 + 5120 + 5120 * 3584 + 3584;
    expect(trainable).toBe(8_291_375_616 - 675_759_104 + merger);
  });

  test('the vision tower has the FLOPs of two images of 4,096 patches', () => {
    const [first] = planOf('by_time').stages;
    expect(first.layers).toHaveLength(33);
    const [patches, hidden] = [2 * 4096, 1280];
    const layer = 2 * patches * (12 * hidden ** 2 + 2 * 4096 * hidden);
    expect(first.forwardFlops).toBe(32 * layer + 2 * patches * 3 * 2 * 14 ** 2 * hidden);
  });

  test('messages go from 1280 wide patches to 3584 wide tokens', () => {
    expect(planOf('by_layers').edges.map(({ bytes }) => bytes)).toEqual([
      2 * 8192 * 1280,
      2 * 8192 * 1280,
      2 * 4096 * 3584,
    ]);
  });

  test('a frozen tower keeps nothing: its stage has no gradients of it', () => {
    const [first] = planOf('frozen_vision').stages;
    const blocks = first.layers.filter((name) => name.startsWith('block')).length;
    expect(blocks).toBeGreaterThan(0);
    expect(first.layers).toContain('vision[31]');
    const [, second] = planOf('frozen_vision').stages;
    // Activations are those of the blocks alone, and of the inputs of both products of the projector, and token numbers.
    const block = second.activation / second.layers.length;
    expect(first.activation).toBeCloseTo(blocks * block + 2 * 2048 * (5120 + 5120) + 8 * 4096, 3);
  });
});

import { describe, expect, it } from 'vitest';
import type { Analysis } from '../../../engine/flow/check.ts';
import { analyseExample } from '../../support/analyse.ts';

const stageOf = ({ resolution }: Analysis, pipeline: string, index: number) => {
  const stage = resolution.plan.pipelines.find((pipelinePlan) => pipelinePlan.name === pipeline)?.stages[index];
  if (stage === undefined) throw new Error(`no stage ${index} in ${pipeline}`);
  return stage;
};

describe('long-context.pipe', () => {
  const analysis = analyseExample('long-context.pipe');
  /** Stage 1 of 16 has five of the 80 layers. */
  const layers = 5;
  const tokens = 131072;

  it('passes keys and values around the ring: forward, again for the recomputation, and twice as much back', () => {
    const [context, heads] = [8, 8 / 8];
    const block = (2 * 2 * tokens * heads * 128) / context;
    const { traffic, layers: names } = stageOf(analysis, 'ring', 1);
    expect(names).toHaveLength(layers);
    expect(traffic?.context?.bytes).toBe(layers * (1 + 1 + 2) * (context - 1) * block);
    // All of it hides behind the core: the ring has 48.5 GB/s between nodes.
    expect(traffic?.context?.exposed).toBe(0);
    expect(traffic?.context?.time).toBeCloseTo(layers * 4 * 7 * (10e-6 + block / 48.5e9), 9);
  });

  it('waits for what does not hide', () => {
    const shown = analyseExample('long-context.pipe', { hidden: 0 });
    const { traffic, forward } = stageOf(shown, 'ring', 1);
    expect(traffic?.context?.exposed).toBe(traffic?.context?.time);
    // The forward has a quarter of it.
    const hidden = stageOf(analysis, 'ring', 1);
    expect(forward - hidden.forward).toBeCloseTo((traffic?.context?.time ?? NaN) / 4, 9);
  });

  it('keeps of each layer its input, a part of the sequence on each rank', () => {
    const { activation } = stageOf(analysis, 'ring', 1);
    expect(activation).toBe((layers * 2 * tokens * 8192) / 8 / 8);
  });

  it('sixteen tensor ranks over two nodes wait for the network', () => {
    const { traffic } = stageOf(analysis, 'wide', 1);
    // Two gathers and two scatters each way and for the recomputation, of s·b·h / c.
    const bytes = (2 * tokens * 8192) / 4;
    expect(traffic?.tensor?.bytes).toBeCloseTo(layers * 3 * 4 * (15 / 16) * bytes, 0);
    // Eight rings, each through another network card of a node. One of the 15 steps goes to the other node.
    const half = ((15 / 16) * bytes) / (8 * 48.5e9) + 14 * 3e-6 + 10e-6;
    expect(traffic?.tensor?.time).toBeCloseTo(layers * 3 * 4 * half, 9);
    expect(traffic?.tensor?.exposed).toBe(traffic?.tensor?.time);
  });
});

describe('mixture-of-experts.pipe', () => {
  const analysis = analyseExample('mixture-of-experts.pipe');

  it('sends each token to eight experts and back, both ways', () => {
    const bytes = 8 * 2 * 4096 * 2048 * 2;
    for (const [pipeline, expert, layers] of [
      ['inside', 8, 12],
      ['across', 16, 24],
    ] as const) {
      // The first stage has the embedding too, whose layers stay on their ranks.
      const { traffic, layers: names } = stageOf(analysis, pipeline, 0);
      const blocks = names.filter((name) => !name.startsWith('embed')).length;
      expect(Math.abs(blocks - layers)).toBeLessThanOrEqual(1);
      expect(traffic?.expert?.bytes).toBe(blocks * 4 * ((expert - 1) / expert) * bytes);
    }
  });

  it('inside of a node at the rate of its links; half of it over a network card between nodes', () => {
    const bytes = 8 * 2 * 4096 * 2048 * 2;
    const time = (pipeline: string) => {
      const { traffic, layers } = stageOf(analysis, pipeline, 0);
      return (traffic?.expert?.time ?? NaN) / 4 / layers.filter((name) => !name.startsWith('embed')).length;
    };
    expect(time('inside')).toBeCloseTo(7 * 3e-6 + ((7 / 8) * bytes) / 370e9, 12);
    expect(time('across')).toBeCloseTo(15 * 10e-6 + ((8 / 16) * bytes) / 48.5e9, 12);
  });

  it('holds as many experts on a device as its ranks leave it', () => {
    const expertWeights = 3 * 2048 * 768;
    for (const [pipeline, expert] of [
      ['inside', 8],
      ['across', 16],
    ] as const) {
      const { weights, parameters, layers } = stageOf(analysis, pipeline, 0);
      const blocks = layers.filter((name) => !name.startsWith('embed')).length;
      expect(weights).toBe(2 * (parameters - blocks * 128 * expertWeights * (1 - 1 / expert)));
    }
  });
});

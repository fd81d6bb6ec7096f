/** Long sequences of NeMo 24.03.01 and 25.04 ("Long Sequence Performance"), Llama 2 7B on H100s and Llama 3 8B on B200s. */
import type { Family, Run } from './run.ts';

interface Model {
  readonly kvShare: number;
  readonly ffn: number;
  readonly vocab: number;
}
const models: Readonly<Record<'on_h100' | 'on_b200', Model>> = {
  on_h100: { kvShare: 1, ffn: 11008, vocab: 32000 },
  on_b200: { kvShare: 8 / 32, ffn: 14336, vocab: 128256 },
};

/** FLOPs of a token as NeMo counts them (`flops_formulas.py`): the core whole. */
function flopsOfToken({ kvShare, ffn, vocab }: Model, tokens: number): number {
  const [layers, hidden] = [32, 4096];
  const perLayer = 12 + 12 * kvShare + (18 * ffn) / hidden + (12 * tokens) / hidden;
  return layers * hidden ** 2 * perLayer + 6 * vocab * hidden;
}

type Ranks = readonly [tensor: number, pipes: number, data: number, context: number];

const run = (
  pipeline: 'on_h100' | 'on_b200',
  thousands: number,
  [tensor, pipes, data, context]: Ranks,
  measured: number,
): Run => {
  const tokens = 1024 * thousands;
  const ranks = tensor * pipes * data * context;
  return {
    name: `${tokens} tokens`,
    setting: `${ranks} ${pipeline === 'on_h100' ? 'H100' : 'B200'}, tensor ${tensor}, pipeline ${pipes}, data ${data}, context ${context}`,
    file: 'nemo_long_context.pipe',
    pipeline,
    sliders: { tokens, tensor, pipes, data, context },
    measured,
    fitted: pipeline === 'on_b200' || thousands >= 32,
    predict: ({ throughput }) => (throughput * tokens * flopsOfToken(models[pipeline], tokens)) / ranks / 1e12,
  };
};

export const nemoLongContext: Family = {
  name: 'nemo_long_context',
  title: 'NeMo, 4k to 1M tokens with fp8, TFLOP/s',
  unit: 'TFLOP/s per GPU',
  digits: 0,
  runs: [
    run('on_h100', 4, [1, 1, 4, 1], 768),
    run('on_h100', 8, [1, 2, 4, 1], 730),
    run('on_h100', 16, [2, 1, 8, 1], 660),
    run('on_h100', 32, [2, 1, 8, 2], 610),
    run('on_h100', 64, [4, 1, 8, 2], 574),
    run('on_h100', 128, [4, 1, 8, 4], 555),
    run('on_h100', 256, [4, 1, 8, 8], 549),
    run('on_h100', 512, [8, 1, 4, 16], 549),
    run('on_h100', 1024, [8, 1, 4, 32], 536),
    run('on_b200', 16, [1, 1, 4, 1], 1717),
    run('on_b200', 32, [1, 1, 4, 2], 1624),
    run('on_b200', 64, [1, 1, 4, 4], 1600),
    run('on_b200', 128, [2, 1, 4, 4], 1588),
    run('on_b200', 256, [4, 1, 4, 4], 1590),
    run('on_b200', 512, [4, 1, 4, 8], 1619),
    run('on_b200', 1024, [4, 1, 4, 16], 1608),
  ],
};

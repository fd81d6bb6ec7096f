import { describe, expect, it } from 'vitest';
import { analyse } from '../../support/analyse.ts';

/**
 * Rows with fp8 and without recomputation of Megatron Bridge (docs/performance-summary.md, 25.11; perf_recipes/llama/h100). Their
 * precision is `bf16_with_fp8_current_scaling_mixed`: fp8 primary weights, and gradients reduced in bf16.
 */
const rows = [
  {
    name: 'Llama 3 70B on 64 H100',
    device: 'h100',
    model: 'llama3_70b',
    gpus: 64,
    pipeline: 'stages = balance(40)  schedule = interleaved_1f1b(chunks = 5)  data = 2  tensor = 4',
  },
  {
    name: 'Llama 3.1 405B on 1024 H100',
    device: 'h100',
    model: 'llama3_1_405b',
    gpus: 1024,
    pipeline: 'stages = balance(64)  schedule = interleaved_1f1b(chunks = 8)  data = 8  tensor = 8  context = 2',
  },
  {
    name: 'Llama 3 8B on 8 GB200',
    device: 'gb200',
    model: 'llama3_8b',
    gpus: 8,
    batch: 2,
    pipeline: 'stages = balance(1)  schedule = 1f1b  data = 8',
  },
  {
    name: 'Llama 3.1 405B on 256 GB200',
    device: 'gb200',
    model: 'llama3_1_405b',
    gpus: 256,
    pipeline: 'stages = balance(64)  schedule = interleaved_1f1b(chunks = 4)  data = 4  tensor = 4',
  },
] as const;

const fileOf = (row: (typeof rows)[number], activations: string, optimizer: string) => `
import { ${row.model} } from "std:models"
import { ${row.device} } from "std:hardware"
model m { from = ${row.model}  sequence = 8192  micro_batch = ${'batch' in row ? row.batch : 1}  precision = fp8  ${activations} }
cluster gpus { gpu[${row.gpus}] = ${row.device}  link = 370GB/s + 3us }
pipeline p {
  model = m  devices = gpus  microbatches = 64  ${row.pipeline}
  ${row.pipeline.includes('tensor') ? 'sequence_parallel = true' : ''}
  optimizer = megatron_fp8(shard = distributed${optimizer})
}`;
const overflows = (text: string) => analyse(text).findings.some(({ code }) => code === 'memory/out-of-memory');
const ran = ', primary = fp8, main_grads = bf16';

describe('published presets with fp8 and without recomputation', () => {
  it.each(rows)('$name fits', (row) => {
    const { pipelines, findings } = analyse(fileOf(row, 'activations = fp8', ran));
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(pipelines[0]?.run).toBeDefined();
  });

  it('Llama 3 70B would not fit with 16-bit activations, primary weights and fp32 gradients', () => {
    expect(overflows(fileOf(rows[0], '', ''))).toBe(true);
  });
});

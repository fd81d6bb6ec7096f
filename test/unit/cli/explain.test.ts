import { describe, expect, test } from 'vitest';
import { standardFiles } from '../../../engine/std/index.ts';
import { call } from './harness.ts';

const everyday =
  'bubble tensor h100 transformer microbatch warm-up MFU ZeRO FSDP recompute activation in-flight staleness makespan tokens sequence optimizer Adam bf16 fp8 NVLink all-reduce ring expert offload';

describe('explain', () => {
  test.each(everyday.split(' '))('knows %s', async (word) => {
    const { status, out } = await call(['explain', word]);
    expect(status).toBe(0);
    expect(out).toMatch(/^# .+\n\n/);
  });

  /** One look-up of an expert each, and what the answer has to say. */
  test.each([
    ['waves', 'Default: `32`.'],
    ['ib_ndr_400', 'GB/s'],
    ['fixes', 'Option of check: --fixes'],
    ['pipelineTimeline.forward', '- dark: `#'],
    ['Gb/s', 'bits per second'],
    ['bound_within', 'Field of BubbleReport'],
    ['log2', 'logarithm to base two'],
    ['comm/shared-card', 'information'],
    ['policy', 'built-in schedule'],
    ['tf32', 'Four bytes an element'],
    ['pipewright.search.effort', 'Default: `1`'],
    ['infiniband', '48.5GB/s'],
    ['hfu', 'Term: HFU'],
    ['oom', 'Term: Out of memory'],
    ['zero3', 'Term: FSDP'],
    ['fsdp2', 'Term: FSDP'],
    ['search', 'Two other things have its name'],
  ])('looks up %s', async (name, part) => {
    expect((await call(['explain', name])).out).toContain(part);
  });

  /** What each of these names is, and what must come after it. */
  test.each([
    ['megatron', '## Training engine', '## Rule of gradient exchange: megatron'],
    ['over', '## Figure of a schedule', '## Option of plan: --over'],
    ['--over', '## Option of plan: --over', '## Figure of a schedule'],
    ['collective', '## Key of a pipeline', '## Colour: pipelineTimeline.collective'],
    ['trainable', '## Key of a model', '## Field of StageReport: trainable'],
    ['sequence', '## Key of a model', '## Field of'],
  ])('%s: %s comes first', async (name, first, later) => {
    const { out } = await call(['explain', name]);
    expect(out).toMatch(new RegExp(`^# ${name.replace(/^--/u, '')}\n\n${first}\n`, 'u'));
    if (out.includes(later)) expect(out.indexOf(later)).toBeGreaterThan(out.indexOf(first));
  });

  test('engines say which schedules they run', async () => {
    expect((await call(['explain', 'megatron'])).out).toContain('Schedules: `1f1b`, `interleaved_1f1b`');
    expect((await call(['explain', 'pytorch'])).out).toContain('Schedules: it takes the order as a table.');
  });

  /** Words that people use for what has another name here. */
  test.each([
    ['grad_dtype', '## Argument of megatron_bf16'],
    ['grad_dtype', 'Default: `fp32`.'],
    ['gradients', 'See also `main_grads`.'],
    ['precision', '`main_grads`'],
    ['nvlink', '(let of std:hardware): One NVLink 4 link (H100 has 18).'],
    ['nvlink', '`let nvlink4_link = 20.6GB/s + 3.4us`'],
    ['llama 3.1', '- `llama3_1_405b` (model of std:models)'],
    ['qlora', 'Here it is called `lora` and `nf4`.'],
    ['config.json', '`huggingface(file'],
    ['json', 'Here it is called `format`.'],
    ['--format', 'Option of check: --format'],
    ['tensor_model_parallel_size', '`tensor`'],
  ])('%s leads to %s', async (name, part) => {
    const { out, status } = await call(['explain', name]);
    expect(status).toBe(0);
    expect(out).toContain(part);
  });

  test('the page of the language has the adapters', async () => {
    expect((await call(['explain', 'language'])).out).toContain('- `trainable =`: lora(rank = 16)');
  });

  test('says where the reference is', async () => {
    expect((await call(['explain', 'microbatches'])).out).toContain('docs/look-up/language/pipeline.md#microbatches');
  });

  test.each(['std', 'std:'])('%s lists what there is to import', async (name) => {
    const { status, out } = await call(['explain', name]);
    expect(status).toBe(0);
    for (const [path, text] of standardFiles) {
      const declared = new Set(text.match(/^(?:device|cluster|model|schedule|let|param)(?= )/gm));
      for (const kind of declared) {
        const all = text.match(new RegExp(`^${kind} `, 'gm'))?.length ?? 0;
        expect(out).toMatch(new RegExp(`^- \`${path}\`: .*\\b${all} ${kind}s?\\b`, 'm'));
      }
    }
  });

  test('offers the nearest name', async () => {
    const { status, err } = await call(['explain', 'bubbel']);
    expect([status, err]).toEqual([2, expect.stringContaining('Did you mean "bubble"?')]);
    expect((await call(['explain', 'microbach'])).err).toContain('Did you mean "Microbatch"?');
  });
});

import { describe, expect, test } from 'vitest';
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
  ])('looks up %s', async (name, part) => {
    expect((await call(['explain', name])).out).toContain(part);
  });

  test('says where the reference is', async () => {
    expect((await call(['explain', 'microbatches'])).out).toContain('docs/look-up/language/pipeline.md#microbatches');
  });

  test('offers the nearest name', async () => {
    const { status, err } = await call(['explain', 'bubbel']);
    expect([status, err]).toEqual([2, expect.stringContaining('Did you mean "bubble"?')]);
    expect((await call(['explain', 'microbach'])).err).toContain('Did you mean "Microbatch"?');
  });
});

import { describe, expect, test } from 'vitest';
import { analyse } from '../../support/analyse.ts';

const messages = (sync: string, collective: string): readonly string[] =>
  analyse(`
model m { layer a[4] { forward = 1ms  backward = 2ms  weights = 10MB } }
device gpu { memory = 16GiB }
cluster c { gpu[2] = gpu  link = 10GB/s }
pipeline p { model = m devices = c microbatches = 1 stages = balance(1) schedule = 1f1b data = 2
  sync = ${sync}  collective = ${collective} }
`).findings.flatMap(({ severity, message }) => (severity === 'error' ? [message] : []));

describe('buckets that are cut', () => {
  test('need a lane of their own for pushes', () => {
    expect(messages('overlap(partition = at_preemption, order = forward)', 'ps(colocated = true)')).toEqual([
      '"partition" is at_preemption; it must be a size of pieces, because pushes and pulls share one lane here.',
    ]);
    expect(messages('pace', 'ps(servers = 2, link = half(10GB/s))')).toEqual([
      '"partition" of pace is at_preemption; it must be a size of pieces, because pushes and pulls share one lane here.',
    ]);
  });
  test('may have servers with two lanes, or a collective', () => {
    expect(messages('pace', 'ps(servers = 2)')).toEqual([]);
    expect(messages('pace', 'ring')).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import { type EngineOptions, defaultOptions } from '../../../../engine/basics/host.ts';
import { fileOf, halfTime } from './fixture.ts';
import { analyse } from '../../../support/analyse.ts';

const sharded = (tensor: number, bandwidth: string, more = '') => `model m {
  sequence = 2048  micro_batch = 1  precision = bf16
  layer block[4] { shape = transformer(hidden = 4096, heads = 32) }
}
device gpu { memory = 800GiB  compute(bf16) = 900TFLOPS  bandwidth = 3TB/s }
cluster box { gpu[${4 * tensor}] = gpu  link = ${bandwidth} }
pipeline p {
  model = m  devices = box  stages = balance(4)  microbatches = 16  schedule = 1f1b  tensor = ${tensor}
  ${more}
}
`;

function exposedIn(text: string, options: EngineOptions = defaultOptions) {
  const { pipelines, findings } = analyse(text, { options });
  const [one] = pipelines;
  if (one?.run === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  const found = findings.filter(({ code }) => code === 'comm/exposed');
  return { report: one.run.report, found, place: found.map(({ place }) => text.slice(place.start, place.end)) };
}

describe('comm/exposed', () => {
  test('names tensor ranks with their share, and what would help', () => {
    const { report, found, place } = exposedIn(sharded(8, '25GB/s'));
    const tensor = report.stages.reduce((sum, { traffic }) => sum + (traffic?.tensor?.exposed ?? 0), 0);
    const links = report.links.reduce((sum, { exposed }) => sum + exposed, 0);
    expect(tensor / (4 * report.iteration)).toBeGreaterThan(0.05);
    expect(tensor).toBeGreaterThan(links);
    expect(found).toHaveLength(1);
    expect(place).toEqual(['p']);
    const at = (part: string) => found[0].message.indexOf(part);
    expect(at('tensor ranks')).toBeGreaterThan(0);
    expect(at('tensor ranks')).toBeLessThan(at('transfers (most on'));
    expect(found[0].message).toContain('Fewer tensor ranks send less, but each device then holds more of each layer.');
  });

  test('says that tensor ranks in several nodes are the cause, and asks for no kernels that reach one node only', () => {
    const within = exposedIn(sharded(8, '25GB/s')).found[0].message;
    expect(within).not.toContain('The cause');
    expect(within).toContain('set `overlap(tensor)`');
    const nodes = sharded(8, '25GB/s').replace(
      'gpu[32] = gpu  link = 25GB/s',
      'node[8] { gpu[4] = gpu  link = 25GB/s }  link = 10GB/s',
    );
    const across = exposedIn(nodes).found[0].message;
    expect(across).toContain('The cause: 8 tensor ranks are in 2 nodes, and links between nodes are slower');
    expect(across).not.toContain('overlap(tensor)');
  });

  test('names what hides the exchange of tokens', () => {
    const experts = sharded(1, '1GB/s', 'data = 4  expert = 4')
      .replace('heads = 32)', 'heads = 32, experts = 8, experts_per_token = 2)')
      .replace('gpu[4] = gpu', 'gpu[16] = gpu');
    expect(exposedIn(experts).found[0].message).toContain(
      'Fewer expert ranks send less, but each device then holds more of the experts. If your engine computes while it sends tokens to experts, set `overlap(expert)`.',
    );
  });

  test('what kernels hide is not said', () => {
    expect(exposedIn(sharded(8, '100TB/s')).found).toEqual([]);
    const { report, found } = exposedIn(sharded(2, '400GB/s', 'overlap(tensor) = 100%'));
    expect(report.stages.every(({ traffic }) => traffic?.tensor?.exposed === 0)).toBe(true);
    expect(found).toEqual([]);
  });

  test('gradients: the threshold is a share of the iteration of all devices', () => {
    // A second of computing and a bit for four equal devices that all exchange as long.
    const text = fileOf({ weights: [120], microbatches: 8 });
    const seconds = 4 * 2 * halfTime(120, 2);
    const { report } = exposedIn(text);
    const part = seconds / report.iteration;
    const at = (exposed: number) =>
      exposedIn(text, { ...defaultOptions, thresholds: { ...defaultOptions.thresholds, exposed } }).found;
    expect(at(part * 1.001)).toEqual([]);
    expect(at(0)).toHaveLength(1);
    const [found] = at(part * 0.999);
    expect(found.message).toContain('for gradients. `sync = overlap`');
  });
});

/** Node-limited routing (DeepSeek-V3, arXiv:2412.19437, section 2.1.2), from the file to the seconds of a stage. */
import { expect, test } from 'vitest';
import { checkFindings } from '../../support/expected.ts';
import { planOf } from '../../support/resolve.ts';

const [hidden, tokens, ranks] = [512, 1024, 16];
const moe = (limit: string) =>
  `transformer(hidden = ${hidden}, heads = 8, flash = true, dropout = false, experts = 16, experts_per_token = 8, expert_ffn = 64${limit})`;
const fileOf = (layers: readonly string[]) => `model m {
  sequence = ${tokens}
  ${layers.map((layer, index) => `layer block${index} = ${layer}`).join('\n  ')}
}
device gpu { memory = 80GiB  compute = 100TFLOPS }
cluster box { node[4] { gpu[4] = gpu  link = 100GB/s + 1us }  link = 10GB/s + 10us }
pipeline p { model = m  devices = box  stages = balance(1)  microbatches = 4  schedule = 1f1b  data = ${ranks}  expert = ${ranks} }
`;
const traffic = (limit: string, more: readonly string[] = []) => {
  const [stage] = planOf(fileOf([moe(limit), ...more])).stages;
  return stage.traffic?.expert ?? { bytes: NaN, time: NaN };
};
/** Of one all-to-all of all eight copies; a forward and a backward have four. */
const copies = 8 * 2 * tokens * hidden;

test('a token crosses the network once for each of its nodes, and its relay sends the copies on', () => {
  // Three of four nodes are elsewhere. Inside a node three of four ranks are.
  const { bytes, time } = traffic(', nodes_per_token = 2');
  const network = (3 / 4) * (2 / 8) * copies;
  const inside = (3 / 4) * copies;
  expect(bytes).toBeCloseTo(4 * (network + inside), 3);
  expect(time).toBeCloseTo(4 * (network / 10e9 + 3 * 10e-6 + 3 * 1e-6), 9);
});

test('without a limit each copy crosses the network', () => {
  const { bytes, time } = traffic('');
  expect(bytes).toBeCloseTo(4 * (15 / 16) * copies, 3);
  expect(time).toBeCloseTo(4 * (((12 / 16) * copies) / 10e9 + 15 * 10e-6), 9);
});

test('the layer whose tokens go to most nodes decides for all', () => {
  const time = (limit: string, second: string) => traffic(limit, [moe(second)]).time;
  const two = ', nodes_per_token = 2';
  const three = ', nodes_per_token = 3';
  expect(time(two, three)).toBe(time(three, three));
  expect(time(three, two)).toBe(time(three, three));
  expect(time(two, '')).toBe(time('', ''));
  expect(time(two, two)).toBeLessThan(time(three, three));
});

test('limits that cannot be are reported', () => {
  const wrong = (args: string) =>
    `model m {\n  sequence = 64\n  layer a = ⟦type/mismatch:transformer(hidden = 512, heads = 8, ${args})⟧\n}`;
  checkFindings(wrong('experts = 16, experts_per_token = 4, nodes_per_token = 5'), [
    'nodes_per_token 5 is more than experts_per_token 4: 4 experts are on at most 4 nodes',
  ]);
  checkFindings(wrong('nodes_per_token = 2'), ['nodes_per_token needs experts']);
});

/** Stages that exchange gradients through one network card, against bytes through the card counted by hand. */
import { describe, expect, test } from 'vitest';
import { analyse } from '../../support/analyse.ts';

/** Stages of 1 GB of gradients over two nodes, each with a card of 10 GB/s. */
const file = (more: string, card = '10GB/s') => `
model two { precision = fp32  layer block[2] { forward = 1ms  backward = 1ms  weights = 1GB } }
device g { memory = 80GiB }
cluster c {
  switch core {}
  node[2] { gpu[4] = g  switch nic { ports = gpu[0..3]  link = 100GB/s }  link nic -- core = ${card} }
}
pipeline p { model = two  devices = c  microbatches = 1  schedule = 1f1b  ${more} }
`;
/** Ranks of each stage are in both nodes. */
const across = 'data = 4  stages = balance(2)  rank_order = tp_cp_pp_dp';

function cards(text: string) {
  const { findings } = analyse(text);
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  return findings.filter(({ code }) => code === 'comm/shared-card').map(({ message }) => message);
}

describe('comm/shared-card', () => {
  test.each(['', 'sync = end', 'sync = overlap', 'sync = ddp', 'collective = nccl'])('%s', (sync) => {
    // Half of 1 GB leaves a node in a reduce-scatter, and half in an all-gather, for each of two stages.
    const [message, ...others] = cards(file(`${across}  ${sync}`));
    expect(others).toEqual([]);
    expect(message).toContain('gradients of s0 and s1 go through the link nic – core of 10 GB/s');
    expect(message).toContain('1.86 GiB in each iteration, which need at least 200 ms');
  });
  test('counts only the gradients where updated weights are gathered', () => {
    const [message] = cards(file(`${across}  sync = end  optimizer = adam(shard = zero1)`));
    expect(message === undefined || message.includes('at least 100 ms')).toBe(true);
  });
  test.each([
    ['one stage', file('data = 8  stages = balance(1)')],
    ['stages in nodes of their own', file('data = 4  stages = balance(2)')],
    [
      'links of their own',
      file(across).replace('link nic -- core = 10GB/s', '').replace('switch core {}', 'link = 10GB/s'),
    ],
    ['servers, which send other bytes', file(`${across}  sync = overlap  collective = ps`)],
    ['gradients that are scattered after each backward', file(`${across}  optimizer = adam(shard = zero2)`)],
    ['asynchronous schedules', file(across).replace('1f1b', 'pipedream')],
  ])('is left out for %s', (_, text) => {
    expect(cards(text)).toEqual([]);
  });
  test('is left out where stages exchange one after another', () => {
    // The backward of the first stage takes longer than the other's exchange.
    const apart = file(`${across}  sync = end`).replace(
      'layer block[2] { forward = 1ms  backward = 1ms  weights = 1GB }',
      'layer front { forward = 1ms  backward = 300ms  weights = 1GB }  layer back { forward = 300ms  backward = 1ms  weights = 1GB }',
    );
    expect(cards(apart)).toEqual([]);
  });
});

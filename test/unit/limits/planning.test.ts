/** Work that planning a few lines may take: counted, because time depends on the machine. */
import { describe, expect, test } from 'vitest';
import { evaluationSize } from '../../../engine/schedule/evaluation.ts';
import { plinkCall } from '../../../engine/network/collectives/plink.ts';
import { routesOf } from '../../../engine/network/routes/routesOf.ts';
import { costsAhead, lengthCosts } from '../../../engine/planning/cost/lengthCosts.ts';
import { loneSite } from '../../../engine/planning/place/sites.ts';
import { analyse } from '../../support/analyse.ts';
import { heavyTexts } from '../../support/heavyTexts.ts';
import { planOf, resolveText } from '../../support/resolve.ts';
import { clusterOf, deviceOf, modelOf } from './definitions.ts';

/** Searches that take more steps are for another thread. */
const onTheSpot = 500_000;

test.each(['the best bucket of twenty thousand layers', 'the best pieces of twenty thousand layers'])(
  '%s are no work for the thread that answers requests',
  (name) => {
    const { plan } = resolveText(heavyTexts[name]);
    expect(evaluationSize(plan.pipelines[0])).toBeGreaterThan(20 * onTheSpot);
  },
);

test('a pipeline of plain buckets is still evaluated on the spot', () => {
  expect(evaluationSize(planOf('data-parallel.pipe'))).toBeLessThan(onTheSpot);
});

describe('microbatches of different lengths', () => {
  const model = modelOf(
    'model m { sequence = 4096  layer block[500] = transformer(hidden = 64, heads = 4, ffn = 256) }',
  );
  const site = loneSite(deviceOf('device d { memory = 1GiB  compute = 1TFLOPS  bandwidth = 1TB/s }'));
  const tokens = Array.from({ length: 300 }, (_, index) => 100 + index);
  const costs = lengthCosts(model, { key: 'tokens', tokens });

  test('cost layers of an array once for each length', () => {
    const first = costs.of(0, site, 'none');
    expect(costs.of(499, site, 'none')).toBe(first);
    expect(costs.output(499, site)).toBe(costs.output(0, site));
  });
  test('pause while they are costed, as often as there are costs', () => {
    const pauses = [...costsAhead(costs, model, [site, site], 'none')].length;
    expect(pauses).toBe(Math.floor(tokens.length / 128) + 1);
  });
  test('are limited together with the layers', () => {
    const { findings } = analyse(heavyTexts['four thousand lengths of two thousand different layers']);
    expect(findings.map(({ code }) => code)).toEqual(['limit/too-large']);
    expect(findings[0].message).toContain('Layers of pipeline "p" times the lengths of its microbatches');
  });
});

describe('routes between ranks', () => {
  const ranks = (count: number): readonly number[] => Array.from({ length: count }, (_, rank) => rank);
  test('are found once for ranks that are linked alike', () => {
    const cluster = clusterOf(
      'device d { memory = 1GiB }\ncluster c { gpu[400] = d  switch s { ports = gpu[0..399]  link = 1GB/s + 5us } }',
    );
    const routes = routesOf(cluster);
    const { between } = routes;
    let asked = 0;
    Object.assign(routes, {
      between: (...given: Parameters<typeof between>) => {
        asked += 1;
        return between(...given);
      },
    });
    expect('push' in plinkCall(cluster, [ranks(400)], 1e6)).toBe(true);
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThan(5_000);
  });
  const unlike = (collective: string): readonly string[] =>
    analyse(heavyTexts[`${collective} of two thousand different links`])
      .findings.filter(({ severity }) => severity === 'error')
      .map(({ message }) => message);
  test('of ranks that all differ are not searched for an advice', () => {
    expect(unlike('a ring')).toEqual([]);
  });
  test('of ranks that all differ are refused where each pair of them is needed', () => {
    expect(unlike('plink')).toEqual([expect.stringContaining('"ranks with different links" of plink is 2000')]);
  });
});

import { describe, expect, test } from 'vitest';
import { findPolicy } from '../../../../engine/policies/registry.ts';
import { shapeOf } from '../../../../engine/policies/shape.ts';
import { asynchronousPlan, run, stalenessOf, type AsynchronousRecipe } from './plans.ts';

const explained = (recipe: AsynchronousRecipe): string =>
  (findPolicy(recipe.name)?.explain(shapeOf(asynchronousPlan(recipe))) ?? []).join('\n');
const figures = (text: string, what: string): readonly number[] => {
  const line = text.split('\n').find((name) => name.startsWith(what)) ?? '';
  const every = /(\d+) on every stage/.exec(line)?.[1];
  if (every !== undefined) return [Number(every)];
  return (/((?:\d+, )+\d+)/.exec(line)?.[1] ?? '').split(', ').map(Number);
};

describe('what a policy says of itself is what its program does', () => {
  test.each<AsynchronousRecipe>([
    { name: 'pipedream', stages: 5 },
    { name: 'pipedream', args: { in_flight: 9 }, stages: 5 },
    { name: 'pipedream', args: { in_flight: 2 }, stages: 5 },
    { name: 'pipedream', args: { weights: 'vertical_sync' }, stages: 3 },
    { name: 'pipedream', args: { weights: 'latest' }, stages: 3 },
    { name: 'pipedream', stages: 3, replicas: [2, 1, 1] },
    { name: 'pipedream_2bw', stages: 4, microbatches: 8 },
    { name: 'pipelined_backprop', stages: 4 },
    { name: 'pipelined_backprop', stages: 4, microbatches: 4 },
  ])('$name $args $stages $replicas', (recipe) => {
    const ran = run(asynchronousPlan({ ...recipe, iterations: 64 }));
    const text = explained(recipe);
    const first = (recipe.replicas ?? Array.from({ length: recipe.stages }, () => 1)).map((_, stage, all) =>
      all.slice(0, stage).reduce((sum, value) => sum + value, 0),
    );
    const same = (values: readonly number[]) => (new Set(values).size === 1 ? values.slice(0, 1) : values);
    expect(figures(text, 'versions')).toEqual(same(first.map((stage) => ran.versions.most[stage])));
    expect(figures(text, 'staleness')).toEqual(same(first.map((stage) => Math.max(...stalenessOf(ran, stage)))));
  });
});

test('fill and drain and spike compensation have their figures', () => {
  const text = explained({ name: 'pipelined_backprop', args: { momentum: 0.5 }, stages: 3, microbatches: 1 });
  // D = 4, 2, 0: a = μ^D, b = (1 − μ^D) / (1 − μ).
  expect(text).toContain('0.0625, 0.25, 1');
  expect(text).toContain('1.88, 1.5, 0');
  expect(text).toContain('1 / (N + 2S − 2)'.replace('1 /', 'N /'));
  expect(text).toContain('20 %');
});

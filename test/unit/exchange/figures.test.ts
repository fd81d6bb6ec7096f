/** Published examples and figures worked out by hand: see docs/communication. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { collective, iteration, MB, MiB, ms, type Rule, servers, type TensorLayer } from './chains.ts';

const layer = (forward: number, backward: number, megabytes: number): TensorLayer => ({
  forward: forward * ms,
  backward: backward * ms,
  bytes: megabytes * MB,
});
const line = 10e9;
const inMs = (layers: readonly TensorLayer[], rule: Rule, call = collective(line), microbatches = 1): number =>
  iteration(layers, call, rule, microbatches).period / ms;

/** Front, mid and back. */
const toy = [layer(1, 1, 10), layer(1, 1, 10), layer(1, 1, 40)];
const ddp: Rule = { bucket: 25 * MiB, first: 1 * MiB };
const forward: Rule = { order: 'forward', barrier: false };
const pieces: Rule = { ...forward, partition: 10 * MB, credit: 10 * MB };
const call = collective(line, 0.2 * ms);

describe('three layers of 1 ms, tensors of 1, 1 and 4 ms', () => {
  test.each<[name: string, rule: Rule, milliseconds: number]>([
    ['layer by layer', {}, 10],
    ['ddp', ddp, 10],
    ['forward', forward, 9],
    ['forward in pieces', pieces, 8],
    ['forward in pieces, one at a time', { ...forward, partition: 10 * MB }, 8],
    ['so much credit that it is first in, first out', { ...pieces, credit: 40 * MB }, 10],
    ['acknowledged after 0.5 ms', { ...pieces, ack: 0.5 * ms }, 10.5],
    ['acknowledged after 0.5 ms, with credit for two', { ...pieces, ack: 0.5 * ms, credit: 20 * MB }, 8],
    ['one bucket', { bucket: 60 * MB, barrier: false }, 12],
    ['one bucket, started early', { bucket: 60 * MB, barrier: false, earlyStart: true, partition: 10 * MB }, 10],
    ['horovod', { cycle: 1.5 * ms, fuse: 128 * MiB }, 10.5],
    ['dear', { halves: 'apart', barrier: false }, 8],
  ])('%s', (_, rule, milliseconds) => {
    expect(inMs(toy, rule)).toBeCloseTo(milliseconds, 9);
  });

  test.each<[name: string, rule: Rule, milliseconds: number]>([
    ['in pieces of 10 MB', pieces, 9.2],
    ['in pieces of 5 MB', { ...pieces, partition: 5 * MB, credit: 5 * MB }, 10.4],
    ['ddp', ddp, 10.4],
    ['cut at preemption', { ...forward, partition: 'at_preemption' }, 9],
  ])('with 0.2 ms a call, %s', (_, rule, milliseconds) => {
    expect(inMs(toy, rule, call)).toBeCloseTo(milliseconds, 9);
  });

  test.each<[name: string, rule: Rule, milliseconds: number]>([
    ['layer by layer', {}, 14],
    ['in pieces of 10 MB', { partition: 10 * MB }, 11],
    ['forward in pieces of 10 MB', pieces, 9],
    ['p3, slices of 50000 parameters', { ...forward, partition: 100e3 }, 8.01],
  ])('two servers, %s', (_, rule, milliseconds) => {
    expect(inMs(toy, rule, servers(line))).toBeCloseTo(milliseconds, 9);
  });

  test.each<[name: string, rule: Rule, milliseconds: number]>([
    ['layer by layer', {}, 16],
    ['forward in pieces of 10 MB', pieces, 14],
  ])('two microbatches, %s', (_, rule, milliseconds) => {
    expect(inMs(toy, rule, collective(line), 2)).toBeCloseTo(milliseconds, 9);
  });
});

/** Tensors of 0.5, 1, 2 and 6 ms. */
const four = [layer(1, 2, 5), layer(1, 2, 10), layer(1, 2, 20), layer(1, 2, 60)];

describe('four layers', () => {
  test.each<[name: string, rule: Rule, milliseconds: number]>([
    ['layer by layer', {}, 15.5],
    ['forward', forward, 13.5],
    ['pieces of 1 ms', { ...forward, partition: 10 * MB }, 12.5],
    ['pieces of 0.5 ms, credit for 1 ms', { ...forward, partition: 5 * MB, credit: 10 * MB }, 13],
  ])('%s', (_, rule, milliseconds) => {
    expect(inMs(four, rule)).toBeCloseTo(milliseconds, 9);
  });
});

/** PipeDream's profile: milliseconds and bytes of each node of a chain. The input loads data, and is not computed. */
const vgg = [
  ...readFileSync('examples/profiles/vgg16.graph.txt', 'utf8').matchAll(
    /^node(\d+) -- (?!Input).*forward_compute_time=([\d.]+), backward_compute_time=([\d.]+), .*parameter_size=([\d.]+)/gm,
  ),
]
  .map(([, node, forward, backward, bytes]) => ({ node: +node, forward: +forward, backward: +backward, bytes: +bytes }))
  .sort((a, b) => a.node - b.node)
  .map(({ forward, backward, bytes }) => layer(forward, backward, bytes / MB));
/** A ring of 4 over 10 Gb/s with 20 µs a hop. */
const ring = collective(1.25e9 / 1.5, 120e-6);

describe('VGG-16 on four GPUs over 10 Gb/s', () => {
  test.each<[name: string, rule: Rule, milliseconds: number]>([
    ['layer by layer', {}, 900.4862112],
    ['ddp', ddp, 899.2862112],
    ['forward', forward, 782.095248],
    ['bytescheduler', { ...forward, partition: 4e6, credit: 16e6 }, 691.7205024],
    ['pieces of 16 MB', { ...forward, partition: 16e6 }, 673.7205024],
    ['cut at preemption', { ...forward, partition: 'at_preemption' }, 672.6636016],
  ])('%s', (_, rule, milliseconds) => {
    expect(inMs(vgg, rule, ring)).toBeCloseTo(milliseconds, 7);
  });
});

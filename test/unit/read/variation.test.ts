import { describe, expect, it, test } from 'vitest';
import { parse } from '../../../grammar/parse.ts';
import { format } from '../../../grammar/index.ts';
import { analyse, fixesOf } from '../../support/analyse.ts';
import { checkFindings } from '../../support/expected.ts';
import { resolveText } from '../../support/resolve.ts';

const text = (keys: string): string => `
model m { layer l[8] { forward = 1ms  backward = 2ms } }
device d { memory = 1GiB }
cluster c { gpu[4] = d  link = 1GB/s }
pipeline train { model = m  devices = c  microbatches = 8  stages = balance(4)  schedule = 1f1b  ${keys} }
`;
const planOf = (keys: string) => resolveText(text(keys)).plan.pipelines[0];

describe('jitter and slow', () => {
  it('are by stage and by device of the plan, and absent where they say nothing', () => {
    expect(planOf('jitter = 5%  jitter(stage = 3) = 10%').jitter).toEqual([0.05, 0.05, 0.05, 0.1]);
    expect(planOf('jitter(1) = 10%').jitter).toEqual([0, 0.1, 0, 0]);
    expect(planOf('slow(device = 2) = 1.2  slow(device = 0) = 0.9').slow).toEqual([0.9, 1, 1.2, 1]);
    // A jitter of 0 is a jitter: its percentiles are the iteration.
    expect(planOf('jitter = 0%').jitter).toEqual([0, 0, 0, 0]);
    const report = analyse(text('jitter = 0%')).pipelines[0].run?.report;
    expect(report?.iteration).toBeGreaterThan(0);
    expect(report?.jitter?.p95).toBe(report?.iteration);
    expect(planOf('slow(device = 1) = 1')).not.toHaveProperty('jitter');
    expect(planOf('jitter = 0%  slow(device = 1) = 1')).not.toHaveProperty('slow');
  });

  const stages = ['first', 'b', 'c', 'last']
    .map((name, at) => `stage ${name} { layers = l[${2 * at}..${2 * at + 1}] }`)
    .join('  ');
  const named = (keys: string): string => text(keys).replace('stages = balance(4)', stages);

  it('name a stage of the pipeline, which is the same as its number', () => {
    const plan = (keys: string) => resolveText(named(keys)).plan.pipelines[0];
    expect(plan('jitter(stage = last) = 10%').jitter).toEqual([0, 0, 0, 0.1]);
    expect(plan('jitter(b) = 10%  jitter(stage = 2) = 5%  jitter = 1%').jitter).toEqual([0.01, 0.1, 0.05, 0.01]);
    const copies = resolveText(named('jitter(stage = b) = 10%').replace('1f1b', 'chimera')).plan.pipelines[0];
    expect(copies.jitter?.filter((share) => share === 0.1)).toHaveLength(2);
    expect(copies.jitter?.map((share, at) => share > 0 && copies.stages[at].copy?.stage)).toContain(1);
  });

  test.each([
    ['jitter(stage = ⟦name/unknown:lst⟧) = 5%', 'Unknown stage "lst". Did you mean "last"?'],
    ['jitter(stage = last) = 5%  jitter(stage = ⟦key/duplicate:3⟧) = 6%', '"jitter(stage = 3)" is set twice'],
    ['jitter(stage = last) = 5%  ⟦key/duplicate:jitter⟧(stage = last) = 6%', '"jitter(stage = last)" is set twice'],
    ['slow(device = ⟦name/unknown:last⟧) = 2', 'Unknown name "last".'],
  ])('of named stages: %s', (keys, words) => {
    checkFindings(named(keys), [words]);
  });

  it('are factors, and a share gets the factor that it stands for', () => {
    for (const [share, factor] of [
      ['20%', '1.2'],
      ['0.5%', '1.005'],
      ['120%', '1.2'],
      ['100%', '1'],
    ]) {
      const words = `Expected a factor on the times of the device, found a share; write for example \`${factor}\`.`;
      checkFindings(text(`slow(device = 2) = ⟦type/dimension:${share}⟧`), [words]);
      checkFindings(`let much = ${share}\n${text('slow(device = 2) = ⟦type/dimension:much⟧')}`, [words]);
      const titles = fixesOf(analyse(text(`slow(device = 2) = ${share}`)), 'type/dimension').map(({ title }) => title);
      expect(titles[0]).toContain(`Write ${factor}`);
    }
  });

  it('are for every chunk and every copy of a stage', () => {
    const looped = planOf('jitter(stage = 1) = 10%').jitter;
    expect(looped).toHaveLength(4);
    const copies = resolveText(text('jitter(stage = 1) = 10%').replace('1f1b', 'chimera')).plan.pipelines[0];
    expect(copies.stages).toHaveLength(8);
    expect(copies.jitter?.filter((share) => share === 0.1)).toHaveLength(2);
  });

  test.each([
    ['jitter = ⟦value/range:200%⟧', 'from 0 % to 100 %'],
    ['jitter(stage = ⟦value/range:4⟧) = 5%', 'from 0 to 3'],
    ['jitter(⟦type/mismatch:device⟧ = 1) = 5%', '`jitter(stage = 2)`'],
    ['jitter(stage = 1, ⟦type/mismatch:2⟧) = 5%', 'one stage'],
    ['jitter = 5%  ⟦key/duplicate:jitter⟧ = 6%', 'jitter'],
    ['slow(device = ⟦value/range:7⟧) = 2', 'from 0 to 3'],
    ['slow(device = 1) = ⟦value/range:0⟧', '0.01'],
    ['⟦type/mismatch:slow⟧ = 2', '`slow(x) = …`'],
    ['jitter(stage = ⟦type/mismatch:stage⟧) = 5%', 'Expected a stage, such as `jitter(stage = 2)`, found `stage`.'],
    ['slow(⟦type/mismatch:device⟧) = 2', 'Expected a device, such as `slow(device = 2)`, found `device`.'],
    ['slow(device = 1) = ⟦type/dimension:2ms⟧', 'Expected a plain number, found a time'],
  ])('%s', (keys, words) => {
    checkFindings(text(keys), [words]);
  });

  it('have no effect where iterations run into each other', () => {
    checkFindings(text('⟦key/not-applicable:jitter⟧ = 5%').replace('1f1b', 'pipedream'), ['asynchronous']);
    checkFindings(text('data = 1  ⟦key/not-applicable:jitter⟧ = 5%  sync = ⟦key/not-applicable:bytescheduler⟧'), [
      'barrier',
    ]);
  });
});

describe('percentiles', () => {
  const expects = (condition: string, keys = 'jitter = 5%'): string => `${text(keys)}expect train { ${condition} }\n`;

  it('are figures of the iteration', () => {
    checkFindings(expects('p50(iteration) > 1us  p95(iteration) < 1s and p99(iteration) < 1s'), []);
    checkFindings(expects('p95(⟦type/mismatch:bubble⟧) < 1s'), ['bubble']);
    checkFindings(expects('p95(⟦type/mismatch:stage = 0⟧) < 1s'), ['`p95(iteration)`']);
  });
});

it('is formatted as a call', () => {
  expect(format(parse('pipeline p{jitter ( stage=3 )=10%}'))).toMatchObject({
    ok: true,
    text: expect.stringContaining('jitter(stage = 3) = 10%') as string,
  });
});

it('takes names in no other key', () => {
  expect(parse('schedule s { row(d = 3) = F[0] }').errors).toHaveLength(1);
});

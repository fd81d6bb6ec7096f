import { describe, expect, it } from 'vitest';
import type { StagePlan } from '../../../engine/values/plan.ts';
import { relay } from '../../../engine/planning/cost/relay.ts';
import { checkFindings } from '../../support/expected.ts';

/** Three layers of 3 ms, 9 MiB each, 2 MiB out; two stages, two layers and one. */
const file = (keys: string, stages = 'stages = split(2, 1)') => `
device gpu { memory = 1GiB }
cluster box { gpu[2] = gpu  link = 1GB/s }
model m { layer a[3] { forward = 3ms  backward = 6ms  activation = 9MiB  output = 2MiB } }
pipeline train { model = m  devices = box  microbatches = 4  ${stages}  ${keys} }
`;
const MiB = 2 ** 20;
const stagesOf = (keys: string, stages?: string, messages: readonly string[] = []): readonly Partial<StagePlan>[] =>
  (checkFindings(file(keys, stages), messages).plan.pipelines[0]?.stages ?? []).map(
    ({ activation, recomputed, recomputedWhole, recompute, recomputeMode }) => ({
      activation: activation / MiB,
      recomputed: recomputed / MiB,
      ...(recomputedWhole === undefined ? {} : { recomputedWhole: recomputedWhole / MiB }),
      recompute,
      recomputeMode,
    }),
  );
const whole = [
  // The first stage reads the data.
  { activation: 0, recomputed: 18, recompute: 0.006, recomputeMode: 'stage' },
  { activation: 2, recomputed: 7, recompute: 0.003, recomputeMode: 'stage' },
];

describe('recomputation of a stage', () => {
  it('keeps what enters the stage', () => {
    expect(stagesOf('schedule = gpipe  recompute = stage')).toEqual(whole);
    expect(
      stagesOf('schedule = gpipe', 'stage x { layers = a[0..1]  recompute = stage }  stage y { layers = a[2] }'),
    ).toEqual([whole[0], { activation: 9, recomputed: 0, recompute: 0, recomputeMode: 'none' }]);
  });

  it('by layers makes one again at a time, or all at once in an operation of its own', () => {
    expect(stagesOf('schedule = 1f1b  recompute = full')).toEqual([
      { activation: 2, recomputed: 9, recomputedWhole: 16, recompute: 0.006, recomputeMode: 'full' },
      { activation: 2, recomputed: 7, recompute: 0.003, recomputeMode: 'full' },
    ]);
  });

  it('is what torchgpipe does, without being asked and whatever else is asked', () => {
    expect(stagesOf('schedule = torchgpipe')).toEqual(whole);
    expect(stagesOf('schedule = torchgpipe(checkpoint = never)').map((stage) => stage.recomputeMode)).toEqual([
      'none',
      'none',
    ]);
    const said = 'torchgpipe decides what is recomputed';
    expect(stagesOf('schedule = torchgpipe  recompute = ⟦key/not-applicable:full⟧', undefined, [said])).toEqual(whole);
  });
});

describe('when to recompute', () => {
  it('is an option of every policy, named or last', () => {
    const plans = ['1f1b(recompute = ahead)', 'zb_h1(recompute = with_backward)', 'gpipe(ahead)'].map(
      (schedule) => checkFindings(file(`schedule = ${schedule}  recompute = full`)).plan.pipelines[0].schedule,
    );
    expect(plans).toMatchObject([
      { name: '1f1b', args: { recompute: 'ahead' } },
      { name: 'zb_h1', args: { recompute: 'with_backward' } },
      { name: 'gpipe', args: { recompute: 'ahead' } },
    ]);
  });

  it('has no effect where nothing is recomputed', () => {
    checkFindings(file('schedule = 1f1b(⟦key/not-applicable:recompute = ahead⟧)'), ['no stage recomputes']);
    checkFindings(file('schedule = 1f1b(recompute = with_backward)'));
  });

  it('is not for schedules that decide it themselves', () => {
    checkFindings(file('schedule = torchgpipe(⟦key/unknown:recompute⟧ = ahead)'));
  });
});

describe('a relay', () => {
  it('sends what skips stages over every hop, held between', () => {
    const edges = [
      { from: 0, to: 1, bytes: 5 },
      { from: 0, to: 3, bytes: 7 },
      { from: 1, to: 3, bytes: 1 },
    ];
    const { edges: found, held } = relay(edges, 5);
    expect(found).toEqual([
      { from: 0, to: 1, bytes: 12 },
      { from: 1, to: 2, bytes: 8 },
      { from: 2, to: 3, bytes: 8 },
    ]);
    expect([...held]).toEqual([0, 7, 8, 0, 0]);
  });

  it('changes nothing where no tensor skips a stage', () => {
    const edges = [{ from: 0, to: 1, bytes: 5 }];
    expect(relay(edges, 2)).toEqual({ edges, held: new Float64Array(2) });
  });
});

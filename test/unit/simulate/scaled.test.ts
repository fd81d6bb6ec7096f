import { expect, it } from 'vitest';
import { iterationIn, iterationWith } from '../../../engine/analyze/scaledRuns.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import type { Timeline } from '../../../engine/values/timeline.ts';
import { planOf } from '../../support/resolve.ts';

function timelineOf(plan: PipelinePlan): Timeline {
  const generated = generate(plan);
  if (!('program' in generated)) throw new Error(generated.faults[0]?.message);
  const timeline = simulate(generated.program, timingOf(plan, generated.program));
  if (timeline === undefined) throw new Error('deadlock');
  return timeline;
}

/** The plan whose route has another speed: as if its link were written so. */
const withRoute = (plan: PipelinePlan, at: number, factor: number): PipelinePlan => ({
  ...plan,
  routes: plan.routes.map((route, index) =>
    index === at
      ? {
          ...route,
          bandwidth: route.bandwidth / factor,
          latency: route.latency * factor,
          ...(route.hops === undefined
            ? {}
            : {
                hops: route.hops.map((hop) => ({
                  ...hop,
                  bandwidth: hop.bandwidth / factor,
                  latency: hop.latency * factor,
                })),
              }),
        }
      : route,
  ),
});

const pipeline = (cluster: string, more: string, [a, b] = [1, 2]): PipelinePlan =>
  planOf(`
model m { sequence = 4096  layer l[4] { forward = 2ms  backward = 4ms  output = 20MB } }
device d { memory = 1TiB }
${cluster}
pipeline train { model = m  devices = c  microbatches = 8  schedule = 1f1b  ${more}
  stage s0 { layers = l[0] on = gpu[0] } stage s1 { layers = l[1] on = gpu[${a}] }
  stage s2 { layers = l[2] on = gpu[${b}] } stage s3 { layers = l[3] on = gpu[3] } }
`);
const direct = 'cluster c { gpu[4] = d  link = 5GB/s + 100us }';
const meeting = `cluster c {
  gpu[4] = d
  link gpu[0] -- gpu[1] = shared(5GB/s + 50us)
  link gpu[1] -- gpu[2] = shared(8GB/s + 50us)
  link gpu[2] -- gpu[3] = shared(4GB/s + 50us)
}`;
const lengths = 'tokens(i) = [1024, 2048, 4096, 512, 4096, 4096, 1024, 2048]';

it.each([
  ['a link', pipeline(direct, ''), []],
  ['a link with messages of different sizes', pipeline(direct, lengths), ['sizes']],
  // Stages on gpu[0], gpu[2], gpu[1], gpu[3]: all three transfers cross the link in the middle.
  ['a route whose hops others share', pipeline(meeting, '', [2, 1]), ['flows']],
] as const)('%s with other times is the link with another speed', (_, plan, has) => {
  const timeline = timelineOf(plan);
  const { sizes, flows } = timeline.timing;
  expect(Object.entries({ sizes, flows }).flatMap(([name, value]) => (value === undefined ? [] : name))).toEqual(has);
  let changed = 0;
  for (const [at] of plan.routes.entries())
    for (const factor of [0.5, 1.1, 3]) {
      const expected = iterationIn(timelineOf(withRoute(plan, at, factor)));
      const found = iterationWith(timeline, { route: (route) => (route === at ? factor : 1) });
      expect(found).toBeCloseTo(expected, 12);
      if (Math.abs(expected - iterationIn(timeline)) > 1e-9) changed += 1;
    }
  expect(changed).toBeGreaterThan(3);
});

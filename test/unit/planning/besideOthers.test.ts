/** Plans of one file share what was found of its cluster: each is the plan that the pipeline has alone. */
import { expect, test } from 'vitest';
import { devicesInBlocks } from '../../../engine/planning/place/devicesInBlocks.ts';
import { analyse } from '../../support/analyse.ts';

const cluster = `device gpu { memory = 80GiB }
cluster box {
  gpu[8] = gpu
  switch near { ports = gpu[0..7]  link = 1GB/s + 1us }
  switch wide { ports = gpu[0..7]  link = 100GB/s + 50us }
}
`;
const model = (name: string, output: string): string =>
  `model ${name} { layer a[3] { forward = 1ms  backward = 2ms  output = ${output} } }\n`;
const models = model('small', '1KB') + model('large', '1GB');
const pipeline = (name: string, of: string, cut: string): string =>
  `pipeline ${name} { model = ${of}  devices = box  microbatches = 2  tensor = 2  schedule = 1f1b  ${cut} }\n`;
const pipelines = [
  // The fastest route depends on the bytes of a message.
  pipeline('few', 'small', 'stages = split(2, 1)'),
  pipeline('many', 'large', 'stages = split(2, 1)'),
  // Messages between unlike meshes take links of the others.
  pipeline(
    'unlike',
    'large',
    'stage x { layers = a[0] }  stage y { layers = a[1] }  stage z { layers = a[2]  tensor = 4 }',
  ),
];

test.each([pipelines, pipelines.toReversed()])('routes do not depend on other pipelines of the file', (...all) => {
  const routesOf = (text: string) => {
    const { findings, pipelines: found } = analyse(cluster + models + text);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    return found.map(({ plan }) => plan.routes);
  };
  expect(routesOf(all.join(''))).toEqual(all.flatMap(routesOf));
  expect(new Set(routesOf(all.join('')).map((routes) => routes[0].latency)).size).toBeGreaterThan(1);
});

test('devices of a rank lie in blocks, with those of other ranks between them', () => {
  // Twice, so that each is also asked for when all others are known.
  for (let round = 0; round < 2; round += 1)
    for (const first of [0, 2])
      for (const inner of [1, 2, 4])
        for (const blocks of [1, 2, 3])
          for (const gap of [0, 2, 6]) {
            const devices = devicesInBlocks({ first, size: inner * blocks, inner, gap });
            expect(devices).toEqual(
              Array.from({ length: blocks }, (_block, block) =>
                Array.from({ length: inner }, (_device, device) => first + block * (inner + gap) + device),
              ).flat(),
            );
          }
});

import * as fc from '../../support/property.ts';
import { expect, it } from 'vitest';
import type { Analysis } from '../../../engine/flow/check.ts';
import { reportOf } from '../../../engine/flow/reportOf.ts';
import { refactorings } from '../../../engine/fixes/fix.ts';
import { apply } from '../../../engine/fixes/proposal.ts';
import { anyMesh } from './anyMesh.ts';
import { damaged } from './damage.ts';
import { analyse, checkedAfter } from '../../support/analyse.ts';
import { breaches, breachesOf } from './holds.ts';
import { terminalBreaches } from './terminal.ts';

it('whatever a file says of ranks and of what they exchange, figures are figures, traffic adds up, and what does not run says why', () => {
  fc.assert(
    fc.property(anyMesh, (text) => {
      const analysis = analyse(text);
      expect(breachesOf(analysis, 'in turn', {}), text).toEqual([]);
      trafficAddsUp(text, analysis);
    }),
    { numRuns: 20 },
  );
});

it('such a file with a token or line damaged is read to its end', () => {
  fc.assert(
    fc.property(anyMesh, fc.nat(6), fc.nat(2000), fc.nat(2000), (text, how, at, other) => {
      const broken = damaged(text, how, at, other);
      expect(breaches(broken, 'in turn'), broken).toEqual([]);
    }),
    { numRuns: 15 },
  );
});

it('balanced stages that are written into the file are the same stages', () => {
  const figures = (text: string) =>
    analyse(text).pipelines.map(({ run }) => [run?.report.iteration, run?.report.devices.map(({ peak }) => peak)]);
  fc.assert(
    fc.property(anyMesh, (text) => {
      const analysis = analyse(text);
      const at = text.indexOf('stages = ') + 9;
      const fixes = refactorings(analysis, at, checkedAfter(analysis)).filter(({ title }) =>
        title.startsWith('Write the balanced'),
      );
      for (const { edits } of fixes) expect(figures(apply(text, edits)), text).toEqual(figures(text));
    }),
    { numRuns: 12 },
  );
});

it('every command answers or refuses in words', async () => {
  await fc.assert(
    fc.asyncProperty(anyMesh, async (text) => {
      expect(await terminalBreaches(text), text).toEqual([]);
    }),
    { numRuns: 3 },
  );
});

/** What is exposed is part of the time, and together they are part of the times of operations. */
function trafficAddsUp(text: string, { pipelines }: Analysis): void {
  for (const { plan } of pipelines) {
    for (const stage of plan.stages) {
      const all = Object.values(stage.traffic ?? {});
      for (const traffic of all) expect(traffic.exposed, text).toBeLessThanOrEqual(traffic.time * (1 + 1e-9));
      const exposed = all.reduce((sum, traffic) => sum + traffic.exposed, 0);
      const { forward, backwardInput, backwardWeight, recompute } = stage;
      const time = forward + backwardInput + backwardWeight + recompute;
      expect(exposed, text).toBeLessThanOrEqual(time * (1 + 1e-9));
    }
  }
}

/** The fields that the page of the command line promises, by the part of the report that has them. */
const promised = {
  pipeline: 'name schedule microbatches operations iteration bubble devices stages links critical_path',
  bubble: 'makespan span bound causes',
  causes: 'fill_drain imbalance communication memory sync order',
  device: 'name stages busy idle span peak capacity in_flight peak_at memory',
  memory: 'weights gradients optimizer activations versions buffers workspace reserved',
  stage: 'name layers parameters forward backward_input backward_weight versions staleness',
  link: 'from to bytes busy exposed',
  finding: 'code severity message range',
} as const;

/** Files of one seed, checked once for the tests below. */
const samples = (): readonly Analysis[] =>
  (checked ??= fc.sample(anyMesh, { numRuns: 30, seed: 7 }).map((text) => analyse(text)));
let checked: readonly Analysis[] | undefined;

it('every report has the fields that are promised', () => {
  const missing = (value: object, part: keyof typeof promised): readonly string[] =>
    promised[part].split(' ').filter((name) => !(name in value));
  for (const analysis of samples()) {
    const report = reportOf(analysis, 'a.pipe');
    expect(Object.keys(report)).toEqual(expect.arrayContaining(['version', 'file', 'pipelines', 'findings']));
    for (const finding of report.findings) expect(missing(finding, 'finding')).toEqual([]);
    for (const pipeline of report.pipelines) {
      expect(missing(pipeline, 'pipeline')).toEqual([]);
      expect(missing(pipeline.bubble, 'bubble')).toEqual([]);
      expect(missing(pipeline.bubble.causes, 'causes')).toEqual([]);
      for (const device of pipeline.devices)
        expect([...missing(device, 'device'), ...missing(device.memory, 'memory')]).toEqual([]);
      for (const stage of pipeline.stages) expect(missing(stage, 'stage')).toEqual([]);
      for (const link of pipeline.links) expect(missing(link, 'link')).toEqual([]);
    }
  }
});

it('a fair share of the random files runs', () => {
  const running = samples().filter(({ pipelines }) => pipelines.some(({ run }) => run !== undefined));
  expect(running.length).toBeGreaterThan(10);
});

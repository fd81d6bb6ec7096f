import { describe, expect, it } from 'vitest';
import { sensitivityOf, sensitivityTo, targetName } from '../../../engine/analyze/sensitivity.ts';
import { effectOf, tornadoOf, tornadoRows, tornadoTargets } from '../../../engine/analyze/tornado.ts';
import { analyseExample } from '../../support/analyse.ts';

const row = (name: string, slower: number, faster: number) => ({
  name,
  slower,
  faster,
  target: { kind: 'device' as const, index: 0 },
});

describe('a tornado', () => {
  it('has the largest effect first, longer or shorter, and counts what is under 0.1 %', () => {
    const rows = [
      row('small', 0.5, 0.4),
      row('faster', 1, 6),
      row('none', 0, 0),
      row('slower', 7, 0.1),
      row('reverse', -3, 0),
      row('least', 1, 0),
    ];
    const { rows: shown, folded } = tornadoOf(rows, 1_000);
    expect(shown.map(({ name }) => name)).toEqual(['slower', 'faster', 'reverse', 'least']);
    expect(folded).toBe(2);
    expect(rows.map(effectOf)).toEqual([0.5, 6, 0, 7, 3, 1]);
  });

  it.each([
    'quickstart.pipe',
    'systems/chimera.pipe',
    'systems/seq1f1b.pipe',
    'systems/v_schedules.pipe',
    'systems/pipedream.pipe',
  ])('of %s has the rows of the report', (name) => {
    for (const { plan, run } of analyseExample(name).pipelines) {
      if (run === undefined) continue;
      const report = sensitivityOf(plan, run.timeline);
      const all = [...report.stages, ...report.devices, ...report.links];
      const rows = tornadoRows(plan, report);
      expect(rows).toHaveLength(tornadoTargets(plan).length);
      for (const { target, ...figures } of rows) {
        expect(all).toContainEqual(figures);
        expect(figures).toMatchObject(sensitivityTo(plan, run.timeline, target));
        expect(figures.name).toBe(targetName(plan, target));
      }
      // A device that runs one stage alone has the figures of the stage, simulated apart.
      for (const [index, device] of report.devices.entries())
        expect(sensitivityTo(plan, run.timeline, { kind: 'device', index })).toEqual({
          slower: device.slower,
          faster: device.faster,
        });
    }
  });

  it('has devices only if they run more than one stage, or part of one', () => {
    const kinds = (name: string) =>
      analyseExample(name).pipelines.map(({ plan }) => [...new Set(tornadoTargets(plan).map(({ kind }) => kind))]);
    expect(kinds('quickstart.pipe')[0]).toEqual(['stage', 'link']);
    expect(kinds('systems/chimera.pipe')[0]).toEqual(['stage', 'device', 'link']);
  });
});

import { describe, expect, it } from 'vitest';
import { analyse, analyseExample } from '../../../support/analyse.ts';
import { exampleText } from '../../../support/example.ts';
import { edited, good } from '../../../support/goodFile.ts';
import { checkFindings } from '../../../support/expected.ts';

const GiB = 2 ** 30;
const MiB = 2 ** 20;
const reportOf = (name: string, text = exampleText('systems/pipefill.pipe')) => {
  const analysis = analyse(text);
  const found = analysis.pipelines.find((pipeline) => pipeline.plan.name === name);
  if (found?.run?.report.fill === undefined)
    throw new Error(analysis.findings.map((finding) => finding.message).join('\n'));
  return { plan: found.plan, report: found.run.report, fill: found.run.report.fill };
};

/** Tasks of the lengths `cycle`, in order and over again, that fit one after the other into intervals of these lengths. */
function firstFit(intervals: readonly number[], cycle: readonly number[], overhead: number): number {
  let next = 0;
  for (const interval of intervals) {
    for (let left = interval - 2 * overhead; left >= cycle[next % cycle.length] - 1e-9; next += 1)
      left -= cycle[next % cycle.length];
  }
  return next;
}

describe('systems/pipefill.pipe', () => {
  // Eight stages of two layers: 12 ms forward, 24 ms backward, and transfers of 16 MiB at 300 GB/s + 3 µs.
  const [p, F, B] = [8, 12, 24];

  it('fills what 1F1B leaves idle, as first fit into the intervals of its closed form does', () => {
    // Without transfers, so that the intervals are those of the closed form: iF, (p − 1 − i)B, p − 1 − i times F, iB.
    const text = exampleText('systems/pipefill.pipe')
      .replace('link = 300GB/s + 3us', 'link = 300GB/s + 0us')
      .replace('output = 16MiB', 'output = 0B');
    for (const [name, cycle, overhead] of [
      ['train', [5, 9, 9, 9, 9, 9, 9, 6], 1],
      ['serve', [2, 3, 3, 3, 3, 3, 3, 2], 0],
    ] as const) {
      const { report, fill } = reportOf(name, text);
      const tasks = report.devices.map((_, i) => {
        const drain = Array.from({ length: p - 1 - i }, () => F);
        return firstFit([i * F, (p - 1 - i) * B, ...drain, i * B], cycle, overhead);
      });
      expect(fill.devices.map((device) => device.tasks)).toEqual(tasks);
      for (const device of fill.devices) expect(device.idle).toBeCloseTo((p - 1) * (F + B) * 1e-3, 9);
      expect(fill.recovered).toBeCloseTo(fill.time / (p * (p - 1) * (F + B) * 1e-3), 9);
      expect(fill.slowdown).toBe(0);
    }
  });

  it('lists each bubble with its time, free memory and tasks', () => {
    const { report, fill, plan } = reportOf('train');
    for (const [i, device] of fill.devices.entries()) {
      const { bubbles } = device;
      const sum = (of: (bubble: (typeof bubbles)[number]) => number) =>
        bubbles.reduce((all, bubble) => all + of(bubble), 0);
      expect(bubbles).toHaveLength(device.intervals);
      expect(sum((fillBubble) => fillBubble.seconds)).toBeCloseTo(device.idle, 9);
      expect(sum((fillBubble) => fillBubble.tasks)).toBe(device.tasks);
      expect(sum((fillBubble) => fillBubble.time)).toBeCloseTo(device.time, 9);
      // Before its first forward a device holds what never goes; while it waits for its first backward all that is in flight.
      const [{ activations, workspace }, all] = [report.devices[i].memory, report.devices[i].peak];
      const empty = report.devices[i].capacity - (all - activations - workspace);
      if (i > 0) expect(bubbles[0].free).toBeCloseTo(empty, 3);
      const held = Math.min(16, p - i) * plan.stages[i].activation;
      if (i < p - 1) expect(bubbles[i > 0 ? 1 : 0].free).toBeCloseTo(empty - held, 3);
    }
  });

  it('leaves the iteration as it is, and shares what the bubble is', () => {
    const { report, fill } = reportOf('train');
    const bare = exampleText('systems/pipefill.pipe').replace(/ {2}fill +=.*\n {2}fill_overhead.*\n/, '');
    const [without] = analyse(bare).pipelines;
    expect(without.run?.report.fill).toBeUndefined();
    expect(without.run?.report.iteration).toBe(report.iteration);
    const idle = report.bubble.makespan * p * report.iteration;
    expect(fill.recovered).toBeCloseTo(fill.time / idle, 9);
    expect(fill.recovered).toBeGreaterThan(0.8);
  });

  it('takes forward times for inference, all times and the gradients for training', () => {
    const [train, serve] = ['train', 'serve'].map((name) => reportOf(name).plan.fill?.tasks['a100'] ?? []);
    expect(train.map((fillTask) => Math.round(fillTask.seconds * 1e3))).toEqual([5, 9, 9, 9, 9, 9, 9, 6]);
    expect(serve.map((fillTask) => Math.round(fillTask.seconds * 1e3))).toEqual([2, 3, 3, 3, 3, 3, 3, 2]);
    expect(train.map((fillTask) => fillTask.bytes / MiB)).toEqual([320, ...Array.from({ length: 6 }, () => 416), 768]);
    expect(serve.map((fillTask) => fillTask.bytes / MiB)).toEqual([192, ...Array.from({ length: 6 }, () => 352), 640]);
  });

  it('takes no memory that the pipeline needs: on a device without room nothing fits', () => {
    const { report } = reportOf('train');
    const tight = exampleText('systems/pipefill.pipe').replace('memory = 40GiB', `memory = ${report.devices[0].peak}B`);
    const { fill } = reportOf('train', tight);
    // Before the first forward and after the last backward only the static 4 GiB and a buffer are held.
    expect(fill.devices[7].tasks).toBe(reportOf('train').fill.devices[7].tasks);
    const none = exampleText('systems/pipefill.pipe').replace('memory = 40GiB', `memory = ${4 * GiB + 40 * MiB}B`);
    expect(reportOf('train', none).fill.tasks).toBe(0);
    expect(reportOf('train', none).fill.devices[0].next?.fits).toBe(false);
  });

  it('is the example as it stands', () => {
    expect(
      analyseExample('systems/pipefill.pipe').pipelines.map((pipeline) => pipeline.run?.report.fill?.work),
    ).toEqual(['training', 'inference']);
  });
});

describe('the key `fill`', () => {
  const withFill = (value: string) => edited('  schedule = 1f1b\n', `  schedule = 1f1b\n  fill = ${value}\n`);
  it('takes a model, for inference or training', () => {
    checkFindings(withFill('toy'));
    checkFindings(withFill('inference(toy)'));
    checkFindings(withFill('training(model = toy)'));
    checkFindings(withFill('(toy)'));
    checkFindings(edited('  schedule = 1f1b\n', '  schedule = 1f1b\n  fill = toy  fill_overhead = 1ms\n'));
  });
  it('says what is wrong with others', () => {
    checkFindings(withFill('⟦name/unknown:toys⟧'), ['"toy"']);
    checkFindings(withFill('training(⟦name/unknown:toys⟧)'), ['"toy"']);
    checkFindings(withFill('⟦type/mismatch:box⟧'), ['model']);
    checkFindings(withFill('⟦name/unknown:serving⟧(toy)'));
    checkFindings(withFill('⟦key/missing:training()⟧'), ['model']);
    checkFindings(withFill('⟦type/mismatch:3ms⟧'), ['name of a model']);
    checkFindings(
      edited('  schedule = 1f1b\n', '  schedule = 1f1b\n  fill = toy  fill_overhead = ⟦type/dimension:1GiB⟧\n'),
    );
  });
  it('needs a device that can cost its layers', () => {
    const derived = 'model wide { sequence = 128  layer block[2] = transformer(hidden = 256, heads = 4) }\n';
    const text = edited('  schedule = 1f1b\n', '  schedule = 1f1b\n  fill = wide\n', derived + good);
    checkFindings(text.replace('device v100', 'device ⟦key/missing:v100⟧'), ['compute']);
  });
});

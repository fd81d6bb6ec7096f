/** A schedule whose order depends on times is judged by the order that ran; `calibrate`, `compare` and `drift` say the same. */
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { sleepingPlan } from '../../support/sleepingPlan.ts';
import { filesOf, folder } from '../runs/traces.ts';
import { call } from './harness.ts';

const rule =
  'schedule own { placement = v_shape  backward = split  order = greedy(prefer = [I, F, W])  in_flight(s) = 8 }';
const plans: Readonly<Record<string, string>> = {
  own: sleepingPlan(8, 4, 'own', rule),
  v_half: sleepingPlan(8, 4, 'v_half'),
  zb_v: sleepingPlan(8, 4, 'zb_v'),
};
const traces = filesOf('sleep_zbv_p4').map((file) => path.join(folder, file));

/** Of a report: seconds as simulated and as measured, and the drift between them. */
async function driftOf(text: string, run: string) {
  const named = text
    .replace(/(schedule\s*= (?:own|v_half|zb_v))$/m, '$1  measured = trace("run.json")')
    .replace(/(schedule = (?:own|v_half|zb_v)) \}$/, '$1  measured = trace("run.json") }');
  expect(named).toContain('measured = trace');
  const { out } = await call(['simulate', 'plan.pipe', '--format', 'json'], {
    files: { 'plan.pipe': named, 'run.json': run },
  });
  const { pipelines } = JSON.parse(out) as {
    pipelines: readonly { measured: { simulated: number; drift: number; runs: readonly { iteration: number }[] } }[];
  };
  return pipelines[0].measured;
}

const shown = (drift: number): string =>
  `${drift > 0 ? '+' : '−'}${Math.abs(drift * 100)
    .toFixed(1)
    .replace('.0', '')} %`;

describe.each(Object.entries(plans))('%s, of which a ZB-V ran', (name, text) => {
  let [run, calibrated, said, compared] = ['', '', '', ''];
  beforeAll(async () => {
    run = (await call(['import', ...traces, '--summary', 'run.json'], { disk: true })).files['run.json'];
    const files = { 'plan.pipe': text, 'run.json': run };
    const made = await call(['calibrate', 'plan.pipe', '--slow-layers', '--with', 'run.json'], { files });
    expect(made.status).toBe(0);
    [calibrated, said] = [made.out, made.err];
    compared = (await call(['compare', 'plan.pipe', '--with', 'run.json'], { files })).out;
  });

  test('the calibrated iteration is of the order that ran: whatever the schedule, the times are as good', () => {
    const [, length, drift] = /calibrated ([\d.]+) ms \(drift ([+−][\d.]+) %\)/.exec(said) ?? [];
    expect(length).toBe('427.7');
    expect(drift).toBe('+0.4');
  });

  test('the drift that calibrate says of the plan is the report’s and that of compare', async () => {
    const { simulated, drift, runs } = await driftOf(text, run);
    expect(drift).toBeCloseTo(runs[0].iteration / simulated - 1, 12);
    expect(said).toContain(`(drift ${shown(drift)}), measured 429.3 ms`);
    expect(compared).toMatch(new RegExp(`measured 429.3 ms, \\${shown(drift)}\\n`));
  });

  test('the drift of the calibrated file is of the order that it makes', async () => {
    const { simulated, drift } = await driftOf(calibrated, run);
    const own = `${Number((simulated * 1e3).toPrecision(4))} ms`;
    if (name === 'zb_v') expect(said).toContain(`calibrated ${own} (drift ${shown(drift)})`);
    else
      expect(said).toMatch(
        new RegExp(`otherwise, and takes ${own}, [\\d.]+ ms (less|more) \\(drift \\${shown(drift)}\\)`),
      );
    expect(said.includes('makes its order for the times')).toBe(name !== 'zb_v');
  });

  test('compare says as calibrate what an order made for the times would save', () => {
    const saved = /would save ([\d.]+) ms/.exec(compared)?.[1];
    const [, apart, way] = /, ([\d.]+) ms (less|more) \(drift/.exec(said) ?? [];
    if (way === 'less') expect(Math.abs(Number(saved) - Number(apart))).toBeLessThan(0.001 * 429.3);
    else expect(saved).toBeUndefined();
    expect(compared.includes('would save nothing')).toBe(way === 'more');
  });
});

test('a run in another order than a fixed schedule is calibrated in the order that ran', async () => {
  const files = {
    'plan.pipe': sleepingPlan(4, 4, 'gpipe').replaceAll(/backward_input = (\S+)ms {2}backward_weight/g, 'backward'),
  };
  const one = filesOf('sleep_1f1b_p4').map((file) => path.join(folder, file));
  const { err } = await call(['calibrate', 'plan.pipe', '--slow-layers', '--with', ...one], { disk: true, files });
  expect(err).toMatch(/calibrated 26\d\.\d ms \(drift [+−]?0(\.\d)? %\)/);
  expect(err).toMatch(
    /Calibrated is the order that ran, which has \d+ of 64 operations at another place than the schedule\. The schedule takes [\d.]+ ms, [\d.]+ ms (less|more)/,
  );
});

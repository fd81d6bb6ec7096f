/** A plan and a recorded run of it: the plan has the times of the run, but for one stage that is planned too fast. */
import path from 'node:path';
import { calibratedPlan } from '../../engine/measured/calibratedPlan.ts';
import { exampleUri } from '../support/example.ts';
import { runOf } from '../support/analyse.ts';
import { sleepingPlan } from '../support/sleepingPlan.ts';
import { filesOf, folder, recordingOf } from '../unit/runs/traces.ts';
import type { TextFile } from './editor.ts';

export const recordedTraces = filesOf('sleep_zbv_p4').map((file) => path.join(folder, file));

export function recordedPlan(): TextFile {
  const text = sleepingPlan(8, 4, 'zb_v');
  const { plan, run } = runOf(text);
  const made = calibratedPlan(text, plan, run.program, [recordingOf('sleep_zbv_p4')], { skip: 1, slowLayers: true });
  if ('problem' in made) throw new Error(made.problem);
  const slow = /(layer s5 \{\s*forward += )[\d.]+ms/;
  if (!slow.test(made.text)) throw new Error(made.text);
  return { uri: exampleUri('plan.pipe'), text: made.text.replace(slow, '$15ms') };
}

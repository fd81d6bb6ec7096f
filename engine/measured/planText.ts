/** Writes measured times into the text of a plan: what was written stays where nothing was measured. */
import { type BlockDeclaration, type SyntaxFile, parse } from '../../grammar/index.ts';
import { time } from '../basics/quantities.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Calibration } from './calibrate.ts';
import { blockOf, entriesOf, named } from './blocks.ts';
import { layerEdits, sharedNote } from './layerEdits.ts';
import { linkEdits } from './linkEdits.ts';
import { applied, type Edit } from './edit.ts';
import { slowness } from './slowRank.ts';
import { speedEdits } from './speedEdits.ts';

export function calibratedText(
  text: string,
  plan: PipelinePlan,
  calibration: Calibration,
): { readonly text: string; readonly remarks: readonly string[] } | { readonly problem: string } {
  const file = parse(text);
  const pipeline = blockOf(file, 'pipeline', plan.name);
  const model = pipeline === undefined ? undefined : blockOf(file, 'model', named(pipeline, 'model'));
  if (pipeline?.body === undefined || model?.body === undefined)
    return { problem: 'the pipeline or its model is not declared in this file: copy the model into it' };
  const layers = layerEdits(file, model.body.entries, plan, calibration);
  if ('problem' in layers) return layers;
  const cluster = blockOf(file, 'cluster', named(pipeline, 'devices'));
  const speeds = speedEdits(file, cluster, plan.devices.length, calibration.slow);
  if ('problem' in speeds) return speeds;
  const links = linkEdits(file, cluster, plan, calibration);
  if ('problem' in links) return links;
  const { others } = calibration.flights;
  const remarks = [
    ...(layers.edits.some((edit) => edit.text.includes(sharedNote))
      ? [
          'Backwards ran whole: nobody measured `backward_input` and `backward_weight`, which share the measured time as the plan has them.',
        ]
      : []),
    ...calibration.slow.map(
      (rank) =>
        `${slowness(rank)} Its device gets a speed of ${rank.speed} of theirs; if its layers are slow, say --slow-layers.`,
    ),
    ...(links.edits.length === 0 && others.count > 0
      ? [`A message takes ${time(others.median)} from sending to arriving; the links of the plan are kept.`]
      : []),
    ...(Number.isNaN(calibration.optimizer) ? [] : [`The optimizer’s step takes ${time(calibration.optimizer)}.`]),
  ];
  const edits = [
    ...layers.edits,
    ...speeds.edits,
    ...links.edits,
    jitterEdit(pipeline, calibration),
    ...overheadEdit(file, pipeline, calibration),
  ];
  return { text: applied(text, edits), remarks };
}

/** What a message takes of its devices; none if the run does not tell it, unless the file has some. */
function overheadEdit({ text }: SyntaxFile, pipeline: BlockDeclaration, { host }: Calibration): readonly Edit[] {
  const old = entriesOf(pipeline, 'message_overhead')[0];
  const before = old?.values?.[0];
  if (host.message === 0 && old === undefined) return [];
  const interval = host.half === undefined ? '' : `± ${time(host.half)}, `;
  const was = before === undefined ? '' : `, was ${text.slice(before.start, before.end)}`;
  const note =
    host.message === 0 ? 'the run does not tell it from the times of operations' : `${interval}n = ${host.count}`;
  const written = `message_overhead = ${Number((host.message * 1e6).toFixed(3))}us // ${note}${was}\n`;
  if (old !== undefined) return [{ start: old.start, end: old.end, text: written }];
  const at = (pipeline.body?.end ?? pipeline.end) - 1;
  return [{ start: at, end: at, text: ` ${written}` }];
}

function jitterEdit(pipeline: BlockDeclaration, { jitter }: Calibration): Edit {
  const written = `jitter = ${Number((jitter * 100).toFixed(2))}%`;
  const old = entriesOf(pipeline, 'jitter').find(({ parameters }) => parameters === undefined);
  if (old !== undefined) return { start: old.start, end: old.end, text: written };
  const at = (pipeline.body?.end ?? pipeline.end) - 1;
  return { start: at, end: at, text: ` ${written} ` };
}

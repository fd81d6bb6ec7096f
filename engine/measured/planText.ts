/** Writes measured times into the text of a plan: what was written stays where nothing was measured. */
import { type BlockDeclaration, type SyntaxFile, parse } from '../../grammar/index.ts';
import { time } from '../basics/quantities.ts';
import { findUnit } from '../language/units.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Calibration } from './calibrate.ts';
import { blockOf, entriesOf, named } from './blocks.ts';
import { layerEdits } from './layerEdits.ts';
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
  const link = cluster === undefined ? undefined : latencyEdit(file, cluster, calibration);
  const remarks = [
    ...calibration.slow.map(
      (rank) =>
        `${slowness(rank)} Its device gets a speed of ${rank.speed} of theirs; if its layers are slow, say --slow-layers.`,
    ),
    ...(link === undefined && calibration.flight.count > 0
      ? [`A message takes ${time(calibration.flight.median)} from sending to arriving; the links of the plan are kept.`]
      : []),
    ...(Number.isNaN(calibration.optimizer) ? [] : [`The optimizer’s step takes ${time(calibration.optimizer)}.`]),
  ];
  const edits = [
    ...layers.edits,
    ...speeds.edits,
    ...(link === undefined ? [] : [link]),
    jitterEdit(pipeline, calibration),
  ];
  return { text: applied(text, edits), remarks };
}

/** `link = 25GB/s + 5us`, the only link of the cluster: its latency. */
function latencyEdit(
  { text }: SyntaxFile,
  cluster: BlockDeclaration,
  { flight, occupancy }: Calibration,
): Edit | undefined {
  const links = entriesOf(cluster, 'link');
  const value = links.length === 1 ? links[0].values?.[0] : undefined;
  if (flight.count < 5 || value?.kind !== 'binary' || value.operator !== '+' || value.right.kind !== 'quantity')
    return undefined;
  if (findUnit(value.right.unit)?.dimension !== 'time') return undefined;
  const { start, end } = value.right;
  const latency = Math.max(0, flight.median - occupancy);
  return {
    start,
    end,
    text: `${Number((latency * 1e6).toFixed(3))}us // n = ${flight.count}, was ${text.slice(start, end)}\n`,
  };
}

function jitterEdit(pipeline: BlockDeclaration, { jitter }: Calibration): Edit {
  const written = `jitter = ${Number((jitter * 100).toFixed(2))}%`;
  const old = entriesOf(pipeline, 'jitter').find(({ parameters }) => parameters === undefined);
  if (old !== undefined) return { start: old.start, end: old.end, text: written };
  const at = (pipeline.body?.end ?? pipeline.end) - 1;
  return { start: at, end: at, text: ` ${written} ` };
}

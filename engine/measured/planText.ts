/** Writes measured times into the text of a plan: what was written stays where nothing was measured. */
import { type BlockDeclaration, type Entry, type SyntaxFile, parse } from '../../grammar/index.ts';
import { time } from '../basics/quantities.ts';
import { findUnit } from '../language/units.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Calibration } from './calibrate.ts';
import { layerEdits } from './layerEdits.ts';
import { applied, type Edit } from './edit.ts';

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
  const link = cluster === undefined ? undefined : latencyEdit(file, cluster, calibration);
  const remarks = [
    ...(link === undefined && calibration.flight.count > 0
      ? [`A message takes ${time(calibration.flight.median)} from sending to arriving; the links of the plan are kept.`]
      : []),
    ...(Number.isNaN(calibration.optimizer) ? [] : [`The optimizer’s step takes ${time(calibration.optimizer)}.`]),
  ];
  const edits = [...layers.edits, ...(link === undefined ? [] : [link]), jitterEdit(pipeline, calibration)];
  return { text: applied(text, edits), remarks };
}

const blockOf = (file: SyntaxFile, keyword: string, name: string | undefined): BlockDeclaration | undefined =>
  file.declarations.find(
    (one): one is BlockDeclaration => one.kind === 'block' && one.keyword.text === keyword && one.name?.text === name,
  );

const entriesOf = (block: BlockDeclaration, key: string): readonly Entry[] =>
  (block.body?.entries ?? []).filter((item): item is Entry => item.kind === 'entry' && item.key.text === key);

/** The name that an entry has as its value. */
function named(block: BlockDeclaration, key: string): string | undefined {
  const value = entriesOf(block, key)[0]?.values?.[0];
  return value?.kind === 'name' ? value.text : undefined;
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

/** Says that times rest on an efficiency that nobody measured. */
import type { DeviceDefinition } from '../../definitions/device.ts';
import { speedAt } from '../../definitions/device.ts';
import type { PipelinePlan } from '../../values/plan.ts';
import type { Notes } from '../notes.ts';
import { lacks } from './numberFormat.ts';
import type { PlacedPipeline } from './placePipeline.ts';

/** `device/efficiency` for a device of the standard library whose share of the peak is a guess. Measured layers have their times. */
export function reportEfficiency(notes: Notes, placed: PlacedPipeline): void {
  const { pipeline } = placed;
  const guessed = derivedOn(placed).find(({ efficiencyIs }) => efficiencyIs === 'guess');
  if (guessed === undefined) return;
  const { efficiency } = speedAt(guessed, pipeline.model.precision);
  notes.report.report('device/efficiency', pipeline.at('devices'), { device: guessed.name, guess: efficiency });
}

/** A device that runs derived layers at all of its `compute`, because the file says no share of it. */
export function fullRateOf(placed: PlacedPipeline): Pick<PipelinePlan, 'fullRate'> {
  const { precision } = placed.pipeline.model;
  const device = derivedOn(placed).find((kind) => kind.efficiencyIs === 'peak' && !lacks(kind, precision));
  return device === undefined ? {} : { fullRate: device.name };
}

/** Kinds of devices, if a layer has its times from its shape. */
function derivedOn({ pipeline: { model }, ranks }: PlacedPipeline): readonly DeviceDefinition[] {
  if (model.layers.every((layer) => layer.cost.kind === 'measured')) return [];
  return [...new Set(ranks.ranks.map(({ kind }) => kind))];
}

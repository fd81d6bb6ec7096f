/** Says that times rest on an efficiency that nobody measured. */
import type { DeviceDefinition } from '../../definitions/device.ts';
import { speedAt } from '../../definitions/device.ts';
import type { Precision } from '../../costs/types.ts';
import type { EfficiencyFacts } from '../../findings/efficiencyText.ts';
import type { PipelinePlan } from '../../values/plan.ts';
import type { Notes } from '../notes.ts';
import { lacks } from './numberFormat.ts';
import type { PlacedPipeline } from './placePipeline.ts';

/**
 * `device/efficiency` for a device of the standard library whose share of the peak is a guess, and for a number format without a share. Measured layers have their times.
 */
export function reportEfficiency(notes: Notes, placed: PlacedPipeline): void {
  const { pipeline } = placed;
  const { precision } = pipeline.model;
  for (const device of derivedOn(placed)) {
    const facts = factsOf(device, precision);
    if (facts === undefined) continue;
    notes.report.report('device/efficiency', pipeline.at('devices'), facts);
    return;
  }
}

const is16Bit = (precision: Precision): boolean => precision === 'bf16' || precision === 'fp16';

function factsOf(device: DeviceDefinition, precision: Precision): EfficiencyFacts | undefined {
  const { name, efficiencyIs, efficiencyAt, family, unfitted = [] } = device;
  const { efficiency, efficiencyBySize = [] } = speedAt(device, precision);
  if (efficiencyIs === 'guess') return { device: name, guess: efficiency };
  if (efficiencyIs === 'peak' || lacks(device, precision)) return undefined;
  if (unfitted.includes(precision)) return { device: name, format: precision, level: 'guess' };
  if (precision === 'fp8' && family !== undefined) return { device: name, format: precision, level: 'tensor' };
  if (is16Bit(precision) || efficiencyAt[precision] !== undefined) return undefined;
  return { device: name, format: precision, shared: efficiencyBySize.at(-1)?.share ?? efficiency };
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

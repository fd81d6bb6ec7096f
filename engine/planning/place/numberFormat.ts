/** Says that a device does not compute in the number format of the model. */
import { type Precision } from '../../costs/types.ts';
import { type DeviceDefinition, speedAt } from '../../definitions/device.ts';
import type { Notes } from '../notes.ts';
import type { PlacedPipeline } from './placePipeline.ts';

/** Formats of under 16 bits. A device has one only if it has a rate for it, which is higher than the rate of 16 bits. */
const narrow: readonly string[] = ['fp8', 'fp4'] satisfies readonly Precision[];

/** Measured layers have their times, whatever the format. */
export function reportNumberFormat(notes: Notes, { pipeline, ranks }: PlacedPipeline): void {
  const { name, model, at } = pipeline;
  if (model.layers.every((layer) => layer.cost.kind === 'measured')) return;
  const kinds = [...new Set(ranks.ranks.map(({ kind }) => kind))];
  const format = model.precision;
  const without = kinds.find((kind) => lacks(kind, format));
  if (without === undefined) return;
  const wanted = kinds.every((kind) => !lacks(kind, 'bf16')) ? 'bf16' : 'fp16';
  notes.report.report(
    'device/number-format',
    at('devices'),
    {
      device: without.name,
      format,
      rate: speedAt(without, format).compute ?? 0,
      known: without.computeAt[format] === 0,
      other: wanted,
    },
    { hint: { kind: 'tune', pipeline: name } },
  );
}

/** Whether times use the rate of another number format: a finding says so. */
export const lacks = ({ computeAt }: DeviceDefinition, format: Precision): boolean =>
  computeAt[format] === 0 || (narrow.includes(format) && computeAt[format] === undefined);

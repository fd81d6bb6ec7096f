import type { DeviceReport } from '../../engine/analyze/report.ts';
import type { StagePlan } from '../../engine/plan/plan.ts';
import type { SymbolInfo } from '../../engine/plan/resolution.ts';
import { amount, bytes, count, list, time } from '../../engine/quantities.ts';
import type { View } from '../view.ts';
import { sections, table } from './markdown.ts';

/** Costs of a stage, and what fills its device at the peak. */
export function stageText(view: View, { name, container }: SymbolInfo): string {
  const pipeline = view.analysis.pipelines.find((one) => `pipeline:${one.plan.name}` === container);
  const index = pipeline?.plan.stages.findIndex((one) => one.name === name) ?? -1;
  const stage = pipeline?.plan.stages[index];
  if (pipeline === undefined || stage === undefined) return '';
  const device = pipeline.run?.report.devices[pipeline.plan.placement[index] ?? -1];
  return sections(stageCosts(stage), device === undefined ? undefined : peakText(device));
}

function stageCosts(stage: StagePlan): string {
  return sections(
    `Layers ${list(shortened(stage.layers))}, one microbatch:`,
    table([
      ['parameters', positive(stage.parameters, amount)],
      ['forward', time(stage.forward)],
      ['input gradient', time(stage.backwardInput)],
      [stage.splitKnown ? 'weight gradient' : 'weight gradient (assumed equal)', time(stage.backwardWeight)],
      ['recompute', positive(stage.recompute, time)],
      ['activation', positive(stage.activation, bytes)],
    ]),
  );
}

/** Equal neighbours of an array are many; the ends say enough. */
const shortened = (layers: readonly string[]): readonly string[] =>
  layers.length <= 4 ? layers : [layers[0] ?? '', '…', layers.at(-1) ?? ''];

function peakText(device: DeviceReport): string {
  const { memory } = device;
  const at = `${time(device.peak_at)}${device.peak_operation === '' ? '' : ` (${device.peak_operation})`}`;
  return sections(
    `${device.name} peaks at ${bytes(device.peak)} of ${bytes(device.capacity)} at ${at}, ${count(device.in_flight, 'microbatch', 'microbatches')} in flight:`,
    table(
      (
        ['weights', 'gradients', 'optimizer', 'activations', 'versions', 'buffers', 'workspace', 'reserved'] as const
      ).map((kind) => [kind, positive(memory[kind], bytes)]),
    ),
  );
}

const positive = (value: number, show: (value: number) => string): string | undefined =>
  value > 0 ? show(value) : undefined;

/** Activations that a device holds at once, in microbatches: comparable between schedules with chunks, with segments and with neither. */
import { keepsNothing } from '../order/memory/keepsNothing.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { microbatchesOf, type Program, runsForwardOnly, runsMicrobatch } from '../values/program.ts';
import type { DeviceReport } from '../values/report.ts';
import { stagesOn } from '../basics/stagesOn.ts';
import type { Unit } from './memoryWords.ts';

/**
 * Stages of a device that a microbatch passes, each segment as one: 2 for two chunks, 8 for two chunks of four segments. Copies that
 * share microbatches, as in bidirectional schedules, count once.
 */
export function passesOn(plan: Pick<PipelinePlan, 'stages'>, program: Program, device: number): number {
  // A spare copy keeps nothing, and neither do inference and frozen stages without a gradient.
  const stages = stagesOn(program.placement, device).filter(
    (stage) => !runsForwardOnly(program, stage) && !keepsNothing(plan.stages[stage]),
  );
  if (stages.length < 2) return 1;
  let passed = 0;
  for (let microbatch = 0; microbatch < program.microbatches; microbatch += 1)
    if (stages.some((stage) => runsMicrobatch(program, stage, microbatch))) passed += 1;
  return passed === 0 ? 1 : stages.reduce((sum, stage) => sum + microbatchesOf(program, stage), 0) / passed;
}

type Held = Pick<DeviceReport, 'in_flight' | 'in_flight_microbatches'>;

/** Microbatches whose activations a device holds at most, with fractions for some of the chunks or segments of one. */
export const microbatchesInFlight = ({ in_flight: held, in_flight_microbatches: microbatches }: Held): number =>
  microbatches ?? held;

/** `2.75`: two decimals at most. */
export const inFlightText = (microbatches: number): string =>
  microbatches.toLocaleString('en-US', { maximumFractionDigits: 2 });

/** `4 microbatches in flight`, `2.75 microbatches in flight (11 chunks)`. */
export function inFlightWords(device: Held, unit: Unit): string {
  const microbatches = microbatchesInFlight(device);
  const words = `${inFlightText(microbatches)} ${microbatches === 1 ? 'microbatch' : 'microbatches'} in flight`;
  return device.in_flight_microbatches === undefined
    ? words
    : `${words} (${device.in_flight.toLocaleString('en-US')} ${unit === 'segment' ? 'segments' : 'chunks'})`;
}

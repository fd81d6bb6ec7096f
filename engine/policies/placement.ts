import { count } from '../basics/quantities.ts';
import type { PlacementRule, StageCopy } from '../values/plan.ts';

/** Stage s on device s. */
export const linear = (stages: number): Int32Array => Int32Array.from({ length: stages }, (_, stage) => stage);

/** Stage s on device s mod p: chunk after chunk, each from the first device to the last. */
export const loop = (stages: number, devices: number): Int32Array =>
  Int32Array.from({ length: stages }, (_, stage) => stage % devices);

/** Zig-zag: every second chunk runs from the last device to the first. With two chunks this is the V. */
export const wave = (stages: number, devices: number): Int32Array =>
  Int32Array.from({ length: stages }, (_, stage) => {
    const at = stage % devices;
    return Math.floor(stage / devices) % 2 === 0 ? at : devices - 1 - at;
  });

/**
 * Both directions: stage s is on device s on the path down, then on device p − 1 − s on the path up. `stages` must be even, or
 * the middle one would meet itself.
 */
export const bidirectional = (stages: number): Int32Array =>
  Int32Array.from({ length: 2 * stages }, (_, index) => (index < stages ? index : 2 * stages - 1 - index));

/** The stages of `bidirectional`: even microbatches run down, odd ones up. */
export const bidirectionalCopies = (stages: number): readonly StageCopy[] =>
  Array.from({ length: 2 * stages }, (_, index) => ({
    stage: index % stages,
    every: 2,
    first: Math.trunc(index / stages),
  }));

/**
 * Device of each stage under a rule of a user's schedule, or a sentence on why the rule does not fit these numbers. Lists name
 * the stages of each device: every stage exactly once. `copies` if the rule puts stages on several devices; `placement` is then
 * by copy.
 */
export function placementOf(
  rule: PlacementRule,
  stages: number,
  devices: number,
): { readonly placement: Int32Array; readonly copies?: readonly StageCopy[] } | { readonly problem: string } {
  if (devices < 1 || stages < 1)
    return {
      problem: `there ${stages === 1 ? 'is' : 'are'} ${count(stages, 'stage', 'stages')} and ${count(devices, 'device', 'devices')}`,
    };
  switch (rule) {
    case 'linear':
      return stages === devices
        ? { placement: linear(stages) }
        : {
            problem: `linear placement puts one stage on each device, but there ${stages === 1 ? 'is' : 'are'} ${count(stages, 'stage', 'stages')} and ${count(devices, 'device', 'devices')}`,
          };
    case 'loop':
      return rounds(rule, stages, devices) ?? { placement: loop(stages, devices) };
    case 'wave':
      return rounds(rule, stages, devices) ?? { placement: wave(stages, devices) };
    case 'v_shape':
      return stages === 2 * devices
        ? { placement: wave(stages, devices) }
        : {
            problem: `v_shape placement puts two stages on each device, but there ${stages === 1 ? 'is' : 'are'} ${count(stages, 'stage', 'stages')} and ${count(devices, 'device', 'devices')}`,
          };
    case 'bidirectional':
      if (stages !== devices)
        return {
          problem: `bidirectional placement puts one stage of each direction on a device, but there ${stages === 1 ? 'is' : 'are'} ${count(stages, 'stage', 'stages')} and ${count(devices, 'device', 'devices')}`,
        };
      return stages % 2 === 0
        ? { placement: bidirectional(stages), copies: bidirectionalCopies(stages) }
        : { problem: `bidirectional placement mirrors the stages on an even number of devices; there are ${stages}` };
    default:
      return listed(rule, stages, devices);
  }
}

function rounds(rule: string, stages: number, devices: number): { readonly problem: string } | undefined {
  return stages % devices === 0
    ? undefined
    : {
        problem: `${rule} placement puts equally many stages on each device, but ${count(stages, 'stage does', 'stages do')} not divide evenly among ${count(devices, 'device', 'devices')}`,
      };
}

function listed(
  lists: readonly (readonly number[])[],
  stages: number,
  devices: number,
): { readonly placement: Int32Array } | { readonly problem: string } {
  if (lists.length !== devices)
    return {
      problem: `the placement lists ${count(lists.length, 'device', 'devices')}, but there ${devices === 1 ? 'is' : 'are'} ${devices}`,
    };
  const placement = new Int32Array(stages).fill(-1);
  for (const [device, list] of lists.entries()) {
    for (const stage of list) {
      if (!Number.isInteger(stage) || stage < 0 || stage >= stages) {
        return { problem: `the placement names stage ${stage}, but stages are 0 to ${stages - 1}` };
      }
      if (placement[stage] >= 0) return { problem: `the placement names stage ${stage} twice` };
      placement[stage] = device;
    }
  }
  const missing = placement.indexOf(-1);
  return missing < 0 ? { placement } : { problem: `the placement leaves out stage ${missing}` };
}

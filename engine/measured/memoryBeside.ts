/** The memory of each device in a run, next to the simulation. */
import { bytes } from '../basics/quantities.ts';
import type { DeviceReport } from '../values/report.ts';
import type { Recording } from '../values/recording.ts';

/** Bytes above what is there before the iteration: weights and the optimizer's state are in none of them. */
export interface MemoryBeside {
  /** Undefined: the trace of this rank does not say it. */
  readonly measured: number | undefined;
  readonly simulated: number;
  /** What of the simulated bytes are gradients, which a program may also keep from step to step. */
  readonly gradients: number;
  /** Bytes of outputs that backwards need, in the same peak. */
  readonly activations: number;
}

/** By rank; empty if the run does not tell it. */
export const memoryBeside = ({ peaks }: Recording, devices: readonly DeviceReport[]): readonly MemoryBeside[] =>
  peaks === undefined
    ? []
    : [...peaks].map((bytes, rank) => {
        const { peak, memory } = devices[rank];
        return {
          measured: Number.isNaN(bytes) ? undefined : bytes,
          simulated: peak - memory.weights - memory.optimizer,
          gradients: memory.gradients,
          activations: memory.activations,
        };
      });

export const memoryTitle = 'Peak memory above what was there at first, without weights and the optimizer’s state';
export const memoryHead = ['rank', 'measured', 'simulated', 'of these, gradients'] as const;

export const memoryRows = (memory: readonly MemoryBeside[], devices: readonly string[]): readonly string[][] =>
  memory.map(({ measured, simulated, gradients }, at) => [
    devices[at] ?? `rank ${at}`,
    measured === undefined ? 'unknown' : bytes(measured),
    bytes(simulated),
    bytes(gradients),
  ]);

/** Why the two amounts differ, though the plan may be right: sentences. */
export function memoryNotes(memory: readonly MemoryBeside[]): readonly string[] {
  const none = (part: 'gradients' | 'activations'): boolean => memory.every((rank) => rank[part] === 0);
  return [
    'The measured peak also has what a plan leaves out: buffers of messages that an engine keeps for every microbatch of a step, and values that live within one operation. It has the input and output of the whole batch too. The simulated peak has what the file says of its layers, and messages while they are sent. So the amounts alone do not prove the plan right or wrong: compare how they change from one setting to another.',
    ...(none('activations') ? ['The layers of the plan have no `activation`, so the simulated peak has none.'] : []),
    ...(none('gradients') ? ['The layers of the plan have no `weights`, so the simulated peak has no gradients.'] : []),
  ];
}

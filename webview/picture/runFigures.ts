/** What the worker finds of a recorded run next to its plan. Seconds; of the operations alone, without the optimizer's step. */
import type { RunComparison } from '../../engine/measured/compareRun.ts';
import type { MemoryBeside } from '../../engine/measured/memoryBeside.ts';
import type { Stragglers } from '../../engine/runs/stragglers.ts';

export interface RunFigures extends Pick<
  RunComparison,
  'planned' | 'measured' | 'shares' | 'slowLinks' | 'otherLinks' | 'drifts' | 'ranks' | 'simulatedIdle'
> {
  /** Steps that the means are of, and the number of the one that is drawn. */
  readonly steps: number;
  readonly step: number;
  /** Idle time as a share of the devices' time: planned, and measured. */
  readonly plannedIdle: number;
  readonly measuredIdle: number;
  /** Ends of the two timelines that are drawn. */
  readonly ends: { readonly upper: number; readonly lower: number };
  readonly stragglers: Stragglers;
  /** Peaks of ranks; empty if the run does not tell them. */
  readonly memory: readonly MemoryBeside[];
  /** Global ranks of the pipeline. */
  readonly globalRanks: readonly number[];
  /** Whether the order that ran is the plan's. */
  readonly order: string;
  /** The run has another number of replicas than the plan; empty if not. */
  readonly replicas: string;
}

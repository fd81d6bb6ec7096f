import type { GivenOrder } from '../../engine/policies/searched/given.ts';
import type { PathBefore } from '../../engine/analyze/waits/pathBefore.ts';
import type { ReportWithoutCauses } from '../../engine/values/report.ts';
import type { FillStretches } from '../../engine/fill/stretches.ts';
import type { MemoryTrack } from '../../engine/simulate/memory.ts';
import type { Timing } from '../../engine/values/timeline.ts';
import type { Columns } from './columns.ts';
import type { Lanes } from './lanes.ts';

/** What the worker makes of one pipeline: all that the page shows. Plain data and typed arrays, so that it can be cloned. */
export interface Picture {
  readonly generation: number;
  readonly columns: Columns;
  readonly timing: Timing;
  /** Arrival of each needed result by need × microbatches + microbatch; absent where no transfer queues. */
  readonly arrival?: Float64Array;
  readonly placement: Int32Array;
  /** Blocks of one critical path, first one first. */
  readonly critical: Int32Array;
  /** What the first block of that path waits for in the iteration before; absent if it begins there. */
  readonly pathBefore?: PathBefore;
  /** Seconds that a block may end later without a longer iteration, by block; absent for long runs. */
  readonly slack?: Float64Array;
  /** Operations that the rows lack, which are drawn where a greedy order runs them; absent for none. Figures include them. */
  readonly missing?: number;
  /** Written item of a row-based schedule, by block; −1 for synchronisation and optimizer, `addedItem` for missing operations. */
  readonly items?: Int32Array;
  /** By device. */
  readonly memory: readonly MemoryTrack[];
  /** By device, what the host keeps for it; undefined for a device that sends nothing there, absent where none does. */
  readonly hosts?: readonly (MemoryTrack | undefined)[];
  /** By device, what a fill job does there; absent where there is none. */
  readonly fill?: readonly FillStretches[];
  /** What replicas exchange, where a rule orders it. */
  readonly lanes?: Lanes;
  /** Its causes would take the worker longer than the picture, and the page shows none of them. */
  readonly report: ReportWithoutCauses;
  /** Of a plan with `search` as its schedule: its order, so that nothing searches it again. */
  readonly order?: GivenOrder;
}

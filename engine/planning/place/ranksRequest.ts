import type { Span } from '../../../grammar/syntax.ts';
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import type { StageBlock } from '../../definitions/cut.ts';
import type { RankOrder } from '../../definitions/pipeline.ts';
import type { ScheduleUse } from '../../definitions/schedule.ts';
import type { Mesh } from '../../costs/mesh.ts';

/** What the placement of stages depends on. */
export interface RanksRequest {
  readonly pipeline: string;
  readonly cluster: ClusterDefinition;
  readonly use: ScheduleUse;
  readonly stages: number;
  /** Layers of the model: no cut has more stages. */
  readonly layers: number;
  readonly microbatches: number;
  readonly iterations: number;
  readonly mesh: Mesh;
  readonly order: RankOrder;
  /** Stages without `on` may be among stages with it. */
  readonly place?: 'best' | undefined;
  /** Stages as written, where they are. */
  readonly blocks?: readonly StageBlock[];
  /** The places of the stages, devices and schedule keys. */
  readonly at: { readonly stages: Span; readonly devices: Span; readonly schedule: Span };
}

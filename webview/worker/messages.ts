import type { EngineOptions } from '../../engine/host.ts';
import type { PipelinePlan } from '../../engine/plan/plan.ts';
import type { FrameView } from './draw.ts';
import type { Paint } from './paint.ts';
import type { Picture } from './result.ts';

/** Page → worker. */
export type ToWorker =
  | { readonly type: 'run'; readonly generation: number; readonly plan: PipelinePlan; readonly options: EngineOptions }
  | { readonly type: 'paint'; readonly paint: Paint }
  | { readonly type: 'draw'; readonly id: number; readonly requests: readonly DrawRequest[] };

export interface DrawRequest {
  readonly region: Region;
  readonly view: FrameView;
  readonly width: number;
  readonly height: number;
  /** A buffer to draw into, given back from an earlier frame. */
  readonly buffer?: ArrayBuffer;
}
export type Region = 'rows' | 'overview';

/** Worker → page. */
export type FromWorker =
  | { readonly type: 'picture'; readonly picture: Picture }
  /** The plan cannot run; why, in sentences. */
  | { readonly type: 'none'; readonly generation: number; readonly reasons: readonly string[] }
  | {
      readonly type: 'frame';
      readonly id: number;
      readonly generation: number;
      readonly images: readonly DrawnImage[];
      readonly milliseconds: number;
    }
  | { readonly type: 'failed'; readonly generation: number; readonly reason: string };

export interface DrawnImage {
  readonly region: Region;
  readonly width: number;
  readonly height: number;
  readonly buffer: ArrayBuffer;
}

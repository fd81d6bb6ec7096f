import type { JobReport } from '../../engine/values/jobReport.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import type { Stall } from '../../engine/flow/stall.ts';
import type { JobLanes } from '../picture/jobLanes.ts';
import type { ShownTimeline } from '../session/shownTimeline.ts';
import type { Palette } from '../worker/palette.ts';
import type { PlacedRowsHost } from './placedRows.ts';
import type { Layout } from './scene/layout.ts';
import type { Scene } from './scene/scene.ts';
import type { Bounds, Viewport } from './scene/viewport.ts';

export interface PresenterHost extends PlacedRowsHost {
  /** The first view of a timeline that follows no other; undefined for everything. */
  firstView(bounds: Bounds): Viewport | undefined;
  /** Groups were opened or closed. */
  groupsTurned(): void;
  scene(of: ShownTimeline, view: Viewport, layout: Layout): Scene;
  palette(chunk: Uint8Array): Palette;
  /** Another timeline is on show, with its blocks. `newest`: nothing newer was asked for, and nothing has gone wrong since. */
  shown(next: ShownTimeline, before: ShownTimeline | undefined, newest: boolean): void;
  /** Jobs that the newest pipeline works in. */
  jobs(reports: readonly JobReport[]): void;
  /** All workers of a job, as asked for. */
  lanes(lanes: JobLanes): void;
  viewChanged(): void;
  impossible(reasons: readonly string[]): void;
  /** Operations of the newest pipeline wait for each other. */
  stalled(stall: Stall, plan: PipelinePlan, reasons: readonly string[]): void;
  failed(reason: string): void;
  drew(milliseconds: number): void;
}

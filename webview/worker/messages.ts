import type { EngineOptions } from '../../engine/basics/host.ts';
import type { SensitivityTarget } from '../../engine/analyze/sensitivity.ts';
import type { SlowdownProgress } from '../../engine/analyze/slowdown.ts';
import type { JobReport } from '../../engine/values/jobReport.ts';
import type { PipelineReport, SensitivityRow, SlowdownReport } from '../../engine/values/report.ts';
import type { GivenOrder } from '../../engine/policies/searched/given.ts';
import type { JobPlan, PipelinePlan } from '../../engine/values/plan.ts';
import type { Stall } from '../../engine/flow/stall.ts';
import type { FrameView } from './frame.ts';
import type { Palette } from './palette.ts';
import type { JobLanes } from '../picture/jobLanes.ts';
import type { MemoryBands } from '../picture/memoryBands.ts';
import type { PairedColumns } from '../picture/drift.ts';
import type { Picture } from '../picture/picture.ts';
import type { RowPair } from '../picture/rowPairs.ts';
import type { RunFigures } from '../picture/runFigures.ts';
import type { Answer, Question } from '../picture/questions.ts';

/** Name of the page's worker: a script that is more than one worker goes by it. */
export const pageWorker = 'pipewright preview';

/** Page → worker. */
export type ToWorker =
  | {
      readonly type: 'run';
      readonly generation: number;
      readonly plan: PipelinePlan;
      readonly options: EngineOptions;
      readonly jobs: readonly WorkedJob[];
      /** The order of a plan with `search` as its schedule; it is searched if this cannot be its order. */
      readonly order?: GivenOrder;
    }
  /** The lanes of a job of the newest run, by name. */
  | { readonly type: 'lanes'; readonly job: string }
  | { readonly type: 'palette'; readonly palette: Palette }
  /** About the timeline on show; of questions of one kind that wait, the newest is answered. */
  | { readonly type: 'ask'; readonly id: number; readonly generation: number; readonly question: Question }
  /** What slower and faster parts of a plan do to its iteration. `plan`: of these and all later questions. */
  | {
      readonly type: 'sensitivity';
      readonly id: number;
      readonly plan?: PipelinePlan;
      readonly targets: readonly SensitivityTarget[];
    }
  /** Up to `runs` more simulations for the slowdown of a plan. `plan`: of this and all later questions. */
  | { readonly type: 'slowdown'; readonly id: number; readonly plan?: PipelinePlan; readonly runs: number }
  /** A timeline to compare. `kept`: it will be drawn. */
  | {
      readonly type: 'enter';
      readonly id: number;
      readonly plan: PipelinePlan;
      readonly kept: boolean;
      /** As for `run`. */
      readonly order?: GivenOrder;
    }
  /** The summary of a recorded run, for the next messages. */
  | { readonly type: 'recorded'; readonly text: string }
  /** A plan and the run of it, as two kept timelines. `replica`: which of the pipelines that ran. Of those that wait, the newest is answered. */
  | {
      readonly type: 'enterRun';
      readonly upper: number;
      readonly lower: number;
      readonly plan: PipelinePlan;
      readonly order?: GivenOrder;
      readonly replica: number;
    }
  /** Timelines that nobody compares any more. */
  | { readonly type: 'leave'; readonly ids: readonly number[] }
  /** Which operations of two kept timelines are the same. `rows`: their devices that are paired. */
  | { readonly type: 'pair'; readonly upper: number; readonly lower: number; readonly rows: readonly RowPair[] }
  /** Which device is behind the difference of two timelines that were entered. */
  | { readonly type: 'difference'; readonly id: number; readonly baseline: number }
  /** Draw kept timelines; an `id` that is not kept is left out. */
  | { readonly type: 'strips'; readonly strips: readonly StripRequest[] }
  | { readonly type: 'draw'; readonly id: number; readonly requests: readonly DrawRequest[] };

/** A job that the pipeline works in, with all its workers. */
export interface WorkedJob {
  readonly plan: JobPlan;
  readonly workers: readonly PipelinePlan[];
}

/** A timeline in `height` pixels. */
export interface StripRequest {
  readonly id: number;
  readonly width: number;
  readonly height: number;
  /** Seconds at the left and the right edge. */
  readonly t0: number;
  readonly t1: number;
  /** Devices to draw, each in an equal part of the height. Default: all. */
  readonly devices?: readonly number[];
}

/** What a comparison shows of a timeline. */
export interface RaceFigures {
  /** Seconds; the period of an asynchronous schedule. */
  readonly iteration: number;
  /** Samples per second. */
  readonly throughput: number;
  /** Seconds of the picture: from the first start to the last end, or the period if iterations follow without a barrier. */
  readonly makespan: number;
  readonly bubble: number;
  /** Shares of idle time by cause, which add up to `bubble`. */
  readonly causes: PipelineReport['bubble']['causes'];
  /** Of the fullest device: its name, bytes at the peak, and its limit. */
  readonly fullest: string;
  readonly peak: number;
  readonly capacity: number;
  readonly fits: boolean;
  /** Seconds at which a device first holds more than its limit. */
  readonly overAt?: number;
  /** Times are units, and memory counts activations: there is no model. */
  readonly unitTimes?: true;
  readonly rows: number;
  readonly blocks: number;
  /** `runs on Megatron · PyTorch`, or `paper only`; absent where the file or a setting names the engine. */
  readonly runsOn?: string;
  /** Seconds of the iteration under random times, by draw; absent for certain times. */
  readonly draws?: Float64Array;
}

/** The device that explains over half of a difference. */
export interface BehindDevice {
  readonly index: number;
  readonly name: string;
}

export interface DrawRequest {
  readonly region: Region;
  readonly view: FrameView;
  readonly width: number;
  readonly height: number;
  /** Columns of the bands of memory that are wanted for the same stretch of time; absent for none. */
  readonly bands?: number;
  /** A buffer to draw into, given back from an earlier frame. */
  readonly buffer?: ArrayBuffer;
}
/** `all`: one lane for all devices. `loupe`: a few devices, enlarged. */
export type Region = 'rows' | 'overview' | 'all' | 'loupe';

/** Worker → page. */
export type FromWorker =
  | { readonly type: 'picture'; readonly picture: Picture }
  /** The plan cannot run; why, in sentences. */
  | { readonly type: 'none'; readonly generation: number; readonly reasons: readonly string[] }
  /** The operations of the plan wait for each other. `reasons` says so in sentences. */
  | {
      readonly type: 'stalled';
      readonly generation: number;
      readonly stall: Stall;
      readonly reasons: readonly string[];
    }
  | {
      readonly type: 'frame';
      readonly id: number;
      readonly generation: number;
      readonly images: readonly DrawnImage[];
      readonly bands?: MemoryBands;
      readonly milliseconds: number;
    }
  /** No answer if the timeline is no longer on show. */
  | { readonly type: 'answer'; readonly id: number; readonly answer?: Answer }
  /** One for each target, in order; undefined if the plan cannot run. */
  | {
      readonly type: 'sensitivity';
      readonly id: number;
      readonly rows: readonly (SensitivityRow | undefined)[];
    }
  /** `known`: how many runs are done, or the figures; undefined if the plan cannot run. */
  | { readonly type: 'slowdown'; readonly id: number; readonly known?: SlowdownProgress | SlowdownReport }
  /** After the picture: of the jobs that can run. */
  | { readonly type: 'jobs'; readonly generation: number; readonly reports: readonly JobReport[] }
  | { readonly type: 'lanes'; readonly generation: number; readonly lanes: JobLanes }
  | { readonly type: 'entered'; readonly id: number; readonly result: RaceFigures | { readonly reason: string } }
  /** `planned`: of the plan, whatever became of the run; absent if it does not run. */
  | {
      readonly type: 'enteredRun';
      readonly upper: number;
      readonly lower: number;
      readonly planned?: { readonly seconds: number; readonly idle: number };
      readonly result: RunFigures | { readonly reason: string };
    }
  /** `device`: absent if no single one is. */
  | { readonly type: 'behind'; readonly id: number; readonly baseline: number; readonly device?: BehindDevice }
  /** `paired`: absent if there are too many operations to look at each. */
  | { readonly type: 'paired'; readonly upper: number; readonly lower: number; readonly paired?: PairedColumns }
  | ({ readonly type: 'strip'; readonly buffer: ArrayBuffer } & StripRequest)
  | { readonly type: 'failed'; readonly generation: number; readonly reason: string };

export interface DrawnImage {
  readonly region: Region;
  readonly width: number;
  readonly height: number;
  readonly buffer: ArrayBuffer;
}

import type { GivenOrder } from '../../engine/policies/searched/given.ts';
import type { EngineOptions } from '../../engine/basics/host.ts';
import type { Axis, Objective } from '../../engine/definitions/search.ts';
import type { FoundPoint, PlanAnswer as SweepAnswer } from '../../engine/sweep/answer.ts';
import type { Plan, SchedulePlan } from '../../engine/values/plan.ts';

/** What the client asks the language server beyond the protocol. Method names are `pipewright/…`. Positions as in LSP. */

export interface Position {
  readonly line: number;
  readonly character: number;
}
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

export type Overrides = Readonly<Record<string, number>>;

export interface TextEdit {
  readonly range: Range;
  readonly newText: string;
}

/** `pipewright/plan`: the plan of the newest text, with params set as `overrides` say. */
export interface PlanRequest {
  readonly uri: string;
  readonly overrides?: Overrides;
  /** Plan the text after these edits of `version` instead; nothing is written. Refused if the text has another version. */
  readonly trial?: { readonly version: number; readonly edits: readonly TextEdit[] };
  /** Wait for the pipeline that can be added, which may take seconds. Default: the answer has it if it is found within a moment. */
  readonly whole?: true;
}
export interface PlanAnswer {
  readonly uri: string;
  readonly version: number;
  /** Equal for two texts whose plans are equal. Values and edits that are tried are not part of it. */
  readonly key?: string;
  /** Limits and thresholds that the server works with. */
  readonly options: EngineOptions;
  /** Absent while the text cannot be planned; `problem` then says why. */
  readonly plan?: Plan;
  readonly problem?: { readonly message: string; readonly range: Range };
  /** What a text without a pipeline has; absent if it has a pipeline, or nothing at all. */
  readonly contents?: FileContents;
  /** Schedules that can be shown without a pipeline. Their plans are among the pipelines, under their names; absent for none. */
  readonly schedules?: readonly ShownSchedule[];
  /** Orders that searches of the file have found so far, by pipeline; absent for none. */
  readonly orders?: Readonly<Record<string, FoundOrder>>;
}
/** A schedule on equal stages: F = I = W = 1 s, a microbatch in flight holds 1 byte of a stage, transfers are free. */
export interface ShownSchedule {
  readonly name: string;
  /** Names of the file that it uses: their params are its params, too. */
  readonly params: readonly string[];
  /** Numbers of the shapes of its test, devices first; empty without a test. */
  readonly axes: readonly { readonly name: string; readonly values: readonly number[] }[];
  /** A letter for each shape, the last axis fastest: p passed, f failed, r refused by the schedule. Shorter while the test runs. */
  readonly verdicts: string;
  /** Why it has no plan for the shape that is asked for. */
  readonly problem?: ScheduleProblem;
  /** Its building block for this shape, if it is written as one with a period. */
  readonly block?: ShownBlock;
}
/** The operations of one microbatch, whose slots are written; the next microbatch follows a period later. */
export interface ShownBlock {
  readonly period: number;
  readonly devices: number;
  readonly operations: readonly BlockOperation[];
}
export interface BlockOperation {
  /** F, B, I or W. */
  readonly kind: string;
  readonly stage: number;
  readonly device: number;
  readonly slot: number;
}

/** `pipewright/moveInRow`: the edit that moves operations of a device and writes its row out. Nothing is written. */
export interface MoveInRowRequest {
  readonly uri: string;
  readonly overrides?: Overrides;
  /** A pipeline, or a schedule that is shown without one. */
  readonly pipeline: string;
  readonly device: number;
  /** One after the other. */
  readonly moves: readonly MovedInRow[];
}
export interface MovedInRow {
  /** Letter, as `F`. */
  readonly kind: string;
  readonly stage: number;
  readonly microbatch: number;
  /** Place in the row, from 0. */
  readonly to: number;
}
export interface MoveInRowAnswer {
  readonly version: number;
  /** The entry as it would be: `row(1) = F[0..2], B[0], …`. */
  readonly text: string;
  /** What it means for other shapes. */
  readonly note: string;
  /** Absent where nothing can be written; `problem` then says why. */
  readonly edit?: TextEdit;
  readonly problem?: string;
}

/** `pipewright/moveSlot`: the edit that moves an operation of a building block to another slot. Nothing is written. */
export interface MoveSlotRequest {
  readonly uri: string;
  /** Numbers of the shape and parameters, as `PlanRequest` has them. */
  readonly overrides?: Overrides;
  readonly schedule: string;
  readonly kind: string;
  readonly stage: number;
  /** The slot that it is moved to. */
  readonly slot: number;
  /** Only this stage moves; otherwise all stages that follow the same number of the text. */
  readonly alone: boolean;
}
export interface MoveSlotAnswer {
  readonly version: number;
  /** The entry as it would be: `slot(F, s) = 2 * s + 1`. */
  readonly text: string;
  /** Stages that move. */
  readonly stages: readonly number[];
  readonly edit: TextEdit;
  /** Why the block cannot be so. */
  readonly problem?: string;
}
export interface ScheduleProblem {
  readonly message: string;
  readonly range?: Range;
  /** Another shape may have an order; otherwise the text has an error. */
  readonly ofShape: boolean;
}
/** What a file declares, and a pipeline that would run it. */
export interface FileContents {
  /** Kinds of declarations in the order of the file: `model`, `cluster`, `import`, with the first names of each. */
  readonly declared: readonly { readonly kind: string; readonly names: readonly string[]; readonly count: number }[];
  /** Absent if none can be planned, and until it is found: `pipewright/planChanged` follows. `assumptions`: sentences about what the file does not say. */
  readonly addition?: { readonly title: string; readonly assumptions: readonly string[]; readonly edit: TextEdit };
}

/** Notification `pipewright/planChanged`, server → client: the plan of a document is not what it was. */
export interface PlanChanged {
  readonly uri: string;
  readonly version: number;
}

/** `pipewright/planned`: answered once the newest text is planned, which may take seconds: its version, and the key of its plan. */
export interface PlannedRequest {
  readonly uri: string;
}
export interface PlannedAnswer {
  readonly version: number;
  readonly key: string;
}

/** `pipewright/locate`: the place that a path of the plan comes from now; null if it has none any more. */
export interface LocateRequest {
  readonly uri: string;
  readonly path: string;
}
export type LocateAnswer = { readonly uri: string; readonly range: Range } | null;

/** `pipewright/pathsAt`: paths of the plan whose text holds a position. Paths of the same text are one group; the innermost text comes first. */
export interface PathsRequest {
  readonly uri: string;
  readonly position: Position;
}
export type PathsAnswer = readonly PathGroup[];
/** Paths of the plan that come from the same text. */
export type PathGroup = readonly string[];

/** `pipewright/blocksAt`: operations that the text at a position of a schedule writes; empty where it writes none by itself. */
export interface BlocksRequest {
  readonly uri: string;
  readonly overrides?: Overrides;
  readonly position: Position;
}
export type BlocksAnswer = readonly WrittenBlocks[];
/** In one pipeline. `rows` is absent if it has too many operations to mark. */
export interface WrittenBlocks {
  readonly pipeline: string;
  /** Operations of all rows. */
  readonly operations: number;
  /** By device, base64: bit i is set if the text wrote operation i of the row. Empty where it wrote none. */
  readonly rows?: readonly string[];
}

/** `pipewright/origin`: what wrote an operation of a schedule, as labels with values; null where no text of rows or slots did. */
export interface OriginRequest {
  readonly uri: string;
  readonly overrides?: Overrides;
  readonly trial?: PlanRequest['trial'];
  /** Path of the operation. */
  readonly path: string;
}
export type OriginAnswer = { readonly lines: readonly OriginLine[] } | null;
export type OriginLine = readonly [label: string, value: string];

/** `pipewright/completion`: edits that write the operations which the rows of a pipeline lack; null where no text for them runs. */
export interface CompletionRequest {
  readonly uri: string;
  readonly pipeline: string;
}
export type CompletionAnswer = { readonly version: number; readonly edits: readonly TextEdit[] } | null;

/** `pipewright/paramEdit`: the edit that writes a param's value into the file; null where it has no literal there. */
export interface ParamEditRequest {
  readonly uri: string;
  readonly name: string;
  readonly value: number;
}
export type ParamEditAnswer = { readonly range: Range; readonly newText: string; readonly version: number } | null;

/** `pipewright/help`: the best changes for a pipeline, at most three, each simulated with these params. */
export interface HelpRequest {
  readonly uri: string;
  readonly overrides?: Overrides;
  readonly pipeline: string;
  /** What should get better: idle time, the peak of a device, or a schedule that waits for itself. */
  readonly about: 'bubble' | 'memory' | 'deadlock';
  /** Number of the pipeline rank whose peak is meant. Default: the fullest. */
  readonly device?: number;
}
/** Seconds, a share of 1, bytes of the fullest device or of the device asked for. */
export interface HelpFigures {
  readonly iteration: number;
  /** Samples per second: a fix may change the batch. */
  readonly throughput: number;
  readonly bubble: number;
  readonly peak: number;
  readonly capacity: number;
  readonly fits: boolean;
}
export interface HelpFix {
  /** States the effect. */
  readonly title: string;
  readonly edits: readonly TextEdit[];
  /** Figures of the changed file. */
  readonly effect: HelpFigures;
  /** Figures of today, if the pipeline runs. */
  readonly before?: HelpFigures;
  /** Lines that change, after `- ` and `+ `. */
  readonly diff?: readonly string[];
}
export interface HelpAnswer {
  readonly version: number;
  /** Best first. */
  readonly fixes: readonly HelpFix[];
}

/**
 * `pipewright/orderSearch`: searches a shorter order of a pipeline, with the values that the file has. While it runs, `$/progress` with
 * the token carries an `OrderState`, at most ten a second. Null once the text has changed or the request is cancelled.
 */
export interface OrderRequest {
  readonly uri: string;
  readonly pipeline: string;
  /** Effort as a multiple of the setting. */
  readonly times: number;
  /** Number of the search, for `stopOrder`. Unique among the searches of the client. */
  readonly search?: number;
  readonly partialResultToken?: string | number;
}
export type OrderResult = (OrderState & { readonly end: OrderEnd }) | { readonly reason: string } | null;
export interface OrderState {
  /** Of the search: 1 visits 20 million operations. */
  readonly effort: number;
  /** More effort is taken. */
  readonly mayGoOn: boolean;
  /** The order that the file has, and seconds of its iteration. */
  readonly schedule: string;
  readonly iteration: number;
  /** Work in the unit of the effort, seconds of the best order, seconds that no order is under; work rises. */
  readonly points: readonly OrderPoint[];
  /** The best order. */
  readonly order: FoundOrder;
}
/** Notification `pipewright/stopOrder`, client → server: the search ends with the best order so far; with null if there is none yet. */
export interface StopOrder {
  readonly search: number;
}
export type OrderPoint = readonly [work: number, iteration: number, bound: number];
export interface OrderEnd {
  /** `optimal` only if the bound equals the makespan. */
  readonly status: 'optimal' | 'within';
  /** The search was stopped before its effort was spent. */
  readonly stopped?: true;
  /** Whether the best order fits the memory of every device. */
  readonly fits: boolean;
  /** Writes the best order into this version of the text; absent if it is not shorter than the file's, or does not fit. */
  readonly keep?: { readonly version: number; readonly edits: readonly TextEdit[] };
}
/** An order of a plan with `schedule`, in words: what the thread that simulates it needs, and no timeline. */
export interface FoundOrder {
  readonly schedule: SchedulePlan;
  /** Base64, a byte for each operation. */
  readonly words: string;
  /** Ticks of the search that no order is under. */
  readonly bound: number;
  readonly spanBound: number;
  readonly effort: number;
  readonly work: number;
  readonly by: string;
  /** Of an order that is chosen for random times. */
  readonly risk?: GivenOrder['risk'];
}

/** `pipewright/export`: a pipeline as a file for papers and other programs, or its figures as a table. */
export interface ExportRequest {
  readonly uri: string;
  readonly overrides?: Overrides;
  /** May be absent if the file has only one. */
  readonly pipeline?: string;
  readonly format:
    | 'svg'
    | 'png'
    | 'film'
    | 'html'
    | 'trace'
    | 'markdown'
    | 'torch-csv'
    | 'torch-script'
    | 'torchtitan'
    | 'deepspeed'
    | 'megatron';
  /** Of a figure or a film. Default: `7in`. */
  readonly width?: '3.4in' | '7in';
  /** With a chart of memory over time. */
  readonly memory?: boolean;
  /** Of a PNG: pixels of 1/96 inch, 1 to 4. Default: 3. */
  readonly scale?: number;
  /** Of a film, from the first operation to the last. Default: 8. */
  readonly seconds?: number;
  /** Of a page: the view that it opens with, as `readState` reads it. */
  readonly state?: object;
}
/** A picture to draw. `scale`: pixels of 1/96 inch. */
export interface Drawing {
  readonly svg: string;
  readonly scale: number;
}

/** The file's text, or its bytes for PNG; or why there is none, with the pipelines to choose from. */
export type ExportAnswer =
  /** `notes`: what a program for another engine cannot carry, or a PNG cannot draw, sentences. */
  | { readonly pipeline: string; readonly text: string; readonly notes?: readonly string[] }
  | { readonly pipeline: string; readonly base64: string; readonly notes?: readonly string[] }
  /** A PNG that the server cannot draw, in a browser: a page of the client draws it. */
  | { readonly pipeline: string; readonly drawing: Drawing }
  | { readonly problem: string; readonly pipelines?: readonly string[] };
/** `pipewright/candidates`: other schedules that a pipeline can take; nothing is simulated. */
export interface CandidatesRequest {
  readonly uri: string;
  readonly pipeline: string;
}
export interface CandidatesAnswer {
  readonly version: number;
  /** `schedule` as it is written. */
  readonly candidates: readonly { readonly schedule: string; readonly edits: readonly TextEdit[] }[];
}

/** `pipewright/newPlanChoices`: models and clusters of the standard library. `sized`: its number of nodes can be set. */
export interface NewPlanChoices {
  readonly models: readonly NewPlanChoice[];
  readonly clusters: readonly (NewPlanChoice & { readonly sized: boolean })[];
}
interface NewPlanChoice {
  readonly name: string;
  /** A few words. */
  readonly about: string;
}
/** `pipewright/newPlan`: a file that trains a model on a cluster. */
export interface NewPlanRequest {
  readonly model: string;
  readonly cluster: string;
  readonly nodes?: number;
  readonly engine?: string;
  readonly batch: { readonly tokens: number };
}
export type NewPlanAnswer = { readonly pipe: string } | { readonly problem: string };

/** `pipewright/import`: the text of another program's file as `.pipe` text. */
export interface ImportRequest {
  readonly uri: string;
  readonly text: string;
  /** Of a file with several configurations: the name of one. */
  readonly config?: string;
}
export type ImportAnswer =
  | { readonly pipe: string }
  /** `choices`: names of the configurations of which one has to be chosen. */
  | { readonly problem: string; readonly choices?: readonly string[] }
  | null;

/**
 * `pipewright/readRun`: files and folders of a recorded run, as its summary. While they are read, `$/progress` with the token carries
 * a `RunProgress`, at most a hundred. Null once the request is cancelled.
 */
export interface RunRequest {
  readonly uris: readonly string[];
  /** Steps to leave out. Default: 1. */
  readonly skip?: number;
  /** Ranks of one pipeline, where the files do not say which form one. Default: all. */
  readonly ranks?: readonly number[];
  /** Read a file that is cut off as far as it is whole. */
  readonly partial?: boolean;
  readonly partialResultToken?: string | number;
}
export type RunAnswer =
  | RunText
  /** `partial`: it can be read as far as it is whole. `ambiguous`: the ranks of one pipeline have to be named. */
  | { readonly problem: string; readonly partial?: true; readonly ambiguous?: true }
  | null;
export interface RunText {
  /** The summary of the run, with the steps that are used. */
  readonly text: string;
  /** Global ranks of each pipeline: replicas. */
  readonly pipelines: readonly (readonly number[])[];
  /** Steps that are in the text, and steps that did not fit into it. */
  readonly steps: number;
  readonly left: number;
  /** What the files lack, with its place. */
  readonly remarks: readonly string[];
}
export interface RunProgress {
  readonly share: number;
  readonly what: string;
}

/** `pipewright/calibrate`: edits that write the times of a run into a file. Nothing is written. */
export interface CalibrateRequest {
  readonly uri: string;
  /** May be absent if the file has only one. */
  readonly pipeline?: string;
  /** Its summary. */
  readonly run: string;
  /** Which of its pipelines; may be absent if it has only one. */
  readonly replica?: number;
  /** A rank that is slow in all that it does has slow layers, not a slow device. */
  readonly slowLayers?: boolean;
}
export type CalibrateAnswer =
  | {
      readonly version: number;
      readonly edits: readonly TextEdit[];
      /** How good the file then is. */
      readonly lines: readonly string[];
      /** The new text meets the run within 5 %. */
      readonly accurate: boolean;
      /** A rank was slow in all that it does: its device gets a speed, which may be wrong. */
      readonly slow: boolean;
    }
  /** `pipelines`: to choose from. `slow`: it may go with `slowLayers`. */
  | { readonly problem: string; readonly pipelines?: readonly string[]; readonly slow?: true };

/** Notification `pipewright/trust`, client → server: whether files outside the workspace folders may be read. */
export interface TrustChanged {
  readonly trusted: boolean;
}

/** `pipewright/findPlan`: looks for the fastest plan of a pipeline until all rows are decided, it is stopped, or the text changes. */
export interface FindPlanRequest {
  readonly uri: string;
  /** Number of the search, which `planFound` repeats. Unique among the searches of the client. */
  readonly search: number;
  /** Default: the pipeline of the first `search` of the file, otherwise its first pipeline. */
  readonly pipeline?: string;
  /** Goes on with the last search of this file, if it was stopped and its text is the same. */
  readonly more?: true;
  /** Searches the file with these values of params in it, as sliders have them. Rows are then written with them. */
  readonly overrides?: Overrides;
}
/** How a search has ended. `figures`: what all rows come to. */
export type FindPlanAnswer =
  | { readonly figures: PlanEnd }
  /** It cannot begin. `range`: where, in the file. */
  | { readonly problem: string; readonly range?: Range }
  /** The document is closed, or another search of it has begun. */
  | { readonly outdated: true }
  | null;

/** Notification `pipewright/planFound`, server → client: what a search has found since the last one. */
export interface PlanFound {
  readonly search: number;
  /** With the first one. */
  readonly head?: PlanHead;
  readonly points: readonly FoundPoint[];
  /** Rows that are decided, and all rows. */
  readonly looked: number;
  readonly total: number;
}

/** What is searched. */
export interface PlanHead {
  readonly pipeline: string;
  /** Version of the text. */
  readonly version: number;
  readonly axes: readonly Axis[];
  /** The file has no `search`: these are usual values. */
  readonly isDefault: boolean;
  /** Values of params that the file does not have, as far as the search has them. */
  readonly overrides?: Overrides;
  readonly minimise: Objective;
  readonly limits: readonly string[];
  readonly devices: number;
  /** Samples of an iteration. */
  readonly batch: number;
  /** Bytes of a device, and the least peak that a limit allows; absent if devices differ, or without such a limit. */
  readonly capacity?: number;
  readonly peakLimit?: { readonly bytes: number; readonly text: string };
}

/** The answer of the terminal without its points, which have come before. */
export type PlanEnd = Omit<SweepAnswer, 'points'>;

/** Notification `pipewright/planEdited`, server → client: what the text is now, for a search. Sent when that is not what it was. */
export interface PlanEdited {
  readonly search: number;
  /** The text, or a file around it, is not what was searched: its figures may be others, and no row can be written. */
  readonly matters: boolean;
  /** The text is what was searched with this row in it. */
  readonly row?: number;
}

/** Notification `pipewright/stopPlan`, client → server: the search ends, and says what it has found. */
export interface StopPlan {
  readonly search: number;
}

/** `pipewright/planRow`: the edit that writes a row of a search into the file. Nothing is written. */
export interface PlanRowRequest {
  readonly uri: string;
  readonly search: number;
  readonly row: number;
}
export type PlanRowAnswer =
  { readonly version: number; readonly edits: readonly TextEdit[] } | { readonly problem: string } | null;

/** `pipewright/planFile`: a search that has ended as the terminal writes it. */
export interface PlanFileRequest {
  readonly uri: string;
  readonly search: number;
  readonly format: 'csv' | 'json';
}
export type PlanFileAnswer = { readonly text: string } | { readonly problem: string } | null;

/** What the client may pass as `initializationOptions`; all of it optional. */
export interface InitializationOptions {
  /** True where absent: editors without a notion of trust. */
  readonly trusted?: boolean;
  /** Uri of the folder `docs/`, with a slash at the end. */
  readonly docs?: string;
  /** The client shows previews, and pictures in hovers. */
  readonly previews?: boolean;
  /** The server sends findings as they are found, even if the client could ask for them. */
  readonly push?: boolean;
  /** The client answers the requests of `files.ts`. */
  readonly files?: boolean;
  /** Settings for clients that answer no `workspace/configuration`. */
  readonly settings?: unknown;
}

export const methods = {
  plan: 'pipewright/plan',
  planChanged: 'pipewright/planChanged',
  planned: 'pipewright/planned',
  locate: 'pipewright/locate',
  pathsAt: 'pipewright/pathsAt',
  blocksAt: 'pipewright/blocksAt',
  origin: 'pipewright/origin',
  completion: 'pipewright/completion',
  paramEdit: 'pipewright/paramEdit',
  help: 'pipewright/help',
  moveInRow: 'pipewright/moveInRow',
  moveSlot: 'pipewright/moveSlot',
  orderSearch: 'pipewright/orderSearch',
  stopOrder: 'pipewright/stopOrder',
  export: 'pipewright/export',
  candidates: 'pipewright/candidates',
  import: 'pipewright/import',
  newPlanChoices: 'pipewright/newPlanChoices',
  newPlan: 'pipewright/newPlan',
  readRun: 'pipewright/readRun',
  calibrate: 'pipewright/calibrate',
  findPlan: 'pipewright/findPlan',
  planFound: 'pipewright/planFound',
  planEdited: 'pipewright/planEdited',
  stopPlan: 'pipewright/stopPlan',
  planRow: 'pipewright/planRow',
  planFile: 'pipewright/planFile',
  trust: 'pipewright/trust',
} as const;

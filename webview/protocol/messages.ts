import type { EngineOptions } from '../../engine/basics/host.ts';
import type { PipelinePlan, Plan } from '../../engine/values/plan.ts';
import type { KeptSelection } from './keptSelection.ts';
import type {
  BlocksAnswer,
  Drawing,
  FileContents,
  FoundOrder,
  HelpFix,
  HelpRequest,
  MoveInRowAnswer,
  MoveInRowRequest,
  MoveSlotAnswer,
  MoveSlotRequest,
  OrderEnd,
  OrderState,
  OriginLine,
  Overrides,
  PathGroup,
  PlanEdited,
  PlanEnd,
  PlanFound,
  Range,
  RunProgress,
  RunText,
  ShownSchedule,
} from './requests.ts';

/** What the extension posts to the preview page. */
export type ToPage =
  | {
      readonly type: 'plan';
      readonly uri: string;
      /** File name as shown. */
      readonly title: string;
      /** Rises with every message of a preview. The page drops a plan that arrives late. */
      readonly version: number;
      readonly plan: Plan;
      readonly overrides: Readonly<Record<string, number>>;
      readonly options: EngineOptions;
      /** Pipeline to show now, where the user asked for one outside the page (a code lens). */
      readonly pipeline?: string;
      /** Title of the fix whose result this is: the file itself does not have it. */
      readonly trying?: string;
      /** What a file without a pipeline has; absent if it has one, or nothing at all. */
      readonly contents?: ShownContents;
      /** Schedules that are shown without a pipeline; absent for none. */
      readonly schedules?: readonly ShownSchedule[];
      /** Orders of pipelines with `search` as their schedule, by pipeline, which the server has found: the page searches no others again. */
      readonly orders?: Readonly<Record<string, FoundOrder>>;
    }
  /** Fixes that the page asked for, best first; empty if none is known. */
  /** Lines, from 1, of the paths that `lines` asked for; null where there is none in this file. */
  | { readonly type: 'lines'; readonly request: number; readonly lines: readonly (number | null)[] }
  | { readonly type: 'fixes'; readonly request: number; readonly fixes: readonly ShownFix[] }
  /** What moving an operation to a slot would write; without text nothing moves. */
  | ({ readonly type: 'slotMoved'; readonly request: number } & Pick<MoveSlotAnswer, 'stages' | 'problem'> &
      Partial<Pick<MoveSlotAnswer, 'text'>>)
  /** What moving operations in a row would write; without text nothing moves. */
  | ({ readonly type: 'rowMoved'; readonly request: number } & Partial<
      Pick<MoveInRowAnswer, 'text' | 'note' | 'problem'>
    >)
  /** The file is broken: keep the last good timeline. `range`: where, in this file. */
  | {
      readonly type: 'broken';
      readonly uri: string;
      readonly version: number;
      readonly message: string;
      readonly range?: Range;
    }
  /** The file was renamed or deleted. `renamed`: name of a file that appeared with the same text. */
  | {
      readonly type: 'gone';
      readonly uri: string;
      readonly title: string;
      readonly version: number;
      readonly renamed?: string;
    }
  /** The preview's file has another name now. What the page shows stays. */
  | { readonly type: 'moved'; readonly from: string; readonly uri: string; readonly title: string }
  /** The language server has stopped and does not start again by itself. */
  | { readonly type: 'stopped'; readonly uri: string; readonly version: number; readonly message: string }
  /** No `.pipe` file has been active yet: there is nothing to follow. */
  | { readonly type: 'idle' }
  /** The text is newer than what is on show, and its plan takes a while; or no longer so. */
  | { readonly type: 'late'; readonly late: boolean }
  | ({ readonly type: 'modes' } & PreviewModes)
  /** The reader asked for the comparison outside the page (a code lens). */
  | { readonly type: 'compare' }
  /** The reader asked for the fastest plan outside the page (a code lens, the palette). */
  | { readonly type: 'plans'; readonly pipeline?: string }
  /** What a search for plans has found since the last message. */
  | ({ readonly type: 'planFound'; readonly request: number } & Omit<PlanFound, 'search'>)
  /** A search for plans has ended, or could not begin. `range`: what is wrong, in the file. */
  | {
      readonly type: 'planEnd';
      readonly request: number;
      readonly figures?: PlanEnd;
      readonly problem?: string;
      readonly range?: Range;
    }
  /** What the file of a search is now. */
  | ({ readonly type: 'planEdited'; readonly request: number } & Omit<PlanEdited, 'search'>)
  /** What became of a row that was to be written or shown, or of a file that was to be saved. */
  | { readonly type: 'planNote'; readonly request: number; readonly text: string }
  /** The search of a file that the page has not shown since it began: all that was found. It goes on if it has no end. */
  | {
      readonly type: 'planKept';
      readonly uri: string;
      readonly request: number;
      readonly pipeline?: string;
      /** Its view was in sight. */
      readonly open: boolean;
      /** The row whose timeline is shown, though the file does not have it. */
      readonly tried?: number;
      readonly found: Omit<PlanFound, 'search'>;
      readonly end?: { readonly figures?: PlanEnd; readonly problem?: string; readonly range?: Range };
      readonly edited: Omit<PlanEdited, 'search'>;
      readonly note: string;
    }
  /** A link leads to this view of the file: the next plan is shown in it. */
  | { readonly type: 'view'; readonly state: PreviewState }
  /** The reader asked for the search of a shorter order outside the page (a code lens). */
  | { readonly type: 'findOrder' }
  /** How far the search for a shorter order is. */
  | ({ readonly type: 'order'; readonly request: number } & ShownOrder)
  /** One timeline to compare with. */
  | ({ readonly type: 'entry'; readonly request: number } & RaceEntry)
  /** What the file is shown side by side with, as it is now. */
  | ({ readonly type: 'beside' } & BesideEntry)
  /** The text of what is below is newer than its timeline, and its plan takes a while; or no longer so. */
  | { readonly type: 'besideLate'; readonly late: boolean }
  /** All entries of an answer have come. */
  | { readonly type: 'entries'; readonly request: number; readonly count: number }
  /** The cursor is at these paths, the innermost text first; the page outlines what comes from them.
   * `blocks`: the text is a part of a schedule and writes these operations. */
  | { readonly type: 'highlight'; readonly groups: readonly PathGroup[]; readonly blocks?: BlocksAnswer }
  /** The page draws a PNG where nothing else can: in a browser. */
  | ({ readonly type: 'draw'; readonly request: number } & Drawing)
  /** What wrote the block that `origin` asked for; empty if no text of a schedule did. */
  | { readonly type: 'origin'; readonly request: number; readonly lines: readonly OriginLine[] };

/** A fix as the page shows it; the extension keeps its edits. */
export type ShownFix = Omit<HelpFix, 'edits'>;

/** The extension keeps the edits. Without all of these the file has changed, and the search begins again. */
export interface ShownOrder {
  readonly state?: OrderState;
  /** The search has ended. `keeps`: its order can be written into the file. */
  readonly end?: Pick<OrderEnd, 'status' | 'fits' | 'stopped'> & { readonly keeps: boolean };
  /** Why orders cannot be searched: a clause after "because". */
  readonly reason?: string;
}

/** The extension keeps the edit. */
export type ShownContents = Pick<FileContents, 'declared'> & {
  readonly addition?: Omit<NonNullable<FileContents['addition']>, 'edit'>;
};

/** What a pipeline is compared with: other schedules, the file as last saved or last committed, or another file. */
export type RaceAgainst = 'policies' | 'saved' | 'committed' | 'file';

export interface RaceEntry {
  /** From 0. */
  readonly index: number;
  /** `zb_h1`, `saved`, `other.pipe: train`, or the value of a param. */
  readonly name: string;
  /** Absent if there is no plan; `problem` then says why. */
  readonly plan?: PipelinePlan;
  readonly options?: EngineOptions;
  /** Of a plan with `search` as its schedule: the order that the server has found. */
  readonly order?: FoundOrder;
  readonly problem?: string;
  /** The file can be changed to it. */
  readonly adoptable: boolean;
  /** First line in which two versions of the text differ. */
  readonly changed?: string;
}

/** Another file, another pipeline of the file, or a version of it, under the file on show. */
export interface BesideEntry {
  /** Rises when another is chosen. */
  readonly pair: number;
  /** `other.pipe`, `commit 1a2b3c4`. */
  readonly title: string;
  /** The pipeline that was chosen. Default: the one with the name of the pipeline on show, or the only one. */
  readonly pipeline?: string;
  /** What a text is that does not change. Absent if edits of the text are followed. */
  readonly note?: string;
  /** Of all pipelines; absent if the text has no plan. `problem` then says why. */
  readonly plans?: readonly PipelinePlan[];
  readonly options?: EngineOptions;
  /** Of plans with `search` as their schedule, by pipeline: the orders that the server has found. */
  readonly orders?: Readonly<Record<string, FoundOrder>>;
  readonly problem?: string;
  /** The text has an error: its last timeline stays until that is fixed. */
  readonly broken?: true;
  /** A recorded run in place of plans: it is put next to the pipeline on show. */
  readonly isRun?: true;
  /** Once it is read. */
  readonly run?: RunText;
  /** Its files are being read. */
  readonly reading?: RunProgress;
}

/** What the page posts to the extension. Validated there before use. */
export type FromPage =
  | { readonly type: 'ready'; readonly state?: PreviewState }
  /** Show the source of a path. `preserveFocus`: peek. `explicit`: a peek by a key, which also works while clicks move no cursor. */
  | { readonly type: 'reveal'; readonly path: string; readonly preserveFocus: boolean; readonly explicit?: true }
  /** Turn params: plan again with these values. */
  | { readonly type: 'try'; readonly overrides: Readonly<Record<string, number>> }
  /** Write a param's value into the file. */
  | { readonly type: 'apply'; readonly name: string; readonly value: number }
  /** Ask for the lines of paths. */
  | { readonly type: 'lines'; readonly request: number; readonly paths: readonly string[] }
  /** Ask what wrote a block. Only the newest question is answered. */
  | { readonly type: 'origin'; readonly request: number; readonly path: string }
  /** Ask for fixes. `request` rises with every question; the answer repeats it. */
  | ({ readonly type: 'help'; readonly request: number } & Pick<HelpRequest, 'pipeline' | 'about' | 'device'>)
  /** Show what the fix at `index` of an answer gives; −1 shows the file again. */
  | { readonly type: 'showFix'; readonly request: number; readonly index: number }
  /** Write the operations that the rows of a pipeline lack, where they are drawn. */
  | { readonly type: 'writeMissing'; readonly pipeline: string }
  /** Write the fix at `index` of an answer into the file. */
  | { readonly type: 'applyFix'; readonly request: number; readonly index: number }
  /** Ask for timelines to compare a pipeline with. They come one by one as `entry`. */
  | {
      readonly type: 'race';
      readonly request: number;
      readonly pipeline: string;
      readonly against: RaceAgainst;
    }
  /** Ask for the timeline of a row of a search, to compare the pipeline with it. It comes as `entry`. */
  | {
      readonly type: 'racePlan';
      readonly request: number;
      readonly pipeline: string;
      /** The request that began the search. */
      readonly search: number;
      readonly row: number;
    }
  /** Ask for the plans of a pipeline with other values of a param. */
  | {
      readonly type: 'sweep';
      readonly request: number;
      readonly pipeline: string;
      readonly name: string;
      readonly values: readonly number[];
    }
  /** Search for the fastest plan. `more`: go on with the search that was stopped. `overrides`: with these values of sliders in the file. */
  | {
      readonly type: 'findPlan';
      readonly request: number;
      readonly pipeline?: string;
      readonly more?: true;
      readonly overrides?: Overrides;
    }
  /** The view of a search was opened or closed. */
  | { readonly type: 'planView'; readonly request: number; readonly open: boolean }
  | { readonly type: 'stopPlan'; readonly request: number }
  /** Write a row of the search into the file. */
  | { readonly type: 'writePlan'; readonly request: number; readonly row: number }
  /** Show what a row gives; −1 shows the file again. */
  | { readonly type: 'showPlan'; readonly request: number; readonly row: number }
  /** Save the points of a search. */
  | { readonly type: 'savePlan'; readonly request: number; readonly format: 'csv' | 'json' }
  /** Search a shorter order for a pipeline of the file, `times` as long as usual. `order` says how far that is, until `endOrder`. */
  | { readonly type: 'searchOrder'; readonly request: number; readonly pipeline: string; readonly times: number }
  /** End the search with the best order so far; `order` says it. */
  | { readonly type: 'stopOrder'; readonly request: number }
  | { readonly type: 'endOrder'; readonly request: number }
  /** Write the order that a search has ended with into the file. */
  | { readonly type: 'keepOrder'; readonly request: number }
  /** The reader wants to choose what the file is shown side by side with. */
  | { readonly type: 'chooseBeside' }
  | { readonly type: 'endBeside'; readonly pair: number }
  /** Put a recorded run next to the file: files that were dropped on the page, otherwise the reader chooses them. */
  | { readonly type: 'chooseRun'; readonly uris?: readonly string[] }
  /** Write the times of the run that is below into the file. `replica`: which of the pipelines that ran. */
  | { readonly type: 'calibrate'; readonly pipeline: string; readonly replica: number }
  /** Show the source of a path of what is below. */
  | { readonly type: 'revealBeside'; readonly path: string }
  /** Nobody waits for the rest of an answer. */
  | { readonly type: 'endRace'; readonly request: number }
  /** Write the entry at `index` of an answer into the file. */
  | { readonly type: 'adopt'; readonly request: number; readonly index: number }
  /** Try an operation of a building block in another slot. `request` rises with every question; the answer repeats it. */
  | ({ readonly type: 'moveSlot'; readonly request: number } & Omit<MoveSlotRequest, 'uri' | 'overrides'>)
  /** Try a row with these operations moved. */
  | ({ readonly type: 'moveInRow'; readonly request: number } & Omit<MoveInRowRequest, 'uri' | 'overrides'>)
  /** Write what the newest answer is about, or show the file again. */
  | { readonly type: 'endMove'; readonly request: number; readonly write: boolean }
  /** Show a place of the file. */
  | { readonly type: 'goto'; readonly line: number; readonly character: number }
  /** The reader switches how preview and text follow each other. What is absent stays. */
  | ({ readonly type: 'sync' } & Partial<Pick<PreviewModes, 'following' | 'outlineAtCursor' | 'revealOnClick'>>)
  /** Start the language server again. */
  | { readonly type: 'restart' }
  /** Show the file that `gone` named. */
  | { readonly type: 'openRenamed' }
  | { readonly type: 'close' }
  /** Insert the text of an example at the cursor. */
  | { readonly type: 'insertExample'; readonly name: string }
  /** Choose a file of another program and insert it as `.pipe` text. */
  | { readonly type: 'importSchedule' }
  /** Write a pipeline for what the file has. */
  | { readonly type: 'addPipeline' }
  | { readonly type: 'openExamples' }
  | { readonly type: 'openGuide' }
  /** Save this pipeline, with the params that are tried, as a figure, a film of `seconds`, a page in this state, or a trace. */
  | {
      readonly type: 'export';
      readonly pipeline: string;
      readonly state?: PreviewState;
      readonly seconds?: number;
    }
  /** The PNG that `draw` asked for, in base64; absent if the browser did not draw it. */
  | { readonly type: 'drawn'; readonly request: number; readonly base64?: string }
  /** Copy a link to what is on show. */
  | { readonly type: 'copyLink'; readonly state: PreviewState }
  | { readonly type: 'error'; readonly message: string };

/** How a preview and the texts follow each other. */
export interface PreviewModes {
  /** In the bottom panel or a side bar: it always follows the active file and cannot be closed from the page. */
  readonly docked: boolean;
  /** It shows the active `.pipe` file; otherwise it is pinned to its own. */
  readonly following: boolean;
  /** Moving the cursor outlines what comes from its line. */
  readonly outlineAtCursor: boolean;
  /** A click on a block moves the cursor to its line. */
  readonly revealOnClick: boolean;
}

/** What the colours of blocks tell apart. */
export type ColourBy = 'operation' | 'microbatch' | 'chunk' | 'version';

/** Groups of devices whose devices have a row each. */
export type OpenGroups = 'all' | readonly string[];

/** Kept by the page over reloads, under 2 KB. No data, only the view. */
export interface PreviewState {
  readonly uri: string;
  readonly pipeline?: string;
  readonly t0?: number;
  readonly t1?: number;
  readonly scroll?: number;
  readonly rowHeight?: number;
  readonly colours?: ColourBy;
  readonly criticalPath?: boolean;
  readonly overrides?: Readonly<Record<string, number>>;
  /** Names of groups of devices that are open. */
  readonly openGroups?: OpenGroups;
  /** It follows the active file. */
  readonly following?: boolean;
  /** Only in a link. */
  readonly selection?: KeptSelection;
}

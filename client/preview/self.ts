/** A preview, as others see it and from inside. */
import type * as vscode from 'vscode';
import type { PreviewState } from '../../webview/protocol/messages.ts';
import {
  type Drawing,
  methods,
  type PathGroup,
  type PlanEdited,
  type PlanFound,
  type PlannedAnswer,
  type PlannedRequest,
} from '../../webview/protocol/requests.ts';
import type { LongRequests, Requests } from '../languageClient.ts';
import type { ServerState } from '../serverState.ts';
import type { BesideChoice } from './chooseBeside.ts';
import type { PreviewContext } from './context.ts';
import { cursorBlocks } from './cursorBlocks.ts';
import type { CalibrateKnown } from '../runs/calibrate.ts';
import { createBeside } from './beside.ts';
import { createFreshness, waiting } from './freshness.ts';
import { createHelp } from './help.ts';
import type { PreviewMemory } from './memory.ts';
import { createMovedOrders } from './movedOrders.ts';
import { createOrders } from './orders.ts';
import type { createOutbox } from './outbox.ts';
import type { Place } from './place.ts';
import { createPictures } from './pictures.ts';
import { createPlans } from './plans.ts';
import { createRace } from './race.ts';

export interface Preview {
  readonly place: Place;
  /** The file on show; undefined while none has been active yet. */
  uri(): vscode.Uri | undefined;
  /** It shows the active file; otherwise it is pinned to its own. */
  isFollowing(): boolean;
  follow(following: boolean): void;
  /** Asks for the plan of the newest text and shows it. Of several calls only the answer of the last is shown. */
  refresh(): Promise<void>;
  /** Outlines what comes from these paths, the innermost text first. */
  highlight(groups: readonly PathGroup[]): void;
  /** The same for a cursor: outlines the blocks that the text there writes, if it writes any by itself. */
  outline(groups: readonly PathGroup[], at: vscode.Position): void;
  /** Shows another file, or another pipeline. */
  show(uri: vscode.Uri, pipeline?: string): void;
  /** Shows its file as a link says. */
  restore(state: PreviewState): void;
  /** The file has another text now. */
  edited(version: number): void;
  /** The file has another name now. */
  moved(to: vscode.Uri): void;
  /** The file was renamed or deleted by another program. */
  gone(renamed: vscode.Uri | undefined): void;
  /** Whether the cursor outlines blocks, and so on, may have changed. */
  modesChanged(): void;
  /** Opens the comparison, once the page has a timeline. */
  compare(): void;
  /** What is shown under its file. */
  readonly beside: ReturnType<typeof createBeside>;
  /** Asks what to show under its file, and shows it. */
  chooseBeside(known?: BesideChoice): Promise<void>;
  /** Shows a recorded run under its file; without `run` the reader chooses it. */
  compareRun(run?: readonly vscode.Uri[]): Promise<void>;
  /** Opens the search for the fastest plan, and begins it. */
  findPlan(pipeline: string | undefined): void;
  /** What a search has found. */
  planFound(found: PlanFound): void;
  /** What the file of a search is now. */
  planEdited(edited: PlanEdited): void;
  /** Opens the search for a shorter order, once the page has a timeline. */
  findOrder(): void;
  /** The PNG of a picture in base64; undefined if its page does not draw it. */
  draw(drawing: Drawing): Promise<string | undefined>;
  /** The newest text that was shown. */
  text(): string | undefined;
}

export interface PreviewHost {
  readonly extension: vscode.Uri;
  /** Of the extension: `publisher.name`. */
  readonly id: string;
  readonly requests: Requests & LongRequests;
  readonly output: vscode.LogOutputChannel;
  /** Writes the times of a run into a file, once the reader accepts them. */
  calibrate(uri: vscode.Uri, known: CalibrateKnown): Promise<void>;
  serverState(): ServerState;
  restart(): void;
  /** The preview is about to put the cursor there: the selection that follows is not the user's. */
  revealing(uri: vscode.Uri, at: vscode.Position): void;
  /** The page has started, or started again, and shows nothing yet. */
  ready(preview: Preview): void;
  /** It follows from now on, or is pinned. */
  followed(preview: Preview): void;
  /** The preview shows another file, or its file has another name. */
  fileChanged(): void;
}

/** The parts of a preview. Each knows the preview by its context alone. */
export function makeParts(context: PreviewContext, memory: PreviewMemory) {
  const plans = createPlans(context);
  return {
    beside: createBeside(context),
    race: createRace(context, plans.rowOf),
    help: createHelp(context),
    cursor: cursorBlocks(context),
    movedOrders: createMovedOrders(context),
    pictures: createPictures(context.post),
    plans,
    orders: createOrders(context),
    freshness: createFreshness({
      planned: () =>
        context.requests.send<PlannedAnswer>(methods.planned, { uri: String(memory.uri) } satisfies PlannedRequest),
      shown: () => memory.key,
      refresh: context.refresh,
      tell: (late) => context.post({ type: 'late', late }),
      later: waiting,
    }),
  };
}

/** A preview seen from inside. */
export interface Self {
  readonly host: PreviewHost;
  readonly place: Place;
  readonly memory: PreviewMemory;
  readonly outbox: ReturnType<typeof createOutbox>;
  readonly context: PreviewContext;
  readonly parts: ReturnType<typeof makeParts>;
}

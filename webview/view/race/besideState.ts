import type { DriftedBlock, PairedColumns, Side } from '../../picture/drift.ts';
import type { RowPairs } from '../../picture/rowPairs.ts';
import type { Theme } from '../scene/theme.ts';
import type { BesideSide } from './besideHead.ts';
import type { RunPanelState } from './runPanel.ts';

/** What two timelines side by side show. */
export interface BesideState {
  readonly of: Readonly<Record<Side, BesideSide>>;
  /** Numbers of the timelines that are drawn. */
  readonly ids: Readonly<Partial<Record<Side, number>>>;
  readonly rows: RowPairs;
  /** Seconds of the longer timeline; 0 while there is none. */
  readonly longest: number;
  readonly pair?: PairedColumns;
  /** Differences that are shown, by start. */
  readonly drifted: readonly DriftedBlock[];
  /** Share of the upper iteration, and its seconds. */
  readonly tolerance: number;
  readonly iteration: number;
  /** What the comparison comes to. */
  readonly sentence: string;
  /** Device of the lower timeline that explains the difference; −1 for none. */
  readonly behind: number;
  readonly theme: Theme;
  /** Of a recorded run that is below. */
  readonly run?: {
    readonly panel?: RunPanelState;
    /** Words for each of its pipelines, and the one that is shown. */
    readonly replicas: readonly string[];
    readonly replica: number;
  };
}

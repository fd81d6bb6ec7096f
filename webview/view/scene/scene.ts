import type { Line } from '../../picture/describe.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import type { Settings } from '../../session/settings.ts';
import type { Selection, Target } from '../../session/selection.ts';
import type { Layout } from './layout.ts';
import type { Sensitivity } from '../../session/sensitivities.ts';
import type { Highlight } from '../../session/highlight.ts';
import type { RowShape } from './rowShape.ts';
import type { Theme } from './theme.ts';
import type { Viewport } from './viewport.ts';
import type { MemoryBands } from '../../picture/memoryBands.ts';
import type { Picture } from '../../picture/picture.ts';
import type { Why } from '../../picture/why.ts';
import type { MemoryStack } from '../../../engine/simulate/memoryStack.ts';

/** All that painting over the blocks needs: one moment of the page. */
export interface Scene extends Settings {
  readonly plan: PipelinePlan;
  readonly picture: Picture;
  readonly theme: Theme;
  readonly view: Viewport;
  readonly layout: Layout;
  readonly shape: RowShape;
  readonly chunk: Uint8Array;
  readonly selection: Selection | undefined;
  /** Seconds under the pointer. */
  readonly cursor: number | undefined;
  readonly hovered: Target | undefined;
  /** Seconds that the iteration is played up to; undefined while it is not played. */
  readonly played: number | undefined;
  readonly highlight: Highlight;
  /** Blocks that a search found, ascending. */
  readonly found: Int32Array;
  /** The layer that a search asks for: its pieces stay in sight. */
  readonly foundLayer?: string | undefined;
  /** Blocks that run at another place than in the file, ascending; empty if they are not asked for. */
  readonly moved: Int32Array;
  /** The hit that the search is at; −1 for none. */
  readonly current: number;
  /** How much memory many devices hold, for the stretch of time in sight; absent for few devices. */
  readonly bands?: MemoryBands;
  /** The chain of causes that is drawn. */
  readonly why?: Why;
  /** What fills the device whose memory is explained. */
  readonly stack?: MemoryStack;
  /** What a slower or faster stage of the plan does to the iteration; undefined while not known. */
  sensitivity(stage: number): Sensitivity | undefined;
  /** What wrote a block, as labels with values; empty while not known, and for blocks of built-in orders. */
  origin(block: number): readonly Line[];
  /** Device pixels a CSS pixel. */
  readonly dpr: number;
}

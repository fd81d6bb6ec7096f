import type { PipelinePlan } from '../engine/plan.ts';
import type { Gap } from './blocks.ts';
import type { Layout } from './layout.ts';
import type { Rings } from './rings.ts';
import type { RowShape } from './rowShape.ts';
import type { Theme } from './theme.ts';
import type { View } from './view.ts';
import type { ColourBy } from './worker/paint.ts';
import type { Picture } from './worker/result.ts';

/** All that painting over the blocks needs: one moment of the page. */
export interface Scene {
  readonly plan: PipelinePlan;
  readonly picture: Picture;
  readonly theme: Theme;
  readonly view: View;
  readonly layout: Layout;
  readonly shape: RowShape;
  readonly by: ColourBy;
  readonly chunk: Uint8Array;
  readonly criticalPath: boolean;
  readonly bubbles: boolean;
  readonly selection: Selection | undefined;
  /** Seconds under the pointer. */
  readonly cursor: number | undefined;
  readonly hovered: Target | undefined;
  readonly rings: Rings;
  /** Blocks that a search found, ascending. */
  readonly found: Int32Array;
  /** Device pixels a CSS pixel. */
  readonly dpr: number;
}

export type Target = { readonly kind: 'block'; readonly block: number } | { readonly kind: 'gap'; readonly gap: Gap };
export type Selection =
  | Target
  | { readonly kind: 'device'; readonly device: number }
  | { readonly kind: 'range'; readonly t0: number; readonly t1: number; readonly from: number; readonly to: number };

/** −1 where there is none, or several. */
export function selectedDevice(selection: Selection | undefined, deviceOf: (block: number) => number): number {
  if (selection?.kind === 'block') return deviceOf(selection.block);
  if (selection?.kind === 'gap') return selection.gap.device;
  return selection?.kind === 'device' ? selection.device : -1;
}

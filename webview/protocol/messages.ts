import type { EngineOptions } from '../../engine/host.ts';
import type { Plan } from '../../engine/plan.ts';

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
    }
  /** The file is broken: keep the last good timeline under a banner. */
  | { readonly type: 'broken'; readonly uri: string; readonly version: number; readonly message: string }
  /** The cursor is at these paths; the page outlines their blocks. */
  | { readonly type: 'highlight'; readonly paths: readonly string[] };

/** What the page posts to the extension. Validated there before use. */
export type FromPage =
  | { readonly type: 'ready'; readonly state?: PreviewState }
  /** Show the source of a path. `preserveFocus`: peek. */
  | { readonly type: 'reveal'; readonly path: string; readonly preserveFocus: boolean }
  /** Turn params: plan again with these values. */
  | { readonly type: 'try'; readonly overrides: Readonly<Record<string, number>> }
  /** Write a param's value into the file. */
  | { readonly type: 'apply'; readonly name: string; readonly value: number }
  | { readonly type: 'error'; readonly message: string };

/** What the colours of blocks tell apart. */
export type ColourBy = 'operation' | 'microbatch' | 'chunk';

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
}

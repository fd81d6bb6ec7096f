/** Questions about the text in the editor. */
import type { Position, Range, TextEdit } from '../../../../webview/protocol/requests.ts';

export interface Finding {
  readonly range: Range;
  readonly severity?: number;
  readonly code?: string | number;
  readonly message: string;
  readonly data?: unknown;
  readonly source?: string;
  readonly relatedInformation?: readonly {
    readonly location: { readonly uri: string; readonly range: Range };
    readonly message: string;
  }[];
}

/** A change that the server offers. */
export interface Action {
  readonly title: string;
  readonly kind?: string;
  readonly isPreferred?: boolean;
  readonly disabled?: { readonly reason: string };
  readonly edit?: {
    readonly changes?: Readonly<Record<string, readonly TextEdit[]>>;
    readonly documentChanges?: readonly {
      readonly textDocument: { readonly uri: string };
      readonly edits: readonly TextEdit[];
    }[];
  };
  readonly command?: unknown;
  readonly data?: unknown;
}

export interface Asks {
  /** At a place of the text; undefined where there is no answer. */
  at<T>(method: string, position: Position, more?: object): Promise<T | undefined>;
  /** About the whole text. */
  of<T>(method: string, more?: object): Promise<T | undefined>;
  /** Quick fixes of a finding, the best first. */
  fixes(finding: Finding): Promise<readonly Action[]>;
  /** Makes a change that the server offered, if the text is still the same. */
  make(action: Action): Promise<void>;
}

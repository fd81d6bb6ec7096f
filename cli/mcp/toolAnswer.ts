import type { Fields } from '../summary/summary.ts';

/** What a tool gives. */
export interface ToolAnswer {
  readonly text: string;
  readonly data?: Fields;
  /** The whole answer, if this is a part of it. */
  readonly whole?: () => string;
  /** Of the whole answer. Default: JSON. */
  readonly mimeType?: 'text/plain';
  /** The call cannot be answered. `text` says why. */
  readonly isError?: true;
}

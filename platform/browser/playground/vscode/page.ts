/** What the editor's API needs of the page. The page sets it before anything asks. */
import type { Files } from '../files.ts';
import type { Texts } from '../texts.ts';
import type { Position, Range, Selection } from './values.ts';

export interface Item {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  readonly kind?: number;
}

export interface Page {
  readonly texts: Texts;
  readonly files: Files;
  /** Uri of the text in the editor. */
  shown(): string;
  selection(): Selection;
  /** Puts the caret of the editor there, and brings it into sight. */
  select(at: Position, focus: boolean): void;
  /** Shows another file in the editor. */
  open(uri: string): Promise<void>;
  /** Edits the text in the editor. */
  edit(changes: readonly { readonly range: Range; readonly newText: string }[]): void;
  /** A line for the reader; `actions` are buttons. The answer is the button that was pressed. */
  say(message: string, kind: 'note' | 'error', actions?: readonly string[]): Promise<string | undefined>;
  /** The place of the item that the reader chooses from a list. */
  choose(items: readonly Item[], title: string): Promise<number | undefined>;
  /** A file of the reader's disk, as text. */
  ask(extensions: readonly string[]): Promise<{ readonly name: string; readonly text: string } | undefined>;
  save(name: string, bytes: Uint8Array): void;
  copy(text: string): Promise<void>;
}

let page: Page | undefined;

export const setPage = (given: Page): void => {
  page = given;
};

export function thePage(): Page {
  if (page === undefined) throw new Error('The page is not there yet.');
  return page;
}

import type { Desk } from './desk.ts';

/** What a person comes for, done to its end with the editor and the preview alone. */
export interface Journey {
  readonly name: string;
  /** Files in the folder that is open: an example to copy, or a text with more than one line. Empty: an empty file. */
  readonly files: Readonly<Record<string, string>>;
  run(desk: Desk): Promise<void>;
}

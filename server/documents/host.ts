/** What the documents of the server need from outside. */
import type { EngineOptions } from '../../engine/basics/host.ts';
import type { Answers } from '../threads/answers.ts';
import type { Files, View } from '../view.ts';

export interface DocumentsHost {
  readonly files: Files;
  readonly answers: Answers;
  options(): EngineOptions;
  /** Checking starts once this is settled. */
  readonly ready: Promise<void>;
  /** The plan of a text is known, and its figures take longer; `checked` or `failed` follows, unless the text changes. */
  planned(view: View): void;
  /** `edited` is false where the text did not change, only something around it. */
  checked(view: View, edited: boolean): void;
  /** Everything is known but the tests of schedules, which may take long. `checked` or `failed` follows, unless the text changes. */
  untested(view: View): void;
  /** Figures or answers let wait for them: the view has what else is known. `checked` or `failed` follows, unless the text changes. */
  waiting(view: View): void;
  closed(uri: string): void;
  failed(uri: string, error: unknown): void;
  /** Milliseconds that answers may take before `waiting` is called: most come sooner, and diagnostics would flicker. */
  readonly patience?: number;
  /** Of bursts of edits, and of slices of checks. Default: the clock of the machine. */
  readonly clock?: Clock;
}

/** Milliseconds. */
export interface Clock {
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

export const usualClock: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};

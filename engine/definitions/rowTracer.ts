/** The source of each operation of rows. It is found on request: one row is written again. */
import type { Span } from '../../grammar/syntax.ts';
import type { Dimension, Place } from '../values/plan.ts';

/** A name as it is read, with its number: `g`, `warm(1)`. */
export interface NamedNumber {
  readonly name: string;
  readonly value: number;
  readonly dimension: Dimension;
}

/** The text that wrote an operation. */
export interface OperationOrigin {
  /** The innermost text: `F[g*group..<(g+1)*group, chunk = c]`, or `slot(F, s, j) = …`. */
  readonly place: Place;
  readonly text: string;
  /** Which written expression of the row it is in; empty where the innermost text is all of it. */
  readonly item: string;
  /** `row(1)`, then each `let` on the path with its arguments: `ahead(1)`. */
  readonly path: readonly string[];
  /** Loop indices and parameters first, then numbers that the text on the path uses. */
  readonly numbers: readonly NamedNumber[];
}

/** Answers about one row. Positions are the ones in `RowPlan`. */
export interface RowTracer {
  /** Uri of the file that the spans are in. */
  readonly uri: string;
  /** Whether a text of the schedule writes operations. */
  writes(text: Span): boolean;
  /** For each operation of a device's row: 1 if one of these texts wrote it. */
  written(device: number, texts: readonly Span[]): Uint8Array;
  /** Undefined where the row has no such position. */
  origin(device: number, position: number): OperationOrigin | undefined;
}

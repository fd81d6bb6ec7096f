import type { Span } from '../../grammar/syntax.ts';
import type { Place } from '../plan.ts';
import type { Code, Parameters } from './catalogue.ts';
import type { Finding, FixHint } from './finding.ts';

/** Where the findings of one file gather. The same code at the same place is kept once: an expression may be evaluated for many devices. */
export interface Reporter {
  readonly uri: string;
  readonly findings: readonly Finding[];
  /** How many errors were reported or repeated so far; compare before and after to see whether a step went wrong. */
  errors(): number;
  report<C extends Code>(
    code: C,
    span: Span,
    parameters: Parameters<C>,
    extras?: {
      readonly related?: readonly { readonly place: Place; readonly message: string }[];
      readonly hint?: FixHint;
    },
  ): void;
  /** A finding already made, here or in another file. */
  add(found: Finding): void;
  place(span: Span): Place;
  /** Nearest spelling, from a budget that the whole file shares. */
  nearest(name: string, candidates: Iterable<string>): string | undefined;
}

import type { Place } from '../plan.ts';
import { catalogue, type Code, type Parameters, type Severity } from './catalogue.ts';

/** Something to report, at a place in text. */
export interface Finding {
  readonly code: Code;
  readonly severity: Severity;
  readonly message: string;
  readonly place: Place;
  readonly related: readonly { readonly place: Place; readonly message: string }[];
  readonly hint?: FixHint;
}

/** The same before origins are known: `at` and `related` are paths of the plan. What the engine finds after planning. */
export interface PlanFinding {
  readonly code: Code;
  readonly severity: Severity;
  readonly message: string;
  readonly at: string;
  readonly related: readonly { readonly at: string; readonly message: string }[];
  readonly hint?: FixHint;
}

/** What a quick fix needs to know beyond the place. */
export type FixHint =
  /** Replace the text at `place` by one of these, nearest first. */
  | { readonly kind: 'spelling'; readonly suggestions: readonly string[] }
  /** Write the exact best cut into the file. */
  | { readonly kind: 'balance'; readonly pipeline: string }
  /** Recompute a stage. */
  | { readonly kind: 'recompute'; readonly pipeline: string; readonly stage: number }
  /** Raise warm-up so that transfers hide behind computing. */
  | { readonly kind: 'warmup'; readonly pipeline: string; readonly warmup: readonly number[] }
  /** Another value of an input, nearest first. */
  | { readonly kind: 'value'; readonly pipeline: string; readonly input: string; readonly values: readonly number[] }
  /** Issue sends and receives together; what may be written as `batched`, narrowest first. */
  | { readonly kind: 'transfer'; readonly pipeline: string; readonly batched: readonly string[] }
  /** Remove the entry at `place`. */
  | { readonly kind: 'remove' };

interface Extras<R> {
  readonly related?: readonly R[];
  readonly hint?: FixHint;
  /** Only for codes whose severity depends on a threshold. */
  readonly severity?: Severity;
}

/** A finding of the catalogue; the type of `parameters` follows from the code. */
export function finding<C extends Code>(
  code: C,
  place: Place,
  parameters: Parameters<C>,
  extras: Extras<{ readonly place: Place; readonly message: string }> = {},
): Finding {
  return { ...text(code, parameters, extras.severity), place, related: extras.related ?? [], hint: extras.hint };
}

/** The same for a path of the plan. */
export function planFinding<C extends Code>(
  code: C,
  at: string,
  parameters: Parameters<C>,
  extras: Extras<{ readonly at: string; readonly message: string }> = {},
): PlanFinding {
  return { ...text(code, parameters, extras.severity), at, related: extras.related ?? [], hint: extras.hint };
}

function text<C extends Code>(code: C, parameters: Parameters<C>, severity?: Severity) {
  const entry = catalogue[code];
  const message = (entry.message as (p: Parameters<C>) => string)(parameters);
  return { code, severity: severity ?? entry.severity, message };
}

import { spellings } from '../basics/spelling.ts';
import type { Span } from '../../grammar/syntax.ts';
import type { Place } from '../values/plan.ts';
import type { Code, Parameters, SeverityOf } from './catalogue.ts';
import { type Finding, type FixHint, finding } from './finding.ts';

/**
 * Gathers the findings of one file. The same code at the same place is kept once: an expression may be evaluated for many
 * devices.
 */
export interface Reporter {
  readonly uri: string;
  readonly findings: readonly Finding[];
  /** How many errors were reported or repeated so far; compare before and after to see whether a step went wrong. */
  errors(): number;
  /** The same for findings of any severity. */
  reports(): number;
  report<C extends Code>(
    code: C,
    span: Span,
    parameters: Parameters<C>,
    extras?: {
      readonly related?: readonly { readonly place: Place; readonly message: string }[];
      readonly hint?: FixHint;
      /** Only for codes whose severity depends on a threshold. */
      readonly severity?: SeverityOf<C>;
    },
  ): void;
  /** Takes back what was reported with this code at this place, because another finding says it better. It still counts as an error. */
  withdraw(code: Code, span: Span): void;
  /** Errors are still counted there, but no more are kept: they follow from what has been reported. */
  silence(span: Span): void;
  /** A finding already made, here or in another file. */
  add(found: Finding): void;
  place(span: Span): Place;
  /** Nearest spelling, from a budget that the whole file shares. */
  nearest(name: string, candidates: Iterable<string>): string | undefined;
}

/** `limit`: findings kept; more are counted, not kept. `place`: where spans are, if the text is a part of the file. */
export function createReporter(
  uri: string,
  limit: number,
  place: Reporter['place'] = ({ start, end }) => ({ uri, start, end: Math.max(start, end) }),
): Reporter {
  const findings: Finding[] = [];
  const seen = new Set<string>();
  const near = spellings();
  let errors = 0;
  let reports = 0;
  const silent: Span[] = [];
  const add = (found: Finding): void => {
    reports += 1;
    if (found.severity === 'error') errors += 1;
    if (findings.length >= limit) return;
    if (
      silent.some(({ start, end }) => found.place.uri === uri && found.place.start >= start && found.place.end <= end)
    )
      return;
    const key = `${found.code} ${found.place.start} ${found.place.end}`;
    if (seen.has(key)) return;
    seen.add(key);
    findings.push(found);
  };
  return {
    uri,
    findings,
    errors: () => errors,
    reports: () => reports,
    place,
    add,
    silence(span) {
      silent.push(span);
    },
    withdraw(code, span) {
      const at = findings.findIndex(
        (found) => found.code === code && found.place.start === span.start && found.place.end === span.end,
      );
      if (at >= 0) findings.splice(at, 1);
    },
    report(code, span, parameters, extras) {
      // The parser has said that a value is missing.
      if (isAbsent(span)) errors += 1;
      else add(finding(code, place(span), parameters, extras));
    },
    // No suggestion for what is no longer kept.
    nearest: (name, candidates) => (findings.length < limit ? near(name, candidates) : undefined),
  };
}

/** A value of which nothing is written. */
const isAbsent = (span: Span): boolean => 'kind' in span && span.kind === 'missing';

/** The hint of a spelling fix, where there is a spelling. */
export const spellingHint = (suggestion: string | undefined): FixHint | undefined =>
  suggestion === undefined ? undefined : { kind: 'spelling', suggestions: [suggestion] };

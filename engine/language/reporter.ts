import type { Reporter } from '../findings/reporter.ts';
import { finding, type Finding, type FixHint } from '../findings/finding.ts';
import type { Span } from '../../grammar/syntax.ts';
import type { Place } from '../plan.ts';
import { spellings } from './spelling.ts';

/** `limit`: findings kept; more are counted, not kept. */
export function createReporter(uri: string, limit: number): Reporter {
  const findings: Finding[] = [];
  const seen = new Set<string>();
  const near = spellings();
  let errors = 0;
  const place = (span: Span): Place => ({ uri, start: span.start, end: Math.max(span.start, span.end) });
  const add = (found: Finding): void => {
    if (found.severity === 'error') errors += 1;
    if (findings.length >= limit) return;
    const key = `${found.code} ${found.place.start} ${found.place.end}`;
    if (seen.has(key)) return;
    seen.add(key);
    findings.push(found);
  };
  return {
    uri,
    findings,
    errors: () => errors,
    place,
    add,
    report: (code, span, parameters, extras) => add(finding(code, place(span), parameters, extras)),
    // No suggestion for what is no longer kept.
    nearest: (name, candidates) => (findings.length < limit ? near(name, candidates) : undefined),
  };
}

/** The hint of a spelling fix, where there is a spelling. */
export const spellingHint = (suggestion: string | undefined): FixHint | undefined =>
  suggestion === undefined ? undefined : { kind: 'spelling', suggestions: [suggestion] };

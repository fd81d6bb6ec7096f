/** What an engine says that has seen no text but those that it is asked about. Bundled, so that each engine has modules of its own. */
import { inspect } from 'node:util';
import { type Analysis, check } from '../../../engine/flow/check.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { hostOf, uri } from '../../support/host.ts';
import { plainTree } from '../../support/plainTree.ts';

export interface SaidRequest {
  readonly text: string;
  /** The earlier answer that a check may take from. */
  readonly after: 'nothing' | 'the first' | 'the last';
}

/** All that a check says. */
const said = ({ syntax, findings, pipelines, resolution }: Analysis) => ({
  syntax: plainTree(syntax),
  findings,
  plan: resolution.plan,
  origins: [...resolution.origins].sort(([a], [b]) => (a < b ? -1 : 1)),
  symbols: [...resolution.symbols.symbols],
  references: resolution.symbols.references,
  derived: resolution.derived,
  pipelines: pipelines.map(({ plan, run, findings: found }) => ({
    plan,
    found,
    report: run?.report,
    order: run?.program.order.join(' '),
    ends: run?.timeline.end.join(' '),
    path: run?.criticalPath.join(' '),
  })),
});

let first: Analysis | undefined;
let last: Analysis | undefined;

/** All that a check says, as text. */
export function says({ text, after }: SaidRequest): string {
  const earlier = after === 'nothing' ? undefined : after === 'the first' ? first : last;
  last = check({ uri, text, host: hostOf(), options: defaultOptions, ...(earlier && { earlier }) });
  first ??= last;
  const whole = { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity, breakLength: Infinity };
  // What is made when it is asked for has another place among the keys, on which lines would depend.
  return inspect(said(last), { ...whole, sorted: true, compact: false });
}

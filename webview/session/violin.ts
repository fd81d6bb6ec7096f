import { holds } from '../../engine/analyze/expectations.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { iterationTime } from '../../engine/basics/quantities.ts';
import type { JitterReport, ReportWithoutCauses } from '../../engine/values/report.ts';

/** A time on the axis of a violin. */
export interface ViolinMark {
  readonly kind: 'iteration' | 'p50' | 'p95' | 'p99' | 'holds' | 'fails';
  /** From 0 at the left to 1. */
  readonly at: number;
  readonly words: string;
}

export interface Violin {
  /** Outline of the upper half, from left to right: place, and height of 0 to 1. */
  readonly outline: readonly (readonly [at: number, height: number])[];
  readonly marks: readonly ViolinMark[];
}

/** Bounds further away than this share of the length of the draws are not marked. */
const nearness = 1;

/** How the iterations of random draws are spread, with the bounds that the file expects of them. Undefined for certain times. Pure. */
export function violinOf(plan: PipelinePlan, report: ReportWithoutCauses): Violin | undefined {
  const { jitter, iteration } = report;
  if (jitter?.counts === undefined) return undefined;
  const { least, most, counts } = jitter;
  const near = nearness * (most - least);
  const bounds = boundsOf(plan, report).filter(({ bound }) => bound >= least - near && bound <= most + near);
  const first = Math.min(least, iteration, ...bounds.map(({ bound }) => bound));
  const last = Math.max(most, iteration, ...bounds.map(({ bound }) => bound));
  const at = (seconds: number): number => (seconds - first) / (last - first);
  const smooth = counts.map((count, index) => ((counts[index - 1] ?? 0) + 2 * count + (counts[index + 1] ?? 0)) / 4);
  const highest = Math.max(...smooth);
  const step = (most - least) / counts.length;
  const percentiles = (['p50', 'p95', 'p99'] as const).map((kind) => ({
    kind,
    at: at(jitter[kind]),
    words: `${kind} ${iterationTime(jitter[kind])}`,
  }));
  return {
    outline: [
      [at(least), 0],
      ...smooth.map((count, index) => [at(least + (index + 0.5) * step), count / highest] as const),
      [at(most), 0],
    ],
    marks: [
      { kind: 'iteration', at: at(iteration), words: `without jitter ${iterationTime(iteration)}` },
      ...percentiles,
      ...bounds.map(({ bound, isMet, text }) => ({
        kind: isMet ? ('holds' as const) : ('fails' as const),
        at: at(bound),
        words: `expect ${text}`,
      })),
    ],
  };
}

/** Bounds of percentiles that the file expects, in seconds, and whether they are met. */
export function boundsOf(
  plan: PipelinePlan,
  { jitter }: Pick<ReportWithoutCauses, 'jitter'>,
): readonly { readonly bound: number; readonly isMet: boolean; readonly text: string }[] {
  if (jitter === undefined) return [];
  return plan.expects.flatMap((expect) => {
    const { figure, bound, text } = expect;
    if (figure !== 'p50' && figure !== 'p95' && figure !== 'p99') return [];
    return [{ bound, isMet: holds(jitter[figure], expect), text }];
  });
}

/** `p50 1.056 s, p99 1.071 s of 1,000 draws`. */
export const percentilesText = ({ p50, p99, draws }: JitterReport): string =>
  `p50 ${iterationTime(p50)}, p99 ${iterationTime(p99)} of ${draws.toLocaleString('en-US')} ${draws === 1 ? 'draw' : 'draws'}`;

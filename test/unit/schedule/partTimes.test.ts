/** `time(F, s, j, a)`: times of parts of a sequence, against a simulator of its own. */
import { describe, expect, it } from 'vitest';
import { analyse } from '../../support/analyse.ts';
import { checkFindings } from '../../support/expected.ts';
import { pipelineOf } from '../sequences/written.ts';

/** Seq1F1B, with times of forwards and backwards by part. */
const text = (f: string, b: string): string => `schedule seq {
  param k = 4 in 1..64
  parts = k
  let ahead(d) = each(j in 0..<microbatches, F[j, part = 0..<k])
  let back(d)  = each(j in 0..<microbatches, B[j, part = k-1..0 step -1])
  let warm(d)  = devices - d - 1 + k
  row(d) = take(warm(d), ahead(d)), zip(back(d), drop(warm(d), ahead(d)))
  time(F, s, j, a) = time(F, s) * (${f})
  time(B, s, j, a) = time(B, s) * (${b})
}
`;

interface Operation {
  readonly back: boolean;
  readonly j: number;
  readonly a: number;
}

/** Seconds of the iteration: operations start in order, once what they need has ended. */
function makespan(
  p: number,
  m: number,
  k: number,
  seconds: (back: boolean, s: number, j: number, a: number) => number,
) {
  const orders = Array.from({ length: p }, (_, d): Operation[] => {
    const ahead: Operation[] = [];
    const back: Operation[] = [];
    for (let j = 0; j < m; j += 1)
      for (let a = 0; a < k; a += 1) {
        ahead.push({ back: false, j, a });
        back.push({ back: true, j, a: k - 1 - a });
      }
    const warm = Math.min(ahead.length, p - d - 1 + k);
    const order = ahead.slice(0, warm);
    for (let at = 0; at < back.length; at += 1) order.push(back[at], ...ahead.slice(warm + at, warm + at + 1));
    return order;
  });
  const ends = new Map<string, number>();
  const free = new Float64Array(p);
  const next = new Int32Array(p);
  const end = (back: boolean, s: number, j: number, a: number): number | undefined =>
    ends.get(`${back} ${s} ${j} ${a}`);
  for (let ran = true; ran;) {
    ran = false;
    for (let s = 0; s < p; s += 1) {
      const { back, j, a } = orders[s][next[s]] ?? { back: false, j: -1, a: 0 };
      if (j < 0) continue;
      const needs = back
        ? [
            end(false, s, j, a),
            ...(s + 1 < p ? [end(true, s + 1, j, a)] : []),
            ...(a + 1 < k ? [end(true, s, j, a + 1)] : []),
          ]
        : [...(s > 0 ? [end(false, s - 1, j, a)] : []), ...(a > 0 ? [end(false, s, j, a - 1)] : [])];
      if (!needs.every((time) => time !== undefined)) continue;
      free[s] = Math.max(free[s], ...needs) + seconds(back, s, j, a);
      ends.set(`${back} ${s} ${j} ${a}`, free[s]);
      next[s] += 1;
      ran = true;
    }
  }
  expect(ends.size).toBe(2 * p * m * k);
  return Math.max(...free);
}

const iterationOf = (source: string, devices: number, microbatches: number, k: number): number | undefined => {
  const unit = { schedule: `seq(k = ${k})`, devices, microbatches };
  const { pipelines, findings } = analyse(source, { unit });
  expect(findings).toEqual([]);
  return pipelines[0]?.run?.report.iteration;
};

describe('times of parts', () => {
  it.each([
    [
      '(2 * a + 1) / k',
      '(2 * a + 1) / k',
      (back: boolean, _s: number, _j: number, a: number, k: number) => (((back ? 2 : 1) / k) * (2 * a + 1)) / k,
    ],
    [
      '1 + s + 2 * j + 3 * a',
      '1 + a * a',
      (back: boolean, s: number, j: number, a: number, k: number) =>
        back ? (2 / k) * (1 + a * a) : (1 / k) * (1 + s + 2 * j + 3 * a),
    ],
  ] as const)('F %s, B %s', (f, b, seconds) => {
    for (let p = 1; p <= 4; p += 1)
      for (let m = 1; m <= 4; m += 1)
        for (const k of [1, 2, 3, 5])
          expect(iterationOf(text(f, b), p, m, k), `p = ${p}, m = ${m}, k = ${k}`).toBeCloseTo(
            makespan(p, m, k, (back, s, j, a) => seconds(back, s, j, a, k)),
            9,
          );
  });

  it('without the part, all parts take the same', () => {
    const whole = text('2', '1').replaceAll(', j, a)', ', j)');
    expect(iterationOf(whole, 2, 3, 4)).toBeCloseTo(
      makespan(2, 3, 4, (back) => (back ? 2 / 4 : 2 / 4)),
      9,
    );
  });

  it.each([
    [
      'row(d) = F[0..<microbatches], B[0..<microbatches]  time(F, s, j, ⟦type/mismatch:a⟧) = 1ms',
      'to name a part, cut sequences with `parts = 4`',
    ],
    [
      'parts = 2  row(d) = F[0..<microbatches, part = 0..1], B[0..<microbatches, part = 1..0 step -1]  ⟦type/mismatch:time⟧(F, s) = 1ms',
      'two or three names',
    ],
    [
      'parts = 2  row(d) = F[0..<microbatches, part = 0..1], B[0..<microbatches, part = 1..0 step -1]  ⟦type/mismatch:time⟧(F, s, j, a, b) = 1ms',
      'two or three names',
    ],
  ])('%s', (schedule, message) => {
    checkFindings(pipelineOf(`schedule mine { ${schedule} }`), [message]);
  });
});

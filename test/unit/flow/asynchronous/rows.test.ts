import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../../engine/basics/host.ts';
import type { PipelinePlan } from '../../../../engine/values/plan.ts';
import { validate } from '../../../../engine/schedule/validate.ts';
import { checkFindings } from '../../../support/expected.ts';
import { resolveText } from '../../../support/resolve.ts';
import { namesOf, programFor } from '../../schedule/bruteForce.ts';
import { pipelineOf } from '../../sequences/written.ts';

/** Stage s runs p − s forwards, then one backward and one forward in turn; `step` is what follows a backward. */
const rows = (weights: string, step: string): string => `schedule mine {
  weights = ${weights}
  let total   = microbatches * iterations
  let warm(d) = min(stages - d, total)
  let step(j) = ${step}
  row(d) = F[0..<warm(d)], each(j in 0..<total - warm(d), B[j], step(j), F[j + warm(d)]),
    each(j in total - warm(d)..<total, B[j], step(j))
}`;
const written = 'if(mod(j + 1, microbatches) == 0, [U[j]], [])';

function planOf(text: string): PipelinePlan {
  const { plan, findings } = resolveText(text);
  const [pipeline] = plan.pipelines;
  if (pipeline === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return pipeline;
}
const figures = (plan: PipelinePlan) => evaluate(plan, defaultOptions).run?.report;

/** One device, two and four, one microbatch, two and four: order, iterations, pace, versions and staleness of the built-in `pipedream`. */
function expectPipedream(weights: string, text: string): void {
  for (const devices of [1, 2, 4]) {
    for (const microbatches of [1, 2, 4]) {
      const built = planOf(pipelineOf('', { devices, microbatches, use: `pipedream(weights = ${weights})` }));
      const plan = planOf(pipelineOf(text, { devices, microbatches }));
      expect(plan.iterations).toBe(built.iterations);
      expect(validate(programFor(plan), plan)).toEqual([]);
      expect(namesOf(programFor(plan))).toEqual(namesOf(programFor(built)));
      expect(figures(plan)).toMatchObject({
        iteration: figures(built)?.iteration,
        asynchronous: figures(built)?.asynchronous,
        stages: figures(built)?.stages.map(({ versions, staleness }) => ({ versions, staleness })),
      });
    }
  }
}

/** 1F1B as a clock table. */
const table = `schedule mine {
  weights = stash
  slot(F, s, j) = 2 * j + s
  slot(B, s, j) = 2 * j + 2 * devices - 1 - s
}`;

describe('slots without a flush', () => {
  it.each([table, table.replace(/s, j\) = 2 \* j \+ /g, 's) = ').replace('slot', 'period = 2  slot')])(
    'give the order, versions and staleness of pipedream',
    (text) => expectPipedream('stash', text),
  );
  it('are not filled', () => {
    checkFindings(pipelineOf(table.replace('slot', '⟦key/not-applicable:fill⟧ = true  slot')), [
      'without a flush, devices work through the slots in order',
    ]);
  });
});

describe('rows without a flush', () => {
  it.each(['stash', 'vertical_sync', 'latest'])(
    'give the order, versions and staleness of pipedream: %s',
    (weights) => {
      for (const step of [written, '[]']) expectPipedream(weights, rows(weights, step));
    },
  );
  it('keep p − s versions under stash, for minibatches of one microbatch', () => {
    const plan = planOf(pipelineOf(rows('stash', written), { devices: 4, microbatches: 1 }));
    expect(figures(plan)?.stages.map(({ versions }) => versions)).toEqual([4, 3, 2, 1]);
    expect(figures(plan)?.stages.map(({ staleness }) => staleness)).toEqual([3, 2, 1, 0]);
  });
  it('are updated where they say: a late update makes the next forward older', () => {
    // Each update one forward later than above.
    const late = `schedule mine {
      weights = stash
      row(d) = F[0..<stages - d], each(j in 0..<iterations - stages + d, B[j], F[j + stages - d], U[j]),
        each(j in iterations - stages + d..<iterations, B[j], U[j])
    }`;
    const plan = planOf(pipelineOf(late, { devices: 4, microbatches: 1 }));
    expect(validate(programFor(plan), plan)).toEqual([]);
    expect(figures(plan)?.stages.map(({ staleness }) => staleness)).toEqual([4, 3, 2, 1]);
  });
  it('keep fused pairs together, and update after them', () => {
    const text = `schedule mine {
      weights = stash
      row(0) = F[0], each(j in 0..<iterations - 1, fused(B[j], F[j + 1])), B[iterations - 1]
    }`;
    const plan = planOf(pipelineOf(text, { devices: 1, microbatches: 1 }));
    const program = programFor(plan);
    expect(namesOf(program)[0].slice(0, 7)).toEqual(['0F0', '0B0', '0F1', '0U0', '0B1', '0F2', '0U1']);
    expect([...(program.fused ?? [])].slice(0, 7)).toEqual([0, 1, 0, 0, 1, 0, 0]);
    expect(program.items?.length).toBe(program.order.length);
    expect(validate(program, plan)).toEqual([]);
  });
});

describe('rows of copies without a flush', () => {
  /** Two devices take turns at stage 0; stage 1 is on the third. Copies update after their last microbatch of an iteration. */
  const turns = (weights: string, more = ''): string => `schedule mine {
    weights     = ${weights}
    stages      = devices - 1
    on(s, j)    = if(s == 0, mod(j, 2), 2)
    let total   = microbatches * iterations
    let f(d)    = F[d..<total step 2]
    row(d)      = take(2, f(d)), each(j in d..<total step 2, B[j], if(j + 4 < total, F[j + 4], []))
    row(2)      = each(j in 0..<total, F[j], B[j])
    ${more}
  }`;
  const shape = { devices: 3, stages: 2 };
  const builtIn = (weights: string, microbatches: number): PipelinePlan =>
    planOf(
      pipelineOf('', { ...shape, microbatches, use: `pipedream(weights = ${weights}, in_flight = 2)` }).replace(
        'stages = balance(2)',
        'stage first { layers = block[0]  on = gpu[0..1]  replicate = round_robin }  stage last { layers = block[1]  on = gpu[2] }',
      ),
    );

  it.each(['stash', 'vertical_sync', 'latest'])('are those of replicas under pipedream: %s', (weights) => {
    for (const microbatches of [1, 2, 4]) {
      const built = builtIn(weights, microbatches);
      const plan = planOf(pipelineOf(turns(weights), { ...shape, microbatches }));
      expect(plan.iterations).toBe(built.iterations);
      expect(validate(programFor(plan), plan)).toEqual([]);
      expect(namesOf(programFor(plan))).toEqual(namesOf(programFor(built)));
      expect(figures(plan)).toMatchObject({
        iteration: figures(built)?.iteration,
        asynchronous: figures(built)?.asynchronous,
        devices: figures(built)?.devices.map(({ idle, peak, in_flight }) => ({ idle, peak, in_flight })),
      });
    }
  });

  /** Two devices take turns at the only stage. */
  const alternating = (first: string, second: string, more = 'weights = stash'): string =>
    pipelineOf(
      `schedule mine { ${more}  stages = devices - 1  on(s, j) = mod(j, 2)  row(0) = ${first}  row(1) = ${second} }`,
      { devices: 2, stages: 1, microbatches: 4 },
    ).replace('microbatches =', 'iterations = 1  microbatches =');
  const faults = (text: string): readonly string[] =>
    evaluate(planOf(text), defaultOptions)
      .findings.filter(({ severity }) => severity === 'error')
      .map(({ code, message }) => `${code}: ${message}`);
  const second = 'F[1], F[3], B[1], B[3], U[3]';

  it('update once the other copies can have their gradients', () => {
    expect(faults(alternating('F[0], F[2], B[0], B[2], U[2]', second))).toEqual([]);
    expect(faults(alternating('F[0], F[2], B[0], B[2]', 'F[1], F[3], B[1], B[3]'))).toEqual([]);
    expect(faults(alternating('F[0], F[2], I[0], I[2], W[0], W[2], U[2]', second))).toEqual([]);
  });
  it.each([
    ['before its last microbatch', 'F[0], F[2], B[0], U[0], B[2]', '0U0'],
    ['before its last backward', 'F[0], F[2], B[0], U[2], B[2]', '0U2'],
    ['after backwards in reverse', 'F[0], F[2], B[2], B[0], U[2]', '0U2'],
    ['after weight gradients in reverse', 'F[0], F[2], I[0], I[2], W[2], W[0], U[2]', '0U2'],
    ['after backwards in reverse, without U', 'F[0], F[2], B[2], B[0]', '0U0'],
  ])('are not updated %s', (_, first, update) => {
    const [found] = faults(alternating(first, first.includes('U') ? second : 'F[1], F[3], B[1], B[3]'));
    expect(found).toContain(
      `schedule/repeated: ${update} on gpu[0] updates a copy before the other copies can have its gradients`,
    );
    expect(found).toContain('The backward of microbatch 2 must be its last one');
  });
  it('miss an update if one copy has none', () => {
    expect(faults(alternating('F[0], F[2], B[0], B[2], U[2]', 'F[1], F[3], B[1], B[3]'))).toEqual([
      'schedule/incomplete: The row of gpu[1] misses 1 operation: 0U3.',
    ]);
  });
  const refused = (text: string): readonly string[] =>
    resolveText(text)
      .findings.filter(({ severity }) => severity === 'error')
      .map(({ message }) => message);
  it.each([
    ['weights = double_buffer', 4, '"double_buffer" is for stages with one copy'],
    ['weights = stash', 3, '3 microbatches of an iteration do not divide evenly among the 2 copies of stage 0'],
  ])('are refused with %s and %i microbatches', (more, microbatches, message) => {
    const text = alternating('F[0]', 'F[1]', more).replace('microbatches = 4', `microbatches = ${microbatches}`);
    expect(refused(text)).toEqual([expect.stringContaining(message)]);
  });
  it('are refused if copies of a stage run different numbers of microbatches', () => {
    const text = `schedule mine {
      weights  = stash
      stages   = devices - 2
      on(s, j) = if(mod(j, 2) == 0, 0, if(mod(j, 4) == 1, 1, 2))
      row(d)   = []
    }`;
    expect(refused(pipelineOf(text, { devices: 3, stages: 1, microbatches: 4 }))).toEqual([
      expect.stringContaining('copies of stage 0 run different numbers of microbatches'),
    ]);
  });
  it('are refused with spare copies', () => {
    const text = `schedule mine {
      weights  = stash
      on(s, j) = [s, mod(s - 1, devices)]
      spare    = true
      row(d)   = []
    }`;
    expect(refused(pipelineOf(text))).toEqual([
      expect.stringContaining('spare copies, which "stash" would not update'),
    ]);
  });
});

describe('updates that cannot be', () => {
  const faults = (row: string, weights = 'stash', microbatches = 2): readonly string[] => {
    const plan = planOf(
      pipelineOf(`schedule mine { weights = ${weights}  row(d) = ${row} }`, { devices: 1, microbatches }).replace(
        'stages = balance',
        weights === 'flush' ? 'stages = balance' : 'iterations = 2  stages = balance',
      ),
    );
    return evaluate(plan, defaultOptions).findings.map(({ code, message }) => `${code}: ${message}`);
  };
  it('name the iteration without an update, the second update, and the one before its backward', () => {
    expect(faults('F[0..3], B[0..3], U[1]')).toEqual([
      'schedule/incomplete: The row of gpu[0] misses 1 operation: 0U3.',
    ]);
    expect(faults('F[0..3], B[0..1], U[0], U[1], B[2..3], U[3]')).toEqual([
      'schedule/repeated: 0U1 on gpu[0] updates its stage a second time in one iteration.',
    ]);
    expect(faults('F[0..3], U[1], B[0..3], U[3]')[0]).toContain('schedule/deadlock');
  });
  it('need weights without a flush', () => {
    expect(faults('F[0..1], B[0..1], U[1]', 'flush')[0]).toContain('`weights = flush` keeps them until its end');
  });
  it('are no operations of a rule', () => {
    checkFindings(pipelineOf('schedule mine { order = greedy(prefer = [B, F, ⟦type/mismatch:U⟧]) }'), [
      'after the last backward',
    ]);
  });
});

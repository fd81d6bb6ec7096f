/** Asynchronous rows whose sequences are cut into parts: versions, staleness and updates by a plain walk over the rows. */
import { describe, expect, it } from 'vitest';
import { steadyOf } from '../../../../engine/analyze/steady.ts';
import { evaluate } from '../../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../../engine/basics/host.ts';
import type { PipelinePlan } from '../../../../engine/values/plan.ts';
import { kindOf, letters, microbatchOf, type Program, stageOf } from '../../../../engine/values/program.ts';
import { generate } from '../../../../engine/schedule/generate.ts';
import { validate } from '../../../../engine/schedule/validate.ts';
import { timingOf } from '../../../../engine/simulate/timing.ts';
import { versionBytes } from '../../../../engine/simulate/versionBytes.ts';
import { stalenessAt, versionsOf } from '../../../../engine/simulate/versions.ts';
import { endAt, startAt } from '../../../../engine/values/timeline.ts';
import { resolveText } from '../../../support/resolve.ts';

interface Shape {
  readonly devices: number;
  readonly microbatches: number;
  readonly parts: number;
  readonly weights: string;
}

const fileOf = (
  schedule: string,
  { devices, microbatches }: Pick<Shape, 'devices' | 'microbatches'>,
): string => `schedule mine { ${schedule} }
device x { memory = 80GiB }
cluster box { gpu[${devices}] = x  link = 10GB/s + 1ms }
model m { layer a[${devices}] { forward = 4ms  backward = 8ms  weights = 1GiB  activation = 1GiB  output = 10MB } }
pipeline train { model = m  devices = box  microbatches = ${microbatches}  iterations = 6  stages = balance(${devices})  schedule = mine }
`;

/** Seq1F1B without a flush. */
const slices = ({ parts, weights }: Shape): string => `weights = ${weights}  parts = ${parts}
  let total   = microbatches * iterations
  let ahead   = each(j in 0..<total, F[j, part = 0..<${parts}])
  let back    = each(j in 0..<total, B[j, part = ${parts - 1}..0 step -1])
  let warm(d) = devices - d + ${parts} - 1
  row(d)      = take(warm(d), ahead), zip(back, drop(warm(d), ahead))`;

function made(text: string): { readonly plan: PipelinePlan; readonly program: Program } {
  const { plan, findings } = resolveText(text);
  const [pipeline] = plan.pipelines;
  if (pipeline === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  const generated = generate(pipeline);
  if (!('program' in generated)) throw new Error(generated.faults.map(({ message }) => message).join('\n'));
  return { plan: pipeline, program: generated.program };
}

const shapes = [1, 2, 3].flatMap((devices) =>
  [1, 2, 4].flatMap((microbatches) =>
    [1, 2, 3].flatMap((parts) =>
      ['stash', 'latest', 'predict', 'vertical_sync', 'double_buffer'].map((weights): Shape => ({
        devices,
        microbatches,
        parts,
        weights,
      })),
    ),
  ),
);

/** The backward uses the newest weights, or the weights predicted from them. */
const isNewest = (weights: string): boolean => weights === 'latest' || weights === 'predict';

/** By stage of the cut: versions by their definition, from the rows alone. */
function walked({ plan, program }: ReturnType<typeof made>, { microbatches, weights }: Shape) {
  const read = new Map<string, number>();
  const used = new Map<string, number>();
  const made = new Map<string, number>();
  /** Versions that each device holds at each of its positions. */
  const held: (readonly number[])[] = [];
  for (let device = 0; device < program.devices; device += 1) {
    const words = Array.from(program.order.subarray(program.offsets[device], program.offsets[device + 1]));
    const numberOf = (word: number) => plan.stages[stageOf(program, word)].copy?.stage ?? stageOf(program, word);
    // Backwards of the stage that are left in each iteration.
    const left = new Map<string, number>();
    const iterationOf = (word: number) => `${numberOf(word)} ${Math.trunc(microbatchOf(program, word) / microbatches)}`;
    const isBackward = (word: number) => letters[kindOf(program, word)] === 'B';
    for (const word of words) if (isBackward(word)) left.set(iterationOf(word), (left.get(iterationOf(word)) ?? 0) + 1);
    let version = 0;
    let waiting: string[] = [];
    const uses: { readonly at: number; readonly version: number }[] = [];
    const newest: number[] = [];
    for (const [at, word] of words.entries()) {
      const key = `${numberOf(word)} ${microbatchOf(program, word)}`;
      const kind = letters[kindOf(program, word)];
      newest.push(version);
      if (kind === 'F') {
        const microbatch = microbatchOf(program, word);
        // With one copy of each stage, the version of the entry has the same number everywhere.
        const asked =
          weights === 'vertical_sync'
            ? (read.get(`0 ${microbatch}`) ?? version)
            : weights === 'double_buffer'
              ? Math.max(0, Math.trunc(microbatch / microbatches) - 1)
              : version;
        if (!read.has(key)) read.set(key, Math.min(asked, version));
        uses.push({ at, version: read.get(key) ?? NaN });
      } else if (kind === 'B') {
        if (!used.has(key)) used.set(key, isNewest(weights) ? version : (read.get(key) ?? NaN));
        uses.push({ at, version: used.get(key) ?? NaN });
        waiting.push(key);
        left.set(iterationOf(word), (left.get(iterationOf(word)) ?? 0) - 1);
        if (left.get(iterationOf(word)) !== 0) continue;
        // The update comes next.
        expect(letters[kindOf(program, words[at + 1])]).toBe('U');
        version += 1;
        for (const each of waiting) made.set(each, version);
        waiting = [];
      }
    }
    held.push(
      words.map(
        (_, at) =>
          new Set([
            newest[at],
            ...uses.flatMap((use) => (use.at >= at && use.version <= newest[at] ? [use.version] : [])),
          ]).size,
      ),
    );
  }
  return { read, used, made, held };
}

describe('asynchronous parts', () => {
  it('use one version for all parts of a microbatch, and are updated together', () => {
    let stale = 0;
    for (const shape of shapes) {
      const found = made(fileOf(slices(shape), shape));
      const { plan, program } = found;
      expect(validate(program, plan)).toEqual([]);
      const versions = versionsOf(program);
      if (versions === undefined) throw new Error('no versions');
      const { read, used, made: by, held } = walked(found, shape);
      for (const [stage, { copy }] of plan.stages.entries())
        for (let microbatch = 0; microbatch < program.microbatches; microbatch += 1) {
          const slot = stage * program.microbatches + microbatch;
          const key = `${copy?.stage ?? stage} ${microbatch}`;
          expect([versions.read[slot], versions.used[slot], versions.made[slot]], JSON.stringify(shape)).toEqual([
            read.get(key),
            used.get(key),
            by.get(key),
          ]);
          stale += stalenessAt(versions, slot);
        }
      for (const [stage, device] of plan.placement.entries())
        expect(versions.most[stage], JSON.stringify(shape)).toBe(Math.max(...held[device]));
      // The weights that a device predicts are one more copy.
      const predicted = shape.weights === 'predict' ? 1 : 0;
      for (const [device, counts] of held.entries()) {
        const bytes = versionBytes(plan, program, device);
        for (const [at, count] of counts.entries())
          expect(bytes?.during(program.offsets[device] + at), JSON.stringify(shape)).toBe(
            (count - 1 + predicted) * 2 ** 30,
          );
      }
    }
    expect(stale).toBeGreaterThan(100);
  });

  it('of which an update runs between two use the version of the first', () => {
    for (const weights of ['stash', 'latest', 'predict']) {
      const shape = { devices: 1, microbatches: 1, parts: 2, weights };
      const found = made(
        fileOf(
          `weights = ${weights}  parts = 2  row(d) = F[0, part = 0..1], F[1, part = 0], B[0, part = 1..0 step -1], F[1, part = 1],
            F[2, part = 0..1], B[2, part = 1], B[1, part = 1..0 step -1], B[2, part = 0], each(j in 3..5, F[j, part = 0..1], B[j, part = 1..0 step -1])`,
          shape,
        ),
      );
      const { plan, program } = found;
      expect(validate(program, plan)).toEqual([]);
      const versions = versionsOf(program);
      const { read, used } = walked(found, shape);
      const by = (list: Int32Array | undefined) => Array.from(list ?? []);
      const expected = (of: ReadonlyMap<string, number>) =>
        [0, 1].flatMap(() => [0, 1, 2, 3, 4, 5].map((j) => of.get(`0 ${j}`)));
      expect(by(versions?.read)).toEqual(expected(read));
      expect(by(versions?.used)).toEqual(expected(used));
      expect(expected(read).slice(0, 3)).toEqual([0, 0, 1]);
      expect(expected(used).slice(0, 3)).toEqual(isNewest(weights) ? [0, 1, 1] : [0, 0, 1]);
    }
  });

  it('of one part are plain rows', () => {
    for (const shape of shapes.filter(({ parts }) => parts === 1)) {
      const plain = slices(shape)
        .replaceAll(/, part = \S+?( step -1)?\]/gu, ']')
        .replace('parts = 1', '');
      const [one, other] = [made(fileOf(slices(shape), shape)), made(fileOf(plain, shape))];
      const [first, second] = [one, other].map(({ plan }) => evaluate(plan, defaultOptions).run);
      expect(Array.from(one.program.order)).toEqual(Array.from(other.program.order));
      expect(first?.timeline.makespan).toBe(second?.timeline.makespan);
      expect(first?.report.stages.map(({ versions, staleness }) => [versions, staleness])).toEqual(
        second?.report.stages.map(({ versions, staleness }) => [versions, staleness]),
      );
    }
  });

  it('take the time of whole microbatches', () => {
    for (const shape of shapes) {
      const { plan } = made(fileOf(slices(shape), shape));
      const { run } = evaluate(plan, defaultOptions);
      if (run === undefined) throw new Error('no timeline');
      const steady = steadyOf(run.timeline);
      for (const busy of steady?.busy ?? []) expect(busy).toBeCloseTo(shape.microbatches * 12e-3, 12);
    }
  });

  it.each([
    ['B[j, stage = s, part = 1..0 step -1]', 'B'],
    // The weight gradient of the last part comes last.
    ['I[j, stage = s, part = 1..0 step -1], W[j, stage = s, part = 0..1]', 'W'],
  ])('of copies wait for all parts of the other copies: %s', (backward, letter) => {
    const body = `placement = bidirectional  weights = stash  parts = 2
      time(${letter}, s, j) = time(${letter}, s) * if(mod(j, 2) == 0, 3, 1)
      row(d) = each(i in 0..<iterations, F[2 * i..<2 * i + 2, part = 0..<2],
        each(s in stages-1..0 step -1, each(j in 2 * i..<2 * i + 2, if(if(mod(j, 2) == 0, s, stages - 1 - s) == d, [${backward}]))))`;
    const { plan, program } = made(fileOf(body, { devices: 2, microbatches: 2 }));
    expect(validate(program, plan)).toEqual([]);
    const timeline = evaluate(plan, defaultOptions).run?.timeline;
    if (timeline === undefined) throw new Error('no timeline');
    let updates = 0;
    for (const [position, word] of program.order.entries()) {
      if (letters[kindOf(program, word)] !== 'U') continue;
      updates += 1;
      for (const [other, before] of program.order.entries())
        if (
          letters[kindOf(program, before)] === letter &&
          plan.stages[stageOf(program, before)].copy?.stage === plan.stages[stageOf(program, word)].copy?.stage &&
          Math.trunc(microbatchOf(program, before) / 2) === Math.trunc(microbatchOf(program, word) / 2)
        )
          expect(startAt(timeline, position)).toBeGreaterThanOrEqual(endAt(timeline, other) - 1e-12);
    }
    // Updates of a device share its step.
    const { duration } = timingOf(plan, program);
    for (const [device, { sync, optimizer }] of plan.step.entries()) {
      expect(sync).toBeGreaterThan(0);
      const steps = plan.stages.flatMap(({ copy }, stage) =>
        plan.placement[stage] === device && copy?.segment === 0
          ? [duration[letters.indexOf('U') * program.stages + stage]]
          : [],
      );
      expect(steps.reduce((sum, seconds) => sum + seconds, 0)).toBeCloseTo(sync + optimizer, 12);
    }
    // Two copies of two stages, in six iterations.
    expect(updates).toBe(24);
  });

  it('are updated by an U of the microbatch, behind all of its parts', () => {
    const rows = (update: string) => `weights = stash  parts = 2
      row(d) = each(i in 0..<iterations, F[2 * i..<2 * i + 2, part = 0..<2], ${update})`;
    const whole = 'B[2 * i..<2 * i + 2, part = 1..0 step -1], U[2 * i + 1]';
    const shape = { devices: 2, microbatches: 2 };
    const { plan, program } = made(fileOf(rows(whole), shape));
    expect(validate(program, plan)).toEqual([]);
    expect(Array.from(program.order)).toEqual(
      Array.from(made(fileOf(rows(whole.replace(', U[2 * i + 1]', '')), shape)).program.order),
    );
    const early = made(
      fileOf(
        rows('B[2 * i, part = 1..0 step -1], B[2 * i + 1, part = 1], U[2 * i + 1], B[2 * i + 1, part = 0]'),
        shape,
      ),
    );
    expect(validate(early.program, early.plan)[0]?.message).toContain(
      'before all parts of the stage have their gradients',
    );
    const errors = resolveText(
      fileOf(rows('B[2 * i..<2 * i + 2, part = 1..0 step -1], U[2 * i + 1, part = 0]'), shape),
    ).findings;
    expect(errors.map(({ message }) => message).join()).toContain('an update is of all parts');
    const none = made(fileOf(rows('B[2 * i..<2 * i + 2, part = 1..0 step -1], if(i > 0, U[2 * i + 1])'), shape));
    expect(
      validate(none.program, none.plan)
        .map(({ message }) => message)
        .join(),
    ).toContain('0U1');
  });
});

/** Random schedules of the whole language: rows, clock tables, blocks, rules, copies, parts, declared operations, bases, times. */
import * as fc from '../../support/property.ts';
import { pipelineOf } from './written.ts';

const pick = (...texts: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);

/** Where stages are. `stages` of the pipeline follow from the first word. */
const places = pick(
  '1;',
  '1;placement = linear',
  '2;placement = loop(2)',
  '2;placement = v_shape',
  '1;placement = bidirectional',
  '1;on(s, j) = if(mod(j, 2) == 0, s, devices - 1 - s)',
  '1;on(s, j) = mod(s + j, devices)',
  '2;stages = 2 * devices  on(s, j) = if(s < devices, s, stages - 1 - s)',
  '1;on(s, j) = [s, mod(s - 1, devices)]  spare = true',
  '1;on(s, j) = s - 1',
);

const number = pick('0', '1', '2', 's', 'devices - s', 'microbatches', 'mod(s, 2)', 'k', 'div(stages, 2)');
const slots = fc
  .tuple(number, number, pick('1', '2', '3', 'stages'), pick('1', '2', 'j'), fc.boolean())
  .map(
    ([a, b, step, slope, split]) =>
      `slot(F, s, j) = ${step} * j + s + ${a}  ${split ? 'slot(I, s, j)' : 'slot(B, s, j)'} = ${step} * j + 3 * stages - ${slope === 'j' ? 's' : `${slope} * s`} + ${b}  ${split ? 'slot(W) = free' : ''}`,
  );
const blocks = fc
  .tuple(pick('2', '3', '4', '6', 'k + 2'), number, pick('1', '2', '3'), fc.boolean(), fc.boolean())
  .map(
    ([period, a, slope, split, fill]) =>
      `period = ${period}  slot(F, s) = s + mod(${a}, 2)  slot(${split ? 'I' : 'B'}, s) = 3 * (stages - s) * ${slope} + ${a}  ${split ? 'slot(W) = free' : ''}  ${fill ? 'fill = true' : ''}`,
  );
const rules = fc
  .tuple(
    fc.boolean(),
    pick(
      '',
      'allow(F, s) = held(s) < stages - s + k',
      'allow(F, s) = pending(B) == 0',
      'allow(B, s) = next(B, s) > 0s',
      'allow(F, 0) = done(B) >= 1',
    ),
    pick('', 'limit = 1GiB', 'limit(d) = (d + 1) * 40MiB', 'ties = deepest', 'in_flight(s) = k'),
    pick('', 'prefer(0) = [F, B]', 'prefer(d) = if(d == 0, [F, B], [B, F])'),
  )
  .map(([split, allow, limit, prefer]) =>
    split
      ? `backward = split  order = greedy(prefer = [I, F, W])  ${allow}  ${limit}`
      : `order = greedy(prefer = [B, F])  ${allow}  ${limit}  ${prefer}`,
  );
const sequences = pick(
  'F[0..<microbatches], B[0..<microbatches]',
  'each(c in 0..<k, F[0..<microbatches, chunk = c]), each(c in k-1..0 step -1, B[0..<microbatches, chunk = c])',
  'take(k, F[0..<microbatches]), zip(B[0..<microbatches], drop(k, F[0..<microbatches]))',
  'take(devices - d, F[0..<microbatches]), zip(B[0..<microbatches], drop(devices - d, F[0..<microbatches]))',
  'F[0], each(j in 1..<microbatches, fused(F[j], B[j-1], overlap = 30%)), B[microbatches-1]',
  'each(j in 0..<microbatches, F[j], I[j]), W[microbatches-1..0 step -1]',
  'each(j in 0..<microbatches, F[j], R[j], B[j])',
  'each(j in 0..<microbatches, F[j], E[j, to = host]), each(j in 0..<microbatches, L[j], B[j])',
  'each(j in 0..<microbatches, F[j, part = 0..<2]), each(j in 0..<microbatches, B[j, part = 1..0 step -1])',
  'F[0..<microbatches, stage = d], F[0..<microbatches, stage = mod(d + 1, stages)], B[0..<microbatches, stage = d]',
  'F[0..<microbatches], own[0..<microbatches], B[0..<microbatches]',
  'each(j in 0..<microbatches * iterations, F[j], B[j])',
  'each(j in 0..<microbatches * iterations, F[j], B[j], if(mod(j, microbatches) == microbatches - 1, U[j], []))',
  'repeat(1000000000, F[0])',
  'each(a in 0..<1000000000, each(b in 0..<1000000000, F[a]))',
);
const rows = fc
  .tuple(
    sequences,
    pick('', 'parts = 2', 'weights = stash', 'weights = latest'),
    pick('', 'row(0) = F[0..<microbatches], B[0..<microbatches]'),
  )
  .map(([row, more, first]) => `${more || (row.includes('part =') ? 'parts = 2' : '')}  row(d) = ${row}  ${first}`);
const declared = pick(
  '',
  'operation own { time = 1ms }',
  'operation own { time(s) = time(F, s) / 2  after(j) = F[j]  before(j) = B[j]  holds = activation }',
  'operation own { sends = weights  to(d) = mod(d + 1, devices)  after(j) = F[j, stage = stages - 1] }',
  'operation own { after(j) = own[j]  time = -1ms }',
);

/** Bases with what they take: text of this file, built-in texts, what cannot be taken over. */
const bases = pick(
  'base',
  'base(k = 2)',
  'base(k = d)',
  'middle',
  '1f1b',
  'gpipe',
  'zb_h1',
  'eager_1f1b',
  'v_half',
  'chimera',
  'chimera(pipelines = 2)',
  'hanayo',
  'interleaved_1f1b(chunks = 2)',
  'seq1f1b',
  'torchgpipe',
  'pipedream',
  'dapple(policy = b)',
  'zb_auto',
  'mine',
);
/** Entries that replace what a base has. */
const replaced = pick(
  '',
  '',
  'row(0) = F[0..<microbatches], B[0..<microbatches]',
  'row(devices - 1) = F[0..<microbatches], I[0..<microbatches], W[0..<microbatches]',
  'row(k) = zip(F[0..<microbatches], B[0..<microbatches])',
  'let warm(d) = k',
  'let w = k + 1',
  'fill = false  row(0) = F[0..<microbatches], B[0..<microbatches]',
  'slot(F, s, j) = 2 * j + s',
  'period = 5',
  'prefer(0) = [F, B]',
  'in_flight(s) = k + 1',
  'weights = latest',
  'placement = linear',
);
const times = pick(
  '',
  '',
  '',
  'time(F, s, j) = time(F, s) * if(mod(j, 2) == 0, 2, 1)',
  'time(B, s, j) = (j + 1) * 1ms',
  'time(I, s, j) = time(I, s) / (k + 1)',
  'time(F, s, j) = if(j > k, -1ms, 0s)',
  'time(R, s, j) = time(F, s)',
);

/** A file with a schedule, a pipeline that uses it, and a test. */
export const anyWhole: fc.Arbitrary<string> = fc
  .record({
    base: fc.tuple(fc.oneof(fc.constant(''), fc.constant(''), bases), replaced, fc.boolean()),
    time: times,
    place: places,
    body: fc.oneof(rows, rows, slots, blocks, rules),
    operation: declared,
    k: fc.integer({ min: 0, max: 4 }),
    require: pick(
      '',
      '',
      'require microbatches >= devices',
      'require mod(microbatches, 2) == 0',
      'require k > 0 and devices > 1',
    ),
    devices: fc.integer({ min: 1, max: 4 }),
    microbatches: fc.integer({ min: 1, max: 6 }),
    argument: pick('', '', '(k = 1)', '(k = 9)'),
    more: pick('', '', 'iterations = 3', 'recompute = full'),
  })
  .map(
    ({
      base: [from, changes, own],
      time,
      place,
      body,
      operation,
      k,
      require,
      devices,
      microbatches,
      argument,
      more,
    }) => {
      const [chunks, where] = place.split(';');
      const written = `param k = ${k} in 0..8\n  ${require}\n  ${where}`;
      const needsOwn = body.includes('own[') && operation === '' ? 'operation own { time = 1ms }' : operation;
      const whole = `${written}\n  ${needsOwn}\n  ${body}\n  ${time}`;
      const middle = 'schedule middle { from = base  let w = 2 }\n';
      const schedule =
        from === ''
          ? `schedule mine {\n  ${whole}\n}`
          : `schedule base {\n  let w = 1\n  ${whole}\n}\n${from === 'middle' ? middle : ''}schedule mine {\n  from = ${from}\n  ${own ? '' : `param k = ${k}`}\n  ${changes}\n  ${time}\n}`;
      const text = pipelineOf(schedule, {
        devices,
        microbatches,
        stages: devices * Number(chunks),
        use: `mine${argument}`,
      })
        .replace('memory = 16GiB', 'memory = 16GiB  host = 24GB/s + 6us')
        .replace('schedule = mine', `${more}  schedule = mine`);
      return `${text}expect mine { over(devices = 1..3, microbatches = 1..3)  valid }\n`;
    },
  );

/** The text of missing operations: what is written is the order that is drawn. */
import { describe, expect, it } from 'vitest';
import { apply } from '../../../../engine/fixes/proposal.ts';
import { writtenCompletion } from '../../../../engine/fixes/repairs/complete.ts';
import { type Written, sequenceText } from '../../../../engine/fixes/repairs/sequenceText.ts';
import { completionOf } from '../../../../engine/schedule/complete.ts';
import { copyRuns } from '../../../../engine/order/copyTurns.ts';
import { analyse } from '../../../support/analyse.ts';
import * as fc from '../../../support/property.ts';
import { planOf } from '../../../support/resolve.ts';
import { pipelineOf, written } from '../../sequences/written.ts';

const operations = (text: string): readonly Written[] =>
  text.split(' ').map((name) => ({ head: `${name[0]}[`, microbatch: Number(name.slice(1)), tail: ']' }));

describe('operations as text', () => {
  it.each([
    ['F0', 'F[0]'],
    ['F0 F1 F2', 'F[0..2]'],
    ['B2 B1 B0', 'B[2..0 step -1]'],
    ['F0 F1 B0 F2 B1 F3 B2 B3', 'F[0..1], zip(B[0..1], F[2..3]), B[2..3]'],
    ['F0 I0 W0 F1 I1 W1', 'zip(F[0..1], I[0..1], W[0..1])'],
    ['F0 F2 F4', 'F[0], F[2], F[4]'],
    ['F3 F3', 'F[3], F[3]'],
  ])('%s', (names, expected) => {
    expect(sequenceText(operations(names))).toBe(expected);
  });

  it('holds for any number of microbatches where it is of all of them', () => {
    expect(sequenceText(operations('B0 B1 B2'), 3)).toBe('B[0..<microbatches]');
    expect(sequenceText(operations('B0'), 1)).toBe('B[0..<microbatches]');
    expect(sequenceText(operations('B0 B1'), 3)).toBe('B[0..1]');
  });

  it('stands for the same operations', () => {
    const any = fc.array(fc.tuple(fc.constantFrom('F', 'B'), fc.nat(4)), { minLength: 1, maxLength: 24 });
    fc.assert(
      fc.property(any, (names) => {
        const text = names.map(([op, at]) => `${op}${at}`).join(' ');
        const row = sequenceText(operations(text));
        expect(
          written(pipelineOf(`schedule mine { row(d) = ${row} }`, { devices: 1 }))[0].replaceAll(/\b0(?=[FB])/gu, ''),
          row,
        ).toBe(text);
      }),
      { numRuns: 60 },
    );
  });
});

/** The schedule with its missing operations. */
function completed(schedule: string, devices = 2, microbatches = 3, stages = devices): string {
  const text = pipelineOf(schedule, { devices, microbatches, stages });
  const analysis = analyse(text);
  const found = writtenCompletion(analysis, 'train');
  if (found === undefined) return 'nothing';
  const edits = found.edits.flatMap((edit) => edit ?? []);
  if (edits.length < found.edits.length) return 'not all of it';
  const changed = apply(text, edits);
  // What is written is what is drawn.
  const drawn = completionOf(planOf(text));
  const order = planOf(changed).schedule;
  expect(
    order.kind === 'rows' &&
      typeof drawn === 'object' &&
      order.rows.map((row) => [row.kinds, row.stages, row.microbatches]),
  ).toEqual(typeof drawn === 'object' && drawn.rows.map((row) => [row.kinds, row.stages, row.microbatches]));
  expect(analyse(changed).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  return changed.slice(text.indexOf('schedule mine'), changed.indexOf('\npipeline'));
}

describe('missing operations are written', () => {
  it.each([
    [
      'behind a row of all devices, for any number of microbatches',
      'schedule mine { row(d) = F[0..<microbatches] }',
      'schedule mine { row(d) = F[0..<microbatches], B[0..<microbatches] }',
    ],
    [
      'into the ranges of a row of one device',
      'schedule mine { row(0) = F[0..1], B[0..2]  row(d) = F[0..2], B[0..1] }',
      'schedule mine { row(0) = F[0..2], B[0..2]  row(d) = F[0..2], B[0..2] }',
    ],
    [
      'in a row for each device where they differ',
      'schedule mine { row(d) = take(devices - d, F[0..<microbatches]) }',
      'schedule mine { row(0) = F[0..2], B[0..2] row(1) = zip(F[0..2], B[0..2]) row(d) = take(devices - d, F[0..<microbatches]) }',
    ],
    [
      'in place of an empty row',
      'schedule mine { row(0) = F[0..2], B[0..2]  row(1) = F[0..<0] }',
      'schedule mine { row(0) = F[0..2], B[0..2]  row(1) = zip(F[0..2], B[0..2]) }',
    ],
    [
      'with their chunks',
      'schedule mine { placement = loop(2)  row(d) = F[0..2, chunk = 0], F[0..2, chunk = 1], B[0..2, chunk = 1] }',
      'schedule mine { placement = loop(2)  row(d) = F[0..2, chunk = 0], F[0..2, chunk = 1], B[0..2, chunk = 1], B[0..<microbatches, chunk = 0] }',
    ],
  ])('%s', (_, before, after) => {
    expect(completed(before, 2, 3, before.includes('loop') ? 4 : 2).replaceAll(/\s+/gu, ' ')).toBe(
      after.replaceAll(/\s+/gu, ' '),
    );
  });

  it.each([
    [
      'around them',
      'operation loss { time = 3ms  after(j) = F[j]  before(j) = B[j] }  row(0) = F[0..1], B[0..2]  row(1) = F[0], loss[0], F[1], loss[1], B[0..1]',
      'operation loss { time = 3ms  after(j) = F[j]  before(j) = B[j] }  row(0) = F[0..2], B[0..2]  row(1) = F[0], loss[0], F[1], loss[1], B[0..1], F[2], B[2]',
    ],
    [
      'behind what they wait for: each waits for all forwards, of which one is missing',
      'operation loss { time = 3ms  after = F[0..<microbatches]  before(j) = B[j] }  row(0) = F[0..2], B[0..2]  row(1) = F[0..1], loss[0], B[0]',
      'operation loss { time = 3ms  after = F[0..<microbatches]  before(j) = B[j] }  row(0) = F[0..2], B[0..2]  row(1) = F[0..1], B[1], F[2], loss[0], B[0], B[2]',
    ],
    [
      'with their chunk, where rows are written anew',
      'operation loss { time = 3ms }  placement = loop(2)  row(d) = F[0..2, chunk = 0], F[0..d, chunk = 1], loss[0..1, chunk = 1]',
      'operation loss { time = 3ms }  placement = loop(2) row(0) = F[0..2, chunk = 0], F[0, chunk = 1], loss[0..1, chunk = 1], F[1..2, chunk = 1], B[0, chunk = 1], B[0, chunk = 0], B[1..2, chunk = 1], B[1..2, chunk = 0] row(1) = F[0..2, chunk = 0], F[0, chunk = 1], B[0, chunk = 1], F[1, chunk = 1], loss[0..1, chunk = 1], B[0, chunk = 0], B[1, chunk = 1], F[2, chunk = 1], B[2, chunk = 1], B[1..2, chunk = 0] row(d) = F[0..2, chunk = 0], F[0..d, chunk = 1], loss[0..1, chunk = 1]',
    ],
    [
      'with their stage, where stages have copies',
      'operation loss { time = 3ms }  on(s, j) = if(mod(j, 2) == 0, s, devices - 1 - s)  row(d) = F[0..2], loss[0..d, stage = 1]',
      'operation loss { time = 3ms }  on(s, j) = if(mod(j, 2) == 0, s, devices - 1 - s)  row(0) = F[0..2], loss[0, stage = 1], B[0..2] row(1) = F[0..1], B[0], F[2], loss[0..1, stage = 1], B[2..1 step -1] row(d) = F[0..2], loss[0..d, stage = 1]',
    ],
  ])('with operations of the schedule: %s', (_, before, after) => {
    const stages = before.includes('loop') ? 4 : 2;
    expect(completed(`schedule mine { ${before} }`, 2, 3, stages).replaceAll(/\s+/gu, ' ')).toBe(
      `schedule mine { ${after.replaceAll(/\s+/gu, ' ')} }`,
    );
  });

  it('in a row that is written anew, where an operation belongs inside an item', () => {
    expect(completed('schedule mine { row(0) = [F[0], B[1], B[0]] }', 1, 2)).toBe(
      'schedule mine { row(0) = F[0..1], B[1..0 step -1] }',
    );
  });

  it('not where nothing is missing, or where no order runs', () => {
    expect(completed('schedule mine { row(d) = F[0..2], B[0..2] }')).toBe('nothing');
    expect(completed('schedule mine { row(0) = F[0..2], B[0..2]  row(1) = B[0], F[0] }')).toBe('nothing');
  });

  it('as the order that is drawn, whatever is left out', () => {
    let count = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }),
        fc.boolean(),
        fc.boolean(),
        (devices, microbatches, kept, zipped, declares) => {
          let next = 0;
          const keep = (text: string): readonly string[] => (kept[(next += 1) % kept.length] ? [text] : []);
          const rows = Array.from({ length: devices }, () => {
            const items = [
              ...keep(`F[0..${microbatches - 1}]`),
              ...(declares ? keep(`loss[0..${microbatches - 1}]`) : []),
              ...keep(zipped ? `zip(B[0], [])` : 'B[0]').map((text) => text.replace(', []', '')),
              ...Array.from({ length: microbatches - 1 }, (_, j) => keep(`B[${j + 1}]`)).flat(),
            ];
            return items.length === 0 ? 'F[0..<0]' : items.join(', ');
          });
          const operation = declares ? '  operation loss { time = 3ms  after(j) = F[j]  before(j) = B[j] }\n' : '';
          const schedule = `schedule mine {\n${operation}${rows.map((row, device) => `  row(${device}) = ${row}`).join('\n')}\n}`;
          if (completed(schedule, devices, microbatches) !== 'nothing') count += 1;
        },
      ),
      { numRuns: 15 },
    );
    expect(count).toBeGreaterThan(5);
  });
});

describe('missing operations of copies and parts are written', () => {
  it.each([
    [
      'of both directions, where a device runs one stage of each microbatch',
      'schedule mine { on(s, j) = if(mod(j, 2) == 0, s, devices - 1 - s)  row(d) = F[0..<microbatches] }',
      // Microbatch 1 ends on device 0, so its backward begins there.
      'schedule mine { on(s, j) = if(mod(j, 2) == 0, s, devices - 1 - s)  row(0) = F[0..1], B[1..0 step -1] row(1) = F[0..1], B[0..1] row(d) = F[0..<microbatches] }',
      2,
    ],
    [
      'with their stage, where a device runs several',
      'schedule mine { on(s, j) = mod(j, devices)  row(d) = each(j in 0..<microbatches, if(mod(j, 2) == d, [F[j, stage = 0], F[j, stage = 1]])) }',
      'schedule mine { on(s, j) = mod(j, devices)  row(0) = F[0, stage = 0], F[0, stage = 1], B[0, stage = 1], B[0, stage = 0] row(1) = F[1, stage = 0], F[1, stage = 1], B[1, stage = 1], B[1, stage = 0] row(d) = each(j in 0..<microbatches, if(mod(j, 2) == d, [F[j, stage = 0], F[j, stage = 1]])) }',
      2,
    ],
    [
      'of copies with any microbatches',
      'schedule mine { on(s, j) = if(j < 2, s, 1 - s)  row(d) = F[0..2], B[0] }',
      'schedule mine { on(s, j) = if(j < 2, s, 1 - s)  row(0) = F[0..2], B[2], B[0..1] row(1) = F[0..2], B[0..2] row(d) = F[0..2], B[0] }',
      3,
    ],
    [
      'with their part',
      'schedule mine { parts = 2  row(d) = F[0..1, part = 0..<2] }',
      'schedule mine { parts = 2  row(d) = F[0..1, part = 0..<2], zip(B[0..<microbatches, part = 1], B[0..<microbatches, part = 0]) }',
      2,
    ],
    [
      'behind ranges of parts, which stay whole',
      'schedule mine { parts = 2  row(0) = F[0..1, part = 0..<2], B[0..1, part = 1..0 step -1]  row(1) = F[0..1, part = 0..<2], B[0, part = 1..0 step -1] }',
      'schedule mine { parts = 2  row(0) = F[0..1, part = 0..<2], B[0..1, part = 1..0 step -1]  row(1) = F[0..1, part = 0..<2], B[0, part = 1..0 step -1], B[1, part = 1], B[1, part = 0] }',
      2,
    ],
  ])('%s', (_, before, after, microbatches) => {
    expect(completed(before, 2, microbatches).replaceAll(/\s+/gu, ' ')).toBe(after.replaceAll(/\s+/gu, ' '));
  });

  it('with chunk and part, where a device has several stages', () => {
    const before =
      'schedule mine { placement = loop(2)  parts = 2  row(d) = F[0, chunk = 0, part = 0..<2], F[0, chunk = 1, part = 0..<2] }';
    expect(completed(before, 2, 1, 4)).toContain(
      'B[0..<microbatches, chunk = 1, part = 1], B[0..<microbatches, chunk = 1, part = 0], B[0..<microbatches, chunk = 0, part = 1], B[0..<microbatches, chunk = 0, part = 0]',
    );
  });

  it('as the order that is drawn, whatever is left out', () => {
    let count = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(
          'on(s, j) = if(mod(j, 2) == 0, s, devices - 1 - s)',
          'on(s, j) = mod(s + div(j, 2), devices)',
          'on(s, j) = if(j == 1, s, devices - 1 - s)',
          'on(s, j) = mod(j, devices)',
          'placement = bidirectional  parts = 2',
          'parts = 3',
        ),
        fc.integer({ min: 2, max: 4 }),
        fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
        (where, microbatches, kept) => {
          const plan = planOf(
            pipelineOf(`schedule mine { ${where}  order = greedy(prefer = [B, F]) }`.replace(/parts = \d/, ''), {
              devices: 2,
              microbatches,
            }),
          );
          const parts = Number(/parts = (\d)/.exec(where)?.[1] ?? 1);
          let next = 0;
          // The operations of each device as a file names them, all forwards before all backwards; some are left out.
          const rows = plan.devices.map((_device, device) => {
            const items: string[] = [];
            for (const letter of ['F', 'B'])
              for (let j = 0; j < microbatches; j += 1)
                for (const stage of letter === 'F' ? [0, 1] : [1, 0]) {
                  const runs = plan.stages.some(
                    ({ copy }, index) =>
                      (copy?.stage ?? index) === stage &&
                      plan.placement[index] === device &&
                      (copy === undefined || copyRuns(copy)(j)),
                  );
                  for (let a = 0; a < parts; a += 1)
                    if (runs && kept[(next += 1) % kept.length])
                      items.push(
                        `${letter}[${j}, stage = ${stage}${parts === 1 ? '' : `, part = ${letter === 'F' ? a : parts - 1 - a}`}]`,
                      );
                }
            return items.length === 0 ? 'F[0..<0]' : items.join(', ');
          });
          const schedule = `schedule mine {\n  ${where}\n${rows.map((row, device) => `  row(${device}) = ${row}`).join('\n')}\n}`;
          if (completed(schedule, 2, microbatches) !== 'nothing') count += 1;
        },
      ),
      { numRuns: 60 },
    );
    expect(count).toBeGreaterThan(30);
  });
});

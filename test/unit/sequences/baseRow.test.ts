/** `base(d)`: the row of the schedule that is taken over, as a sequence. */
import { describe, expect, it } from 'vitest';
import { scheduleTexts } from '../../../engine/std/scheduleTexts.ts';
import { operationName } from '../../../engine/values/program.ts';
import { analyse } from '../../support/analyse.ts';
import { checkFindings } from '../../support/expected.ts';
import { differences, declaredIn } from './sameOrder.ts';
import { pipelineOf } from './written.ts';

const passes = (text: string): void => expect(analyse(text).findings.map(({ message }) => message)).toEqual([]);

const withRows = [...scheduleTexts].filter(([, text]) => /^ {2}row\(/m.test(text)).map(([name]) => name);

describe('base(d)', () => {
  it.each(withRows)('is the whole row of %s', (name) => {
    // The text of the built-in comes with `from`, and its rows are replaced by themselves.
    const schedule = declaredIn(`schedule mine { from = ${name}  row(d) = base(d) }`, 'mine');
    const sizes = { devices: [1, 2, 3, 4, 6, 8], microbatches: [1, 2, 3, 4, 6, 8, 12, 16] };
    // What no text can say.
    const without = ['weightCopies', 'extended', 'apart'] as const;
    expect(differences(schedule, name, { ...sizes, without })).toEqual([]);
  });

  it('is a sequence as any other: it is cut, zipped, and followed', () => {
    passes(`schedule mine {
  from   = gpipe
  row(d) = zip(take(microbatches, base(d)), drop(microbatches, base(d)))
}
expect mine { over(devices = 1, microbatches = 1..8)  order == 1f1b }
schedule tailed {
  from = 1f1b
  operation tail { time(s) = time(F, s) }
  row(d) = base(d), tail[0]
}
expect tailed { over(devices = 1..6, microbatches = 1..12)  valid  iteration == 3 * (microbatches + devices - 1) + 1 }
`);
  });

  it('follows what the schedule replaces, and names of single rows', () => {
    passes(`schedule mine {
  from = 1f1b
  let warm(d) = min(microbatches, 2 * (devices - d) - 1)
  row(0) = take(2, base(0)), drop(2, base(0))
  row(devices - 1) = base(devices - 1)
}
expect mine { order == eager_1f1b }
`);
  });

  it('is of the device that is asked for, with the stages of the row that uses it', () => {
    // Device p - 1 of 1F1B runs F and B in turn: so does every device here.
    passes(`schedule mine { from = 1f1b  row(d) = base(devices - 1) }
expect mine { over(devices = 1..4, microbatches = 1..6)  valid  iteration == 3 * devices * microbatches }
`);
  });

  it('has the rows of single devices that the base has, at each level', () => {
    const base = `schedule first {
  row(0) = each(j in 0..<microbatches, F[j]), each(j in microbatches-1..0 step -1, B[j])
  row(d) = F[0..<microbatches], B[0..<microbatches]
}
schedule second { from = first  row(d) = base(d) }
schedule third { from = second  row(d) = take(microbatches, base(d)), drop(microbatches, base(d)) }
schedule fourth { from = third  row(devices - 1) = base(devices - 1) }
`;
    const orderOf = (name: string): unknown => {
      const { pipelines } = analyse(base, { unit: { schedule: name, devices: 3, microbatches: 4 } });
      return [...(pipelines[0]?.run?.program.order ?? [])];
    };
    const [first, ...others] = ['first', 'second', 'third', 'fourth'].map(orderOf);
    expect(first).toHaveLength(24);
    for (const other of others) expect(other).toEqual(first);
    // The row of the first device runs its backwards from the last one on: so do all devices that take it.
    const { pipelines } = analyse(`${base}schedule mine { from = first  row(d) = base(0) }`, {
      unit: { schedule: 'mine', devices: 3, microbatches: 4 },
    });
    const program = pipelines[0]?.run?.program;
    const row = Array.from(program?.order.subarray(program.offsets[2], program.offsets[3]) ?? []);
    expect(row.map((word) => (program === undefined ? '' : operationName(program, word)))).toEqual([
      '2F0',
      '2F1',
      '2F2',
      '2F3',
      '2B3',
      '2B2',
      '2B1',
      '2B0',
    ]);
    passes(`${base}schedule mine { from = first  row(d) = base(0) }
expect mine { over(devices = 1..3, microbatches = 1..4)  valid  in_flight == microbatches }
`);
  });
});

describe('mistakes', () => {
  it.each([
    ['from = 1f1b  row(d) = ⟦type/mismatch:base⟧', '`base(d)`, found 0 arguments'],
    ['from = 1f1b  row(d) = ⟦type/mismatch:base(d, 1)⟧', '`base(d)`, found 2 arguments'],
    ['from = 1f1b  row(d) = base(⟦value/range:devices⟧)', 'from 0 to'],
    ['from = 1f1b  row(d) = base(⟦type/dimension:1ms⟧)', 'a plain number'],
    ['from = 1f1b  let all(d) = ⟦type/mismatch:base(d)⟧  row(d) = all(d)', 'only rows can use `base(d)`'],
    ['from = hanayo  placement = linear  row(d) = ⟦type/mismatch:base(d)⟧', 'that has rows'],
    ['from = chimera  placement = linear  row(d) = ⟦type/mismatch:base(d)⟧', 'that has rows'],
    ['row(d) = ⟦name/unknown:base⟧(d)', 'base'],
  ])('%s', (schedule, message) => {
    checkFindings(pipelineOf(`schedule mine { ${schedule} }`), [message]);
  });

  it('a name of the schedule or its base comes first', () => {
    passes(`schedule mine {
  from = 1f1b
  let base(d) = F[0..<microbatches]
  row(d) = base(d), B[0..<microbatches]
}
expect mine { order == gpipe }
schedule first { let base = 2  row(d) = F[0..<microbatches], B[0..<microbatches]  require microbatches >= base }
schedule second { from = first  row(d) = F[0..<base], F[base..<microbatches], B[0..<microbatches] }
expect second { over(microbatches = 2..6)  order == gpipe }
`);
  });
});

import * as fc from '../../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { fixesFor } from '../../../../engine/fixes/fix.ts';
import { apply } from '../../../../engine/fixes/proposal.ts';
import { analyse, codesOf, checkedAfter } from '../../../support/analyse.ts';
import { good, rowed, wrong } from './text.ts';

/** Mistakes in different places of the good file, with the codes that they raise. */
const mistakes: readonly (readonly [string, string, string])[] = [
  ['16GiB', '16Gib', 'syntax/unit'],
  ['= small', '= smal', 'name/unknown'],
  ['forward = 4ms', 'forward = 4GiB', 'type/dimension'],
  ['microbatches', 'microbatchs', 'key/unknown'],
  ['1f1b', '1f1bb', 'name/unknown'],
  ['stages = balance(4)', 'stages = balance(4)  stages = balance(2)', 'key/duplicate'],
];

describe('mistakes that come together', () => {
  it('each have a fix that does without the fixes of the others', () => {
    for (const [index, first] of mistakes.entries()) {
      for (const second of mistakes.slice(index + 1)) {
        const text = wrong(first[0], first[1], wrong(second[0], second[1]));
        const analysis = analyse(text);
        for (const [, , code] of [first, second]) expect(codesOf(analysis), text).toContain(code);
        for (const finding of analysis.findings.filter(({ severity }) => severity === 'error')) {
          const [fix] = fixesFor(analysis, finding, checkedAfter(analysis));
          expect(fix, `${finding.code} in ${text}`).toBeDefined();
          const left = analyse(apply(text, fix.edits)).findings.filter(({ severity }) => severity === 'error');
          expect(left.length, fix.title).toBeLessThan(
            analysis.findings.filter(({ severity }) => severity === 'error').length,
          );
        }
      }
    }
  });

  it('are all gone when the first fix of the first error is taken again and again', () => {
    let text = mistakes.reduce((now, [part, by]) => wrong(part, by, now), good);
    for (let turn = 0; turn < 12; turn += 1) {
      const analysis = analyse(text);
      const finding = analysis.findings.find(({ severity }) => severity === 'error');
      if (finding === undefined) break;
      const [fix] = fixesFor(analysis, finding, checkedAfter(analysis));
      expect(fix, finding.message).toBeDefined();
      text = apply(text, fix.edits);
    }
    expect(analyse(text).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});

/** Every row with one item moved, or a forward and its backward, tried as text: what the fixes of a deadlock are measured by. */
function bestMove(rows: readonly (readonly string[])[], count: 1 | 2): number {
  let best = Infinity;
  for (const [device, row] of rows.entries())
    for (let from = 0; from + count <= row.length; from += 1) {
      const taken = row.slice(from, from + count);
      if (count === 2 && taken[1].replace('B', 'F') !== taken[0]) continue;
      for (let to = 0; to <= row.length - count; to += 1) {
        const moved = row.toSpliced(from, count).toSpliced(to, 0, ...taken);
        best = Math.min(best, iterationOf(rows.with(device, moved)));
      }
    }
  return best;
}

const textOf = (rows: readonly (readonly string[])[]): string =>
  rowed(rows.map((row, device) => `  row(${device}) = ${row.join(', ')} // device ${device}`).join('\n'));
const iterationOf = (rows: readonly (readonly string[])[]): number =>
  analyse(textOf(rows)).pipelines[0]?.run?.report.iteration ?? Infinity;

/** 1F1B of a stage with so many stages from it to the last, itself included. */
function oneForwardOneBackward(stages: number, microbatches: number): readonly string[] {
  const forwards = Array.from({ length: microbatches }, (_, j) => `F[${j}]`);
  return [
    ...forwards.slice(0, stages - 1),
    ...forwards.flatMap((_, j) => [...forwards.slice(j + stages - 1, j + stages), `B[${j}]`]),
  ];
}

/** Stages of 4 ms and 8 ms that send nothing. */
const fileOf = (devices: number, microbatches: number, rows: readonly (readonly string[])[]): string =>
  `device small { memory = 16GiB }
cluster box { gpu[${devices}] = small  link = 25GB/s + 0us }
model toy { layer block[${devices}] { forward = 4ms  backward = 8ms } }
schedule by_hand {
${rows.map((row, device) => `  row(${device}) = ${row.join(', ')}`).join('\n')}
}
pipeline train {
  model = toy  devices = box  stages = balance(${devices})  microbatches = ${microbatches}  schedule = by_hand
}
`;

describe('a deadlock', () => {
  it('gets the best move of an operation or a pair, or two moves if none is enough', () => {
    const operations = ['F[0]', 'F[1]', 'B[0]', 'B[1]'];
    const orders = fc.tuple(
      fc.shuffledSubarray(operations, { minLength: 4 }),
      fc.shuffledSubarray(operations, { minLength: 4 }),
    );
    let checked = 0;
    fc.assert(
      fc.property(orders, (rows) => {
        const analysis = analyse(textOf(rows));
        const finding = analysis.findings.find(({ code }) => code === 'schedule/deadlock');
        if (finding === undefined) return;
        checked += 1;
        const fixes = fixesFor(analysis, finding, checkedAfter(analysis));
        const best = Math.min(bestMove(rows, 1), bestMove(rows, 2));
        const reached = fixes.map(({ edits }) => analyse(apply(analysis.syntax.text, edits)));
        for (const after of reached) {
          expect(after.pipelines[0]?.run).toBeDefined();
          expect(after.syntax.text).toContain('// device 1');
        }
        const least = Math.min(...reached.map(({ pipelines }) => pipelines[0]?.run?.report.iteration ?? Infinity));
        if (Number.isFinite(best)) {
          expect(fixes[0]?.title).not.toContain(' and move ');
          expect(least).toBeCloseTo(best, 9);
        } else if (fixes.length > 0) expect(fixes[0].title).toContain(' and move ');
      }),
      { numRuns: 10 },
    );
    expect(checked).toBeGreaterThan(2);
  });

  it('of ranges is broken by moving a range, or an operation out of one', () => {
    const fixesOf = (rows: string) => {
      const text = rowed(rows);
      const analysis = analyse(text);
      const finding = analysis.findings.find(({ code }) => code === 'schedule/deadlock');
      return finding === undefined
        ? []
        : fixesFor(analysis, finding, checkedAfter(analysis)).map(
            (fix) => [fix.title.split(':')[0], apply(text, fix.edits)] as const,
          );
    };
    const [[whole, ranges]] = fixesOf('  row(0) = B[0..1], F[0..1] // wrong\n  row(1) = F[0..1], B[0..1]');
    expect(whole).toBe('Move B[0..1] after F[1] in row(0)');
    expect(ranges).toContain('row(0) = F[0..1], B[0..1] // wrong\n');
    const [[one, split]] = fixesOf('  row(0) = F[0..1], B[0..1]\n  row(1) = B[1], F[0..1], B[0]');
    expect(one).toMatch(/^Move (?:F\[1\] before B\[1\]|B\[1\] (?:before|after) B\[0\]) in row\(1\)$/);
    expect(analyse(split).pipelines[0]?.run).toBeDefined();
  });

  it('of a microbatch that runs too early moves its forward and its backward as one, and reaches the closed form', () => {
    // 1F1B on three and four devices. The last runs microbatch 2 first, and the one before cannot have its forward that early.
    for (const [devices, microbatches] of [
      [3, 4],
      [4, 5],
    ]) {
      const rows = Array.from({ length: devices }, (_, device) =>
        oneForwardOneBackward(devices - device, microbatches),
      );
      const right = fileOf(devices, microbatches, rows);
      const last = rows[devices - 1];
      const wrongRow = [...last.slice(4, 6), ...last.slice(0, 4), ...last.slice(6)];
      const analysis = analyse(fileOf(devices, microbatches, rows.with(devices - 1, wrongRow)));
      const finding = analysis.findings.find(({ code }) => code === 'schedule/deadlock');
      const [fix] = finding === undefined ? [] : fixesFor(analysis, finding, checkedAfter(analysis));
      expect(fix?.title).toMatch(
        new RegExp(`^Move F\\[2\\], B\\[2\\] after B\\[1\\] in row\\(${devices - 1}\\): runs, `),
      );
      const after = apply(analysis.syntax.text, fix?.edits ?? []);
      expect(after).toBe(right);
      expect(analyse(after).pipelines[0]?.run?.report.iteration).toBeCloseTo((microbatches + devices - 1) * 0.012, 9);
    }
  });

  it('of one operation in a wrong place is mended in its row, whichever row that is', () => {
    const [devices, microbatches] = [3, 4];
    const stages = Array.from({ length: devices }, (_, device) => devices - device);
    const rules = [
      stages.map((left) => oneForwardOneBackward(left, microbatches)),
      stages.map(() => ['F', 'B'].flatMap((op) => Array.from({ length: microbatches }, (_, j) => `${op}[${j}]`))),
    ];
    const seen = new Set<string>();
    for (const [rule, rows] of rules.entries())
      for (const [device, row] of rows.entries())
        for (let from = 0; from < row.length; from += 1)
          for (let to = (3 * from + device) % 7; to < row.length; to += 7) {
            const wrongRow = row.toSpliced(from, 1).toSpliced(to, 0, row[from]);
            const analysis = analyse(fileOf(devices, microbatches, rows.with(device, wrongRow)));
            const finding = analysis.findings.find(({ code }) => code === 'schedule/deadlock');
            if (finding === undefined) continue;
            seen.add(`${rule} ${device}`);
            const titles = fixesFor(analysis, finding, checkedAfter(analysis)).map(({ title }) => title.split(':')[0]);
            expect(titles.length).toBeGreaterThan(0);
            for (const title of titles) expect(title).toMatch(new RegExp(`^Move [^()]* in row\\(${device}\\)$`));
          }
    expect(seen.size).toBe(rules.length * devices);
  });

  it('says where an operation goes: after what it then follows, or before what it then precedes', () => {
    const titlesOf = (rows: string) => {
      const analysis = analyse(rowed(rows));
      const finding = analysis.findings.find(({ code }) => code === 'schedule/deadlock');
      return finding === undefined
        ? []
        : fixesFor(analysis, finding, checkedAfter(analysis)).map(({ title }) => title.split(':')[0]);
    };
    const [later] = titlesOf('  row(0) = B[0], F[0..1], B[1]\n  row(1) = F[0..1], B[0..1]');
    expect(later).toBe('Move B[0] after F[1] in row(0)');
    expect(titlesOf('  row(0) = F[1], B[1], F[0], B[0]\n  row(1) = F[0], B[0], F[1], B[1]')).toContain(
      'Move F[0] before F[1] in row(0)',
    );
  });

  it('that no single move breaks gets two', () => {
    const text = rowed('  row(0) = B[0], F[0], B[1], F[1]\n  row(1) = F[0..1], B[0..1]');
    const analysis = analyse(text);
    const finding = analysis.findings.find(({ code }) => code === 'schedule/deadlock');
    const [fix] = finding === undefined ? [] : fixesFor(analysis, finding, checkedAfter(analysis));
    expect(fix?.title).toMatch(/^Move .* in row\(0\) and move .* in row\(0\): runs, /);
    expect(analyse(apply(text, fix?.edits ?? [])).pipelines[0]?.run).toBeDefined();
  });
});

it('a unit that no spelling decides is suggested by what the key takes', () => {
  const [finding] = analyse(wrong('16GiB', '12M')).findings.filter(({ code }) => code === 'syntax/unit');
  expect(finding?.message).toBe('Unknown unit "M". Did you mean "MB" or "MiB"?');
});

it('a size of a rule of exchange has a unit of bytes', () => {
  const [finding] = analyse(wrong('schedule = ', 'sync = overlap(bucket = 25Mb)  schedule = ')).findings.filter(
    ({ code }) => code === 'syntax/unit',
  );
  expect(finding?.message).toBe('Unknown unit "Mb". Did you mean "MB" or "MiB"?');
});

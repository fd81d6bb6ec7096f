import { describe, expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { separating } from '../../../engine/grid/separate.ts';
import * as fc from '../../support/property.ts';
import { after, analyse, fixesOf } from '../../support/analyse.ts';
import { checkFix } from '../../support/expected.ts';

/** 1F1B as most people write it down first: it needs as many microbatches as devices. */
const plain =
  'schedule mine {\n  row(d) = F[0..<stages-d], zip(B[0..<microbatches-stages+d], F[stages-d..<microbatches]), B[microbatches-stages+d..<microbatches]\n}\n';
const greedy = 'schedule mine { order = greedy(prefer = [B, F])  in_flight(s) = min(stages - s, microbatches) }\n';

const messages = (text: string): readonly string[] =>
  analyse(text).findings.map(({ code, severity, message }) => `${severity} ${code}: ${message}`);
const verdicts = (text: string) => {
  const [{ answer }] = analyse(text).tests;
  const count = (verdict: string) => answer.verdicts.filter((shape) => shape.verdict === verdict).length;
  return { passed: count('passed'), failed: count('failed'), refused: count('refused'), compared: answer.compared };
};

describe('a schedule in a file without a pipeline', () => {
  it('passes', () => {
    const text = `${plain}expect mine { over(devices = 1..6, microbatches = 6..14)  valid  order == 1f1b  in_flight(device = 0) <= devices }`;
    expect(messages(text)).toEqual([]);
    expect(verdicts(text)).toEqual({ passed: 54, failed: 0, refused: 0, compared: 54 });
  });
  it('passes with a warning where no row runs an operation that others are to wait for', () => {
    const declares = (written: string): string =>
      `schedule mine {\n  operation T { before(j) = B[j, stage = stages - 1] }\n  row(d) = F[0..<microbatches], if(${written}, T[0..<microbatches], []), B[0..<microbatches]\n}\nexpect mine { over(devices = 1..2, microbatches = 2)  valid }`;
    expect(messages(declares('d == devices'))).toEqual([
      'warning key/not-applicable: p = 2, m = 2: "before" has no effect here: no row runs the operation "T" with these numbers, so nothing waits for it.',
    ]);
    // One device has no other that could wait: the largest shape decides.
    expect(messages(declares('d > 0'))).toEqual([]);
  });
  it('is tested for up to 8 devices and 16 microbatches if the test does not say', () => {
    expect(verdicts(`${greedy}expect mine { valid }`)).toMatchObject({ passed: 128 });
  });
  it('names the first shape that fails, with what is wrong with it', () => {
    expect(messages(`${plain}expect mine { over(devices = 1..6, microbatches = 1..14)  valid }`)).toEqual([
      'error value/range: p = 2, m = 1: The first microbatch is -1; it must be a whole number of at least 0. This is the first of 15 of 84 shapes that fail. `require microbatches >= devices` would refuse exactly these.',
    ]);
  });
  it('names the circle of a deadlock, and the row', () => {
    const text =
      'schedule mine { row(d) = B[0..<microbatches], F[0..<microbatches] }\nexpect mine { over(devices = 2, microbatches = 1)  valid }';
    const [found] = analyse(text).findings;
    expect(found.code).toBe('schedule/deadlock');
    expect(found.message).toContain(
      'p = 2, m = 1: Deadlock: 0B0 on device 0 needs 0F0, which comes after it in the same row.',
    );
    expect(text.slice(found.place.start, found.place.end)).toBe('B[0..<microbatches]');
    expect(found.related.map(({ place }) => text.slice(place.start, place.end))).toEqual(['valid']);
  });
  it.each([
    ['row(d) = F[0..<microbatches]', 'schedule/incomplete', 'The row of device 0 lacks'],
    ['row(d) = F[0..<microbatches], B[0..<microbatches], B[0]', 'schedule/repeated', '0B0'],
    ['row(d) = F[0..<microbatches], B[0..<microbatches / (devices - 2)]', 'value/range', 'The divisor is 0'],
    ['placement = loop(2)  row(d) = F[0..<microbatches]', 'type/mismatch', 'a device with 2 stages'],
  ])('%s', (body, code, message) => {
    const [found] = analyse(
      `schedule mine { ${body} }\nexpect mine { over(devices = 2, microbatches = 2)  valid }`,
    ).findings;
    expect(found.code).toBe(code);
    expect(found.message).toContain('p = 2, m = 2: ');
    if (code !== 'schedule/incomplete') expect(found.message).toContain(message);
  });
  it('is in step without a flush, where equal stages have no bubble', () => {
    const mine = `schedule mine {
  weights   = stash
  let total = microbatches * iterations
  row(d)    = F[0..<stages-d], zip(B[0..<total], F[stages-d..<total])
}
`;
    // PipeDream on equal stages: F + B for each microbatch once the pipeline is full, and p - s versions.
    const test = 'iteration == 3 * microbatches  bubble == 0  in_flight(device = 0) == devices  order == pipedream';
    const text = `${mine}expect mine { over(devices = 1..4, microbatches = 1..4)  valid  ${test} }`;
    expect(messages(text)).toEqual([]);
    expect(verdicts(text)).toMatchObject({ passed: 16, compared: 16 });
  });
  it('compares an order of back-to-back iterations with all iterations of the built-in', () => {
    // Each update one forward late, which one iteration does not show.
    const late = `schedule mine {
  weights = stash
  let total   = microbatches * iterations
  let next(j) = if(j < total, F[j], [])
  row(d)      = F[0], each(j in 0..<total, B[j], next(j + 1), if(mod(j + 1, microbatches) == 0, U[j], []))
}
`;
    const [found] = messages(`${late}expect mine { over(devices = 1, microbatches = 2)  order == pipedream }`);
    expect(found).toContain('the order of device 0 differs from pipedream');
  });
  it('compares figures of layers with F = I = W', () => {
    const shape = 'over(devices = 4, microbatches = 8)';
    // 1F1B of B = 2F: (m + p − 1)(F + B) = 33, bubble (p − 1) / (m + p − 1).
    const good = `iteration == 33  iteration == 3 * (microbatches + devices - 1)  bubble < 27.3%  bubble > 27.2%  in_flight(device = 0) == 4  in_flight(stage = devices - 1) == 1  4 >= in_flight`;
    expect(messages(`${plain}expect mine { ${shape}  ${good} }`)).toEqual([]);
    const [found] = messages(`${plain}expect mine { ${shape}  valid  in_flight(device = 1) <= devices - 2 }`);
    expect(found).toContain(
      'error expect/failed: p = 4, m = 8: in_flight(device = 1) <= devices - 2 does not hold: it is 3.',
    );
  });
  it('counts memory in activations of one stage, and a part of a sequence as its share', () => {
    const loop = `schedule mine {
  param chunks = 2 in 1..4
  placement = loop(chunks)
  row(d) = each(c in 0..<chunks, F[0..<microbatches, chunk = c]), each(c in chunks-1..0 step -1, B[0..<microbatches, chunk = c])
}
expect mine { over(devices = 1..4, microbatches = 1..6, chunks = 1..3)  peak_memory == microbatches * chunks  peak_memory(device = devices - 1) >= microbatches * chunks }`;
    expect(messages(loop)).toEqual([]);
    const parted = `schedule mine {
  param k = 2 in 1..8
  parts = k
  row(d) = each(j in 0..<microbatches, F[j, part = 0..<k], B[j, part = k-1..0 step -1])
}
expect mine { over(devices = 1..3, microbatches = 1..4, k = 1..4)  peak_memory == 1  in_flight == 1 }`;
    expect(messages(parted)).toEqual([]);
    const [found] = messages(parted.replace('peak_memory == 1', 'peak_memory < 1'));
    expect(found).toContain('p = 1, m = 1, k = 1: peak_memory < 1 does not hold: it is 1 (1 against 1).');
  });
  it('counts what operations hold, and not what is away', () => {
    const holding = `schedule mine {
  operation loss { holds = 2 * activation  before(j) = B[j, stage = stages - 1] }
  row(d) = each(j in 0..<microbatches, F[j], if(d == devices - 1, loss[j], []), B[j])
}
expect mine { over(devices = 1..3, microbatches = 1..4)  peak_memory(stage = stages - 1) == 3  peak_memory == 3  in_flight == 1 }`;
    expect(messages(holding)).toEqual([]);
    // Two devices keep what the other one sends, at once: during the last forward of device 1, three and its own.
    const away = `schedule mine {
  row(d) = each(j in 0..<microbatches, F[j], E[j, to = mod(d + 1, devices)]), each(j in microbatches-1..0 step -1, L[j], B[j])
}
expect mine { over(devices = 2, microbatches = 4)  valid  peak_memory == 4 }`;
    expect(messages(away)).toEqual([]);
  });
  it('knows staleness and versions of a schedule without a flush', () => {
    const text = `schedule mine { from = pipedream }
expect mine {
  over(devices = 1..5, microbatches = 1)
  staleness == devices - 1  staleness(stage = stages - 1) == 0  versions(stage = 0) == devices  versions(stage = stages - 1) == 1
}
schedule twice { from = pipedream_2bw }
expect twice { over(devices = 2..5, microbatches = 5..7)  staleness == 1  versions == 2 }
schedule whole { from = 1f1b }
expect whole { staleness == 0  versions == 1  peak_memory(device = 0) == min(devices, microbatches) }`;
    expect(messages(text)).toEqual([]);
    expect(messages(text.replace('staleness == 1', 'staleness == 0'))[0]).toContain(
      'staleness == 0 does not hold: it is 1.',
    );
  });
  it('compares the order of all operations with that of a built-in', () => {
    const [found] = messages(`${plain}expect mine { over(devices = 2..3, microbatches = 4)  order == gpipe }`);
    expect(found).toContain(
      'p = 2, m = 4: the order of device 0 differs from gpipe: after 2 operations it runs 0B0, and gpipe runs 0F2.',
    );
    const shifted = plain.replace('F[0..<stages-d]', 'F[0..<1], F[1..<stages-d]');
    expect(verdicts(`${shifted}expect mine { over(devices = 2..3, microbatches = 4)  order == 1f1b }`)).toMatchObject({
      passed: 2,
    });
  });
  it('compares fused slots too', () => {
    const test = 'expect mine { over(devices = 1, microbatches = 2)  order == 1f1b }';
    expect(messages(`schedule mine { row(d) = F[0], B[0], F[1], B[1] }\n${test}`)).toEqual([]);
    const [found] = messages(`schedule mine { row(d) = F[0], fused(B[0], F[1]), B[1] }\n${test}`);
    expect(found).toContain(
      'the order of device 0 differs from 1f1b: after 1 operation only one order fuses 0B0 with the operation behind it.',
    );
  });
  it('finds the places of mistakes behind numbers of the file', () => {
    const text =
      'let none = 0\nlet most = 3\nschedule mine { row(d) = B[none..<microbatches], F[none..<microbatches] }\nexpect mine { over(devices = 1..most)  in_flight <= none  valid }';
    const [{ place, related }] = analyse(text).findings;
    expect(text.slice(place.start, place.end)).toBe('B[none..<microbatches]');
    expect(related.map((each) => text.slice(each.place.start, each.place.end))).toEqual(['valid']);
  });
  it('is not compared on shapes that the built-in does not take', () => {
    const text =
      'schedule mine { placement = bidirectional  order = greedy(prefer = [B, F]) }\nexpect mine { over(devices = 2..5, microbatches = 4)  valid }';
    expect(verdicts(text)).toMatchObject({ passed: 2, refused: 2 });
  });
  it('may use numbers of the file, and its parameters', () => {
    const text = `let most = 4\nschedule mine {\n  param warm = devices in 1..64\n  let w(d) = min(microbatches, max(1, warm - d))\n  row(d) = F[0..<w(d)], zip(B[0..<microbatches-w(d)], F[w(d)..<microbatches]), B[microbatches-w(d)..<microbatches]\n}\n`;
    expect(
      messages(`${text}expect mine { over(devices = 1..most, microbatches = 1..8)  order == 1f1b  in_flight <= warm }`),
    ).toEqual([]);
    const test = `${text}expect mine { over(devices = most, microbatches = 8, warm = [4..6, 9])  valid  in_flight(device = 0) == min(8, warm) }`;
    expect(messages(test)).toEqual([]);
    expect(verdicts(test)).toMatchObject({ passed: 4 });
  });
  it('refuses what its conditions rule out, which is no failure', () => {
    const text = plain.replace('row', 'require microbatches >= devices\n  row');
    expect(verdicts(`${text}expect mine { over(devices = 1..6, microbatches = 1..14)  valid }`)).toEqual({
      passed: 69,
      failed: 0,
      refused: 15,
      compared: undefined,
    });
    expect(messages(`${text}expect mine { over(devices = 6, microbatches = 1..5)  valid }`)).toEqual([
      'error expect/failed: Expected a shape that schedule "mine" takes, but it is none of 5 shapes (p = 6, m = 1: it requires microbatches >= devices, but here microbatches = 1 and devices = 6).',
    ]);
  });
  it('is tested in a file that imports it', () => {
    const { findings, tests } = analyse(
      'import { mine } from "s.pipe"\nexpect mine { over(devices = 2, microbatches = 1..4)  valid }',
      {
        files: { 's.pipe': `let n = 0\n${plain.replace('F[0..', 'F[n..')}` },
      },
    );
    expect(findings.map(({ message }) => message.slice(0, 30))).toEqual(['p = 2, m = 1: The first microb']);
    expect(findings[0].related[0].place.uri).toContain('s.pipe');
    expect(tests[0].answer.verdicts).toHaveLength(4);
  });
  it('stops at the limit of operations', () => {
    const options = { ...defaultOptions, limits: { ...defaultOptions.limits, operations: 300 } };
    const text = `${greedy}expect mine { over(devices = 4, microbatches = 4..12)  valid }`;
    const { findings } = analyse(text, { options });
    expect(findings.map(({ code }) => code)).toEqual(['limit/too-large']);
    expect(findings[0].message).toContain('Operations of all shapes of this test');
  });
});

describe('mistakes in a test', () => {
  it.each([
    ['over(devces = 2..3)', 'key/unknown', 'Did you mean "devices"?'],
    ['over(devices = 0..3)', 'value/range', 'from 0 to 3'],
    ['over(devices = 3..1)', 'value/range', 'from 3 to 1'],
    ['over(devices = 1/2)', 'value/range', 'whole number'],
    ['over(devices = 4ms)', 'type/dimension', 'a time'],
    ['over(2..3)', 'type/mismatch', '`devices = 2..8`'],
    ['over(devices = 1..3, devices = 2)', 'key/duplicate', 'devices'],
    ['over(devices = 2)  over(devices = 3)', 'key/duplicate', 'over'],
    ['over(devices = 1..300, microbatches = 1..300)', 'limit/too-large', '90,000'],
    [
      'over(devices = 1..300000)',
      'limit/too-large',
      'Shapes of this test: 4,800,000, over the limit of 20,000, which is fixed.',
    ],
    // No axis is left out of the count, and none is written out before the count.
    [
      'over(devices = 1..1000000, microbatches = 1..1000000)',
      'limit/too-large',
      'Shapes of this test: 1,000,000,000,000, over the limit of 20,000',
    ],
    ['over(devices = [1..100000 step 2, 8], microbatches = 1)', 'limit/too-large', 'Shapes of this test: 50,001, over'],
    ['order == nothing', 'name/unknown', 'nothing'],
    ['order <= 1f1b', 'type/mismatch', '`order == …`'],
    ['order == 3', 'type/mismatch', 'a built-in schedule'],
    ['order == interleaved_1f1b(chunk = 2)', 'key/unknown', 'chunks'],
    ['bubble < 4ms', 'type/dimension', 'a time'],
    ['peak_memory < 4GiB', 'type/dimension', 'a plain number'],
    ['peak_memory(rank = 0) < 4', 'key/unknown', 'rank'],
    ['staleness(device = 0) < 4', 'key/unknown', 'device'],
    ['throughput < 4', 'name/unknown', 'throughput'],
    ['in_flight(rank = 0) < 4', 'key/unknown', 'rank'],
    ['in_flight(device = 9) < 4', 'value/range', '9'],
    ['in_flight < bubble', 'type/mismatch', 'another figure'],
    ['3 < 4', 'type/mismatch', 'a figure such as `in_flight`'],
    ['valid2', 'name/unknown', 'valid2'],
  ])('%s', (body, code, message) => {
    const found = analyse(`${greedy}expect mine { ${body} }`).findings.filter(({ severity }) => severity === 'error');
    expect(found[0]).toMatchObject({ code });
    expect(found[0].message).toContain(message);
  });
  it('that the schedule itself has are not reported twice', () => {
    expect(messages('schedule mine { row(d) = F[nothing] }\nexpect mine { valid }')).toHaveLength(1);
  });
});

describe('a finding of a test', () => {
  it('counts the shapes that the schedule takes', () => {
    const even = 'schedule mine { require mod(devices, 2) == 0  row(d) = F[0..<microbatches] }\n';
    expect(messages(`${even}expect mine { over(devices = 1..4, microbatches = 1..3)  valid }`)[0]).toContain(
      'This is the first of 6 that fail, of 6 shapes that the schedule takes.',
    );
    expect(messages(`${even}expect mine { over(devices = 1..2, microbatches = 3)  valid }`)[0]).toContain(
      'This is the only one that fails, of 1 shape that the schedule takes.',
    );
  });
  it('comes with the warning of a range that counts backwards', () => {
    const rows = 'row(d) = F[0..<microbatches], B[⟦value/backwards:microbatches-1..0→microbatches-1..0 step -1⟧]';
    const text = `schedule mine { ${rows} }\nexpect mine { over(devices = 1, microbatches = 2..4)  valid }`;
    checkFix(text);
    expect(messages(text.replace(/⟦.*⟧/, 'microbatches-1..0'))).toContain(
      'warning value/backwards: p = 1, m = 3: This range runs backwards, from 2 to 0, so it is empty; write "step -1" after it to count down.',
    );
    // A test that passes shows that the range may be empty.
    const empty = 'schedule mine { row(d) = F[0..<microbatches], B[0..<microbatches], F[0..<0-devices-1] }\n';
    expect(messages(`${empty}expect mine { over(devices = 1..2, microbatches = 2)  valid }`)).toEqual([]);
  });
  it('names the shape that has no such device', () => {
    expect(
      messages(`${greedy}expect mine { over(devices = 2..8, microbatches = 4)  in_flight(device = 2) <= 2 }`),
    ).toEqual([
      'error value/range: With p = 2, m = 4, the number of the device is 2; it must be a whole number from 0 to 1.',
    ]);
  });
  it('asks for percent where a share is compared with a number over 1', () => {
    const written = (check: string) => `${greedy}expect mine { over(devices = 2, microbatches = 4)  ${check} }`;
    expect(messages(written('bubble < 30'))).toEqual([
      'warning key/not-applicable: "bubble < 30" has no effect here: "bubble" is a share and at most 100%, so this always holds; write `30%`.',
    ]);
    expect(checkFix(written('bubble < ⟦key/not-applicable:30→30%⟧')).title).toContain('Change to 30%');
    checkFix(written('span_bubble >= ⟦value/range:5→5%⟧'));
    expect(messages(written('bubble <= 1 and in_flight(device = 0) < 30'))).toEqual([]);
  });
});

describe('a condition that separates good shapes from bad', () => {
  const shapes = Array.from({ length: 8 * 16 }, (_, at) => ({
    devices: 1 + (at >> 4),
    microbatches: 1 + (at & 15),
    args: {},
  }));
  const judged = (passes: (p: number, m: number) => boolean) =>
    separating(shapes.map((shape) => ({ ...shape, passes: passes(shape.devices, shape.microbatches) })));
  it('is written into the schedule by a quick fix', () => {
    const text = `${plain.replace('B[microbatches-', 'B[⟦value/range:microbatches-').replace('microbatches]\n}', 'microbatches⟧]⟦→\n  require microbatches >= devices⟧\n}')}expect mine { valid }`;
    expect(checkFix(text).title).toBe('Require microbatches >= devices: 100 shapes pass, 28 are refused');
  });
  it('is not written for a claim that does not hold, which it would hide: the bound that holds is', () => {
    const plainOf = (claim: string) =>
      `schedule mine { from = 1f1b }\nexpect mine { over(devices = 2..6, microbatches = 8)  valid  ${claim} }`;
    expect(messages(plainOf('in_flight <= 3'))).toEqual([
      'error expect/failed: p = 4, m = 8: in_flight <= 3 does not hold: it is 4. This is the first of 3 of 5 shapes that fail. Of the shapes tested, it holds where `devices <= 3`.',
    ]);
    const fixed = checkFix(plainOf('⟦expect/failed:in_flight <= 3→in_flight <= 6⟧'));
    expect(fixed.title).toBe('Expect what is true, in_flight <= 6: 5 shapes pass');
    expect(checkFix(plainOf('⟦expect/failed:bubble > 20%→bubble > 11.1%⟧')).title).toContain('5 shapes pass');
    // No number is the figure of all shapes, and another order is no bound.
    expect(fixesOf(analyse(plainOf('in_flight == 3')), 'expect/failed')).toEqual([]);
    expect(fixesOf(analyse(plainOf('order == gpipe')), 'expect/failed')).toEqual([]);
    // Shapes that miss another claim have a figure, too.
    const [first] = fixesOf(analyse(plainOf('in_flight <= 5  bubble < 20%')), 'expect/failed');
    expect(first.title).toBe('Expect what is true, bubble < 38.5%: 4 shapes pass');
  });
  it('is no upper bound where a range runs backwards', () => {
    const text = `schedule mine { row(d) = F[microbatches-1..0], B[0..<microbatches] }\nexpect mine { valid }`;
    const { findings, tests } = analyse(text);
    expect(tests[0]?.answer.first?.shape).toMatchObject({ microbatches: 2 });
    expect(tests[0]?.answer.conditions).toBeUndefined();
    expect(findings.map(({ code }) => code)).toEqual(['schedule/incomplete', 'value/backwards']);
    const upTo = (ceilings: boolean) =>
      separating(
        [2, 3, 4].map((microbatches) => ({ devices: 2, microbatches, args: {}, passes: microbatches < 3 })),
        ceilings,
      );
    expect([upTo(true), upTo(false)]).toEqual([['microbatches <= 2'], undefined]);
  });
  it('gives way to a row of all devices where there is one for device 0 only', () => {
    const text = `schedule mine {
  row(⟦0→d⟧) = F[0..<microbatches], B[0..<microbatches]
}
expect mine { ⟦schedule/incomplete:valid⟧ }`;
    expect(checkFix(text).title).toBe('Write row(d), for all devices: 128 shapes pass');
  });
  it('gives way to the end of a range that names a microbatch too many', () => {
    const rows = 'row(d) = F[0..microbatches], B[0..microbatches]';
    const analysis = analyse(`schedule mine { ${rows} }\nexpect mine { valid }`);
    const [fix] = fixesOf(analysis, 'schedule/repeated');
    expect(fix.title).toBe('Write ..<microbatches: 128 shapes pass');
    expect(after(analysis, fix).syntax.text).toContain(rows.replaceAll('..', '..<'));
  });
  it.each([
    ['F[1..microbatches], B[1..microbatches]', 'F[0..<microbatches], B[0..<microbatches]'],
    ['F[1..microbatches], B[microbatches..1 step -1]', 'F[0..<microbatches], B[microbatches-1..0 step -1]'],
    ['each(j in 1..microbatches, F[j], B[j])', 'each(j in 0..<microbatches, F[j], B[j])'],
  ])('gives way to microbatches that are counted from 0: %s', (from, to) => {
    const text = `schedule mine { row(d) = ${from} }\nexpect mine { over(devices = 1..3)  valid }`;
    const analysis = analyse(text);
    expect(analysis.findings[0].message).toContain('microbatches are counted from 0, so they are 0 to 0');
    const [fix] = fixesOf(analysis, 'schedule/repeated');
    expect(fix.title).toBe('Count microbatches from 0: 48 shapes pass');
    expect(after(analysis, fix).syntax.text).toBe(text.replace(from, to));
  });
  it.each([
    ['F[0..<microbatches]', 'B[0..<microbatches]'],
    ['F[0..<microbatches], I[0..<microbatches]', 'W[0..<microbatches]'],
    ['F[0..<microbatches], W[0..<0]', 'B[0..<microbatches]'],
  ])('gives way to operations that were forgotten: %s', (written, added) => {
    const text = `schedule mine { row(d) = ${written}  row(0) = ${written} }\nexpect mine { over(devices = 1..3)  valid }`;
    const analysis = analyse(text);
    const [finding] = analysis.findings;
    expect(text.slice(finding.place.start, finding.place.end)).toBe(`row(0) = ${written}`);
    const [fix] = fixesOf(analysis, 'schedule/incomplete');
    expect(fix.title).toBe(`Add ${added} to the rows: 48 shapes pass`);
    expect(after(analysis, fix).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  });
  it('may be two conditions', () => {
    expect(judged((p, m) => m >= 2 * p - 1 && m >= 2)).toEqual([
      'microbatches >= 2',
      'microbatches >= 2 * devices - 1',
    ]);
    expect(judged((p, m) => m % (2 * p) === 0)).toEqual(['mod(microbatches, 2 * devices) == 0']);
    expect(judged((p, m) => p % 2 === 0 && m >= p + 1)).toEqual([
      'mod(devices, 2) == 0',
      'microbatches >= devices + 1',
    ]);
    expect(judged((p) => p >= 3)).toEqual(['devices >= 3']);
    expect(judged((p) => p <= 2)).toEqual(['devices <= 2']);
    expect(judged((_, m) => m <= 2)).toEqual(['microbatches <= 2']);
    expect(judged((_, m) => m <= 11)).toEqual(['microbatches <= 11']);
    expect(judged((p) => p === 3)).toEqual(['devices == 3']);
    expect(judged((p, m) => p <= 6 && m >= p)).toEqual(['devices <= 6', 'microbatches >= devices']);
    expect(judged((p, m) => m <= 4 * p - 1)).toEqual(['microbatches <= 4 * devices - 1']);
    expect(judged((p, m) => (p * m) % 7 === 3)).toBeUndefined();
    expect(judged(() => true)).toBeUndefined();
    expect(judged(() => false)).toBeUndefined();
  });
  it('is none that leaves only shapes with one device or one microbatch', () => {
    expect(judged((p) => p <= 1)).toBeUndefined();
    expect(judged((_, m) => m <= 1)).toBeUndefined();
    expect(judged((p, m) => p <= 1 && m >= 3)).toBeUndefined();
    // Where nothing else is tested, one device is all that there is.
    expect(separating(shapes.slice(0, 16).map((shape) => ({ ...shape, passes: shape.microbatches >= 3 })))).toEqual([
      'microbatches >= 3',
    ]);
    const first = `schedule mine { row(d) = F[0..<microbatches], if(d == 0, B[0..<microbatches], []) }\n`;
    expect(messages(`${first}expect mine { valid }`)[0]).toContain(
      'This is the first of 112 of 128 shapes that fail. Only shapes with one device pass.',
    );
  });
  it('is no upper bound of microbatches where all shapes have equally many', () => {
    const shapes = [1, 2, 3].map((c) => ({ devices: 2, microbatches: 2, args: { c }, passes: c >= 2 }));
    expect(separating(shapes)).toEqual(['c >= 2']);
  });
  it('is offered only if it changes the outcome', () => {
    // The number of stages is wrong before any condition on them can be tested.
    const tested = (condition: string) =>
      analyse(`schedule mine {
      param c = 1 in 0..3
      ${condition}
      placement = loop(c)
      row(d) = each(x in 0..<c, F[0..<microbatches, chunk = x]), each(x in c-1..0 step -1, B[0..<microbatches, chunk = x])
    }
    expect mine { over(devices = 1..3, microbatches = 1..3, c = 0..3)  valid }`).tests[0].answer;
    expect(tested('').conditions).toEqual(['c >= 1']);
    expect(tested('require c >= 1').verdicts.filter(({ verdict }) => verdict === 'refused')).toHaveLength(9);
    expect(tested('require c >= 1').verdicts.some(({ verdict }) => verdict === 'failed')).toBe(false);
  });
  it('may name a parameter that is tested', () => {
    const shapes = [2, 3, 4].flatMap((group) =>
      [2, 3, 4, 6, 8, 9, 12].map((microbatches) => ({ devices: 2, microbatches, args: { group } })),
    );
    expect(
      separating(shapes.map((shape) => ({ ...shape, passes: shape.microbatches % shape.args.group === 0 }))),
    ).toEqual(['mod(microbatches, group) == 0']);
  });
  it.each([
    ['microbatches >= 2 * k * devices - 1', (p: number, m: number, k: number) => m >= 2 * k * p - 1],
    ['mod(microbatches, k * devices) == 0', (p: number, m: number, k: number) => m % (k * p) === 0],
    ['microbatches >= 2 * (devices + k)', (p: number, m: number, k: number) => m >= 2 * (p + k)],
    ['microbatches >= devices + k * (devices - 1)', (p: number, m: number, k: number) => m >= p + k * (p - 1)],
    ['mod(devices, k) == 0', (p: number, _m: number, k: number) => p % k === 0],
    ['k <= devices', (p: number, _m: number, k: number) => k <= p],
    ['k < devices', (p: number, _m: number, k: number) => k < p],
    ['k <= 2', (_p: number, _m: number, k: number) => k <= 2],
    ['k == 3', (_p: number, _m: number, k: number) => k === 3],
  ])('may compare with a parameter and the devices: %s', (text, passes) => {
    const shapes = Array.from({ length: 6 * 24 * 4 }, (_, at) => {
      const [devices, microbatches, k] = [1 + (at % 6), 1 + (Math.trunc(at / 6) % 24), 1 + Math.trunc(at / 144)];
      return { devices, microbatches, args: { k }, passes: passes(devices, microbatches, k) };
    });
    expect(separating(shapes)).toEqual([text]);
  });
  it('is what holds for the shapes that pass, and not for the others, if there is one', () => {
    const any = fc.array(
      fc.record({
        devices: fc.integer({ min: 1, max: 4 }),
        microbatches: fc.integer({ min: 1, max: 8 }),
        passes: fc.boolean(),
      }),
      { minLength: 2, maxLength: 30 },
    );
    fc.assert(
      fc.property(any, (shapes) => {
        const found = separating(shapes.map((shape) => ({ ...shape, args: {} })));
        for (const { devices, microbatches, passes } of found === undefined ? [] : shapes) {
          // The conditions are written as JavaScript is, but for mod.
          const holds = (found ?? []).every((text) =>
            Boolean(
              new Function('devices', 'microbatches', 'mod', `return ${text}`)(
                devices,
                microbatches,
                (a: number, b: number) => a % b,
              ),
            ),
          );
          expect(holds).toBe(passes);
        }
      }),
    );
  });
  it('is said not to be found', () => {
    const odd = plain
      .replace('row', 'let bad = if(mod(devices * microbatches, 7) == 3, 0, 1)\n  row')
      .replace('F[0..<stages-d]', 'F[0..<(stages-d)*bad]');
    const [message] = messages(`${odd}expect mine { over(devices = 1..6, microbatches = 6..14)  valid }`);
    expect(message).toContain('No simple condition tells them from the others: p = 1, m = 10; ');
  });
});

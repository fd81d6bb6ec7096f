/** `from = zb_h1`: a schedule that takes over another one. */
import { parse } from '../../../grammar/index.ts';
import { describe, expect, test } from 'vitest';
import * as fc from '../../support/property.ts';
import { analyse, codesOf } from '../../support/analyse.ts';
import { checkFindings } from '../../support/expected.ts';
import { resolveText, type Setting } from '../../support/resolve.ts';
import { paths, type SchedulePlan } from '../../../engine/values/plan.ts';
import { standardText } from '../../../engine/std/index.ts';

const pipeline = (devices: number, microbatches: number, chunks = 1): string => `
device gpu { memory = 16GiB }
cluster box { gpu[${devices}] = gpu  link = 25GB/s + 5us }
model toy { layer block[${devices * chunks}] { forward = 1ms  backward = 2ms } }
pipeline train { model = toy  devices = box  microbatches = ${microbatches}  stages = balance(${devices * chunks})  schedule = mine }
`;

/** Names, and how a schedule is written. */
const untold: readonly string[] = ['name', 'items', 'text', 'written', 'args'];

/** The schedule of the plan, without its name; errors of the file. */
function planned(schedules: string, { devices = 3, microbatches = 5, chunks = 1 } = {}, setting: Setting = {}) {
  const { plan, findings } = resolveText(schedules + pipeline(devices, microbatches, chunks), setting);
  const errors = findings
    .filter(({ severity }) => severity === 'error')
    .map(({ code, message }) => `${code} ${message}`);
  const [found] = plan.pipelines;
  const plain = JSON.stringify(found?.schedule, (key, value: unknown) => (untold.includes(key) ? undefined : value));
  return found === undefined
    ? { errors }
    : { errors, schedule: JSON.parse(plain) as SchedulePlan, placement: found.placement };
}

/** Operations of the rows, without their slots. */
const rowsOf = (schedule: SchedulePlan | undefined) =>
  schedule?.kind === 'rows'
    ? schedule.rows.map(({ kinds, stages, microbatches }) => ({ kinds, stages, microbatches }))
    : undefined;

/** Expects that both texts mean the same for every shape. */
function same(taken: string, written: string, chunks = 1, setting: Setting = {}): void {
  for (const devices of [1, 2, 3, 5]) {
    for (const microbatches of [1, 4, 7]) {
      const shape = { devices, microbatches, chunks };
      const expected = planned(written, shape, setting);
      expect(expected.schedule, `${devices} devices, ${microbatches} microbatches`).toBeDefined();
      expect(planned(taken, shape, setting), `${devices} devices, ${microbatches} microbatches`).toEqual(expected);
    }
  }
}

const base = `schedule base {
  param ahead = 1 in 0..4
  let warm(d) = min(microbatches, devices - d + ahead - 1)
  let rest(d) = microbatches - warm(d)
  row(d) = F[0..<warm(d)], zip(B[0..<rest(d)], F[warm(d)..<microbatches]), B[rest(d)..<microbatches]
}
`;
const flat = 'F[0..<microbatches], B[0..<microbatches]';
const rowOfBase = 'F[0..<warm(d)], zip(B[0..<rest(d)], F[warm(d)..<microbatches]), B[rest(d)..<microbatches]';

describe('what is written replaces what is taken over', () => {
  test('nothing: the base', () => {
    same(`${base}schedule mine { from = base }`, base.replace('base', 'mine'));
    same('schedule mine { from = (zb_h1) }', (standardText('std:schedules/zb_h1') ?? '').replace('zb_h1', 'mine'));
  });
  test('the row of one device, by number or by what the pipeline says', () => {
    same(
      `${base}schedule mine { from = base  row(devices - 1) = ${flat} }`,
      base
        .replace('base', 'mine')
        .replace(/row\(d\) = (.*)/, `row(d) = if(d == devices - 1, [${flat}], [$1])`)
        .replace('[F[0..<warm', '[F[0..<warm'),
    );
    const all = (text: string) => planned(text, { devices: 3 }).schedule;
    const rows = all(`${base}schedule mine { from = base  row(0) = ${flat} }`);
    const own = all(`${base}schedule mine { from = base }`);
    const gpipe = all(`schedule mine { row(d) = ${flat} }`);
    if (rows?.kind !== 'rows' || own?.kind !== 'rows' || gpipe?.kind !== 'rows') throw new Error('no rows');
    expect(rows.rows).toEqual([gpipe.rows[0], own.rows[1], own.rows[2]]);
  });
  test('a let changes inherited rows; its own names come first', () => {
    same(
      `${base}schedule mine { from = base  let warm(j) = min(microbatches, 2 * (devices - j)) }`,
      base.replace('base', 'mine').replace('devices - d + ahead - 1', '2 * (devices - d)'),
    );
    same(
      `let n = 1\n${base}schedule mine { from = base  let extra = n + ahead  let warm(d) = min(microbatches, devices - d + extra) }`,
      base.replace('base', 'mine').replace('ahead - 1', '2'),
    );
  });
  test('defaults of parameters, as arguments or written again; the range stays', () => {
    const by2 = base.replace('base', 'mine').replace('ahead = 1', 'ahead = 2');
    same(`${base}schedule mine { from = base(ahead = 2) }`, by2);
    same(`${base}schedule mine { from = base(2) }`, by2);
    same(`${base}schedule mine { from = base  param ahead = 2 }`, by2);
    same(
      `${base}schedule mine { from = base  let ahead = 2 }`,
      base.replace('base', 'mine').replace('ahead = 1', 'ahead = 2'),
    );
    same(`${base}schedule two { from = base(ahead = 3) }  schedule mine { from = two(ahead = 2) }`, by2);
    expect(planned(`${base}schedule mine { from = base  param ahead = 9 }`).errors[0]).toContain('value/range');
    expect(planned(`${base}schedule mine { from = base(ahead = 9) }`).errors[0]).toContain('value/range');
    expect(planned(`${base}schedule mine { from = base(behind = 9) }`).errors[0]).toContain('key/unknown');
  });
  test('another form of the order, another placement', () => {
    const rule = 'order = greedy(prefer = [B, F])  in_flight(s) = stages - s';
    same(`${base}schedule mine { from = base  ${rule} }`, `schedule mine { ${rule} }`);
    same(
      `schedule rule { ${rule}  ties = deepest }  schedule mine { from = rule  row(d) = ${flat} }`,
      `schedule mine { row(d) = ${flat} }`,
    );
    same(
      `schedule rule { ${rule} }  schedule mine { from = rule  in_flight(t) = 2 }`,
      'schedule mine { order = greedy(prefer = [B, F])  in_flight(s) = 2 }',
    );
    const slots = 'slot(F, s, j) = 2 * j + s  slot(B, s, j) = 2 * j + 2 * devices - 1 - s';
    same(`${base}schedule mine { from = base  ${slots} }`, `schedule mine { ${slots} }`);
    same(
      `schedule table { ${slots} }  schedule mine { from = table  slot(F, s, j) = 2 * j + s - 0 }`,
      `schedule mine { ${slots} }`,
    );
    const both = 'on(s, j) = devices - 1 - s  order = greedy(prefer = [B, F])';
    same(
      `schedule up { ${both} }  schedule mine { from = up  placement = linear }`,
      'schedule mine { placement = linear  order = greedy(prefer = [B, F]) }',
    );
  });
  test('the slots of one device by its row', () => {
    // Slots of 1F1B.
    const slots = 'slot(F, s, j) = 2 * j + s  slot(B, s, j) = 2 * j + 2 * devices - 1 - s';
    const last = `row(devices - 1) = ${flat}`;
    const warm = 'let warm(d) = min(microbatches, devices - d)';
    const written = `schedule mine { ${warm}  row(d) = F[0..<warm(d)], zip(B[0..<microbatches], F[warm(d)..<microbatches])  ${last} }`;
    for (const taken of [
      `schedule table { ${slots} }  schedule mine { from = table  ${last} }`,
      `schedule mine { ${slots}  ${last} }`,
      `schedule table { ${slots}  ${last} }  schedule mine { from = table  slot(F, s, j) = s + 2 * j }`,
      `schedule table { ${slots}  row(0) = W[0]  ${last} }  schedule mine { from = table  ${warm}  row(0) = F[0..<warm(0)], zip(B[0..<microbatches], F[warm(0)..<microbatches]) }`,
    ])
      for (const devices of [2, 3, 5])
        for (const microbatches of [1, 4, 7]) {
          const shape = { devices, microbatches };
          expect(rowsOf(planned(taken, shape).schedule), `${taken} ${devices} ${microbatches}`).toEqual(
            rowsOf(planned(written, shape).schedule),
          );
        }
    // Each row leads to what writes it.
    const { origins } = resolveText(`schedule mine { ${slots}  ${last} }${pipeline(3, 4)}`);
    expect(origins.get(paths.row('train', 2))?.start).toBe(`schedule mine { ${slots}  `.length);
    expect(origins.get(paths.row('train', 1))?.start).toBe('schedule mine { '.length);
  });
  test('the slots of one device, but not under a filled table or a rule', () => {
    const messages = (text: string) => resolveText(text + pipeline(2, 4, 2)).findings.map(({ message }) => message);
    expect(messages('schedule mine { from = v_half  row(0) = F[0] }')[0]).toContain('write `fill = false`');
    expect(
      messages('schedule rule { order = greedy(prefer = [B, F]) }  schedule mine { from = rule  row(0) = F[0] }')[0],
    ).toContain('write `prefer(0) = …` or `allow(F, s) = …`');
  });
  test('a default of a parameter, by a name of the file', () => {
    same(
      `let n = 2 ${base}schedule mine { from = base(ahead = n) }`,
      base.replace('base', 'mine').replace('= 1 in', '= 2 in'),
    );
    same(`let n = 2 ${base}schedule mine { from = base(n) }`, base.replace('base', 'mine').replace('= 1 in', '= 2 in'));
    const errors = (text: string) => planned(`device e { memory = 1GiB } ${base}${text}`).errors;
    const use = `schedule mine { from = base }`;
    expect(errors('schedule mine { from = base(ahead = e) }')[0]).toBe(
      'type/mismatch Expected a value, found the device "e".',
    );
    expect(errors('schedule mine { from = base(aa) }')[0]).toBe('name/unknown Unknown name "aa".');
    const ofPipeline = (argument: string) =>
      resolveText(
        `let n = 2 ${base}${use}${pipeline(3, 5).replace('schedule = mine', `schedule = mine(${argument})`)}`,
      );
    expect(ofPipeline('ahead = n').plan.pipelines.length).toBe(1);
    expect(ofPipeline('n').plan.pipelines.length).toBe(1);
    const messages = (argument: string) => ofPipeline(argument).findings.map(({ message }) => message);
    expect(messages('ahead = toy')).toContain('Expected a value, found the model "toy".');
    expect(messages('ahead = microbatches')).toContain('Unknown name "microbatches".');
  });
  test('a deadlock in the text of another file is reported at the schedule of the pipeline', () => {
    const last = 'row(devices - 1) = F[0..<microbatches], B[0..<microbatches]';
    const taken = `schedule mine { from = eager_1f1b  ${last} }${pipeline(4, 12)}`;
    const lib = { 'lib.pipe': 'schedule mine { row(d) = B[0..<microbatches], F[0..<microbatches] }' };
    const imported = `import { mine } from "lib.pipe"${pipeline(4, 12)}`;
    for (const [text, files] of [
      [taken, {}],
      [imported, lib],
    ] as const) {
      const { findings, pipelines } = analyse(text, { files });
      expect(pipelines[0].run).toBeUndefined();
      const found = findings.find(({ code }) => code === 'schedule/deadlock');
      expect(text.slice(found?.place.start, found?.place.end)).toBe('mine');
      expect(found?.related[0].place.uri).toContain(files === lib ? 'lib.pipe' : 'std:schedules/eager_1f1b');
    }
  });
  test('no word and no list: the message names the built-in', () => {
    const messages = (from: string) =>
      resolveText(`schedule mine { from = ${from} }`).findings.map(({ message }) => message);
    const ofBuiltIn = (call: string, parameter: string, name: string) => [
      `A call to ${name} has no argument "${parameter}". The text of ${name}, which \`from\` takes over, leaves out this parameter; a pipeline can give it to the built-in, as "schedule = ${call}".`,
    ];
    expect(messages('dapple(policy = a)')).toEqual(ofBuiltIn('dapple(policy = a)', 'policy', 'dapple'));
    expect(messages('dapple(policy = b)')).toEqual([
      'A call to dapple has no argument "policy". Write "from = eager_1f1b", which is dapple(policy = b).',
    ]);
    // A word that is wrong is not answered with words that would be refused as well.
    expect(messages('chimera(concat = nothing)')).toEqual(ofBuiltIn('chimera(concat = nothing)', 'concat', 'chimera'));
    expect(messages('1f1b(warmup = [2, 1])')).toEqual(ofBuiltIn('1f1b(warmup = [2, 1])', 'warmup', '1f1b'));
    expect(messages('gpipe(chunks = 3)')).toEqual(['A call to gpipe has no argument "chunks".']);
    expect(messages('dapple(inflight = 3)')[0]).toContain('Did you mean "in_flight"?');
  });
  test('the text that a message names for a call has the same order', () => {
    const orderOf = (schedule: string) =>
      analyse(pipeline(4, 12).replace('mine', schedule)).pipelines[0].run?.timeline.program.order;
    expect(orderOf('eager_1f1b')).toBeDefined();
    expect(orderOf('eager_1f1b')).toEqual(orderOf('dapple(policy = b)'));
  });
  test('no search, which has no text: the message says how its order becomes rows', () => {
    const [found] = resolveText('schedule mine { from = zb_auto }').findings;
    expect(found.message).toContain('`pipewright export --to torch-csv` and `pipewright import`');
    expect(resolveText('schedule mine { from = pipeswitch }').findings[0].message).not.toContain('export');
  });
  test('a slot of a kind, however many names follow it', () => {
    const block = (weight: string) => `period = 3  slot(F, s) = 3 * s  slot(I, s) = 6 * stages - 3 * s + 1  ${weight}`;
    const weight = 'slot(W, s) = 6 * stages - 3 * s + 2';
    same(
      `schedule base { ${block('slot(W) = free')} }  schedule mine { from = base  ${weight} }`,
      `schedule mine { ${block(weight)} }`,
    );
  });
  test('loops of one name in both texts, at the same place of their files', () => {
    const lib = 'let a = -1\nlet b = - -1\nschedule base { let inner = each(j in 0..<2, F[j]) }';
    const own =
      'import { base } from "lib.pipe"\nschedule mine { from = base row(d) = each(j in 0..<2, if(j == 0, inner, []), B[j]), F[2..<microbatches], B[2..<microbatches] }';
    const token = (text: string) => parse(text).tokens.findIndex(({ text: name }) => name === 'j');
    expect(token(lib)).toBe(token(own));
    same(own, 'schedule mine { row(d) = F[0], F[1], B[0], B[1], F[2..<microbatches], B[2..<microbatches] }', 1, {
      files: { 'lib.pipe': `${lib.slice(0, -1)} row(d) = inner }` },
    });
  });
  test('conditions of a rule one by one', () => {
    const rule = (allow: string) =>
      `order = greedy(prefer = [B, F])  allow(B, s) = held(s) > 0  allow(F, s) = ${allow}  prefer(0) = [F, B]`;
    same(
      `schedule rule { ${rule('held(s) < 9')} }  schedule mine { from = rule  allow(F, t) = held(t) < 3 }`,
      `schedule mine { ${rule('held(s) < 3')} }`.replace(
        'allow(B, s) = held(s) > 0  allow(F, s) = held(s) < 3',
        'allow(F, s) = held(s) < 3  allow(B, s) = held(s) > 0',
      ),
    );
  });
  test('operations that the base declares, and their times', () => {
    const loss = (time: string) => `operation loss { time = ${time}  after(j) = F[j]  before(j) = B[j] }`;
    const row = 'row(d) = F[0..<microbatches], loss[0..<microbatches], B[0..<microbatches]';
    same(
      `schedule base { let t = 1ms  ${loss('t')}  ${row} }  schedule mine { from = base  let t = 3ms }`,
      `schedule mine { ${loss('3ms')}  ${row} }`,
    );
    same(
      `schedule base { ${loss('1ms')}  ${row} }  schedule mine { from = base  ${loss('2ms')} }`,
      `schedule mine { ${loss('2ms')}  ${row} }`,
    );
  });
  test('conditions of a pipeline are added', () => {
    const text = `schedule even { require mod(microbatches, 2) == 0  row(d) = ${flat} }  schedule mine { from = even  require microbatches >= 6 }`;
    expect(planned(text, { microbatches: 8 }).errors).toEqual([]);
    expect(planned(text, { microbatches: 4 }).errors[0]).toContain('schedule/shape');
    expect(planned(text, { microbatches: 7 }).errors[0]).toContain('mod(microbatches, 2) == 0');
  });
});

describe('the base', () => {
  test('of an imported file, with numbers of that file', () => {
    const files = { 'lib.pipe': `param k = 2\nlet k2 = k + 1\n${base.replace('ahead - 1', 'ahead + k2 - 4')}` };
    const text = (rest: string) =>
      `import { base } from "lib.pipe"\nlet k2 = 100\nschedule mine { from = base ${rest} }`;
    same(text(''), base.replace('base', 'mine'), 1, { files });
    same(text('let rest(d) = microbatches - warm(d)'), base.replace('base', 'mine'), 1, { files });
  });
  test('of this file goes before a built-in with its name', () => {
    same(`${base.replace('base', 'zb_h1')}schedule mine { from = zb_h1 }`, base.replace('base', 'mine'));
  });
  test('is not there: one finding, whatever names of it are used', () => {
    checkFindings('schedule mine { from = ⟦name/unknown:zb_h9⟧  row(d) = take(warm(d), ahead), F[0..<n] }');
    checkFindings('device gpu { memory = 1GiB }\nschedule mine { from = ⟦type/mismatch:gpu⟧  row(d) = F[0..<n] }');
    checkFindings('schedule base { row(d) = ⟦type/mismatch:3⟧ }\nschedule mine { from = base  row(0) = F[0] }');
  });
  test('is no schedule: one finding', () => {
    for (const wrong of [
      '⟦type/mismatch:3⟧',
      '⟦type/mismatch:"base.pipe"⟧',
      '[⟦type/mismatch:zb_h1⟧]',
      '⟦type/mismatch:2 * 3⟧',
    ])
      checkFindings(`schedule mine { from = ${wrong}  row(d) = F[0..<n] }`);
    checkFindings('schedule mine { from = ⟦type/mismatch:pipeswitch⟧ }');
  });
  test('circles are told once, at the first from', () => {
    checkFindings('schedule a { from = ⟦name/cycle:a⟧  row(0) = F[0..<n] }');
    checkFindings('schedule a { from = ⟦name/cycle:b⟧ }\nschedule b { from = c }\nschedule c { from = a  let x = y }');
  });
  test('has no text at all', () => {
    const text =
      'schedule mine { from = base }\nschedule base { from = mine2 }\nschedule mine2 { from = base2(3) }\nschedule base2 { param k = 1  require k > 0  row(d) = F[0..<microbatches], B[0..<microbatches] }';
    checkFindings(text);
  });
  test('chains are limited', () => {
    const chain = (length: number) =>
      base +
      Array.from(
        { length },
        (_, at) => `schedule s${at} { from = ${at === 0 ? 'base' : `s${at - 1}`}  require microbatches > 0 }`,
      ).join('\n');
    expect(codesOf(analyse(chain(64)))).toEqual([]);
    expect(codesOf(analyse(chain(65)))).toEqual(['type/mismatch']);
    expect(codesOf(analyse(chain(2_000)))).toEqual(['type/mismatch']);
  });
});

describe('findings of inherited text', () => {
  test('a name that only the taker uses is used', () => {
    const text = `schedule base { let spare = 2  row(d) = ${flat} }  schedule mine { from = base  row(0) = F[0..<spare] }`;
    checkFindings(text);
  });
  test.each([
    ['of a condition', `require 1 / (devices - 2) > 0  row(d) = ${flat}`, '(devices - 2)'],
    [
      'of an operation',
      'operation loss { time = 1ms * (devices - 9) }  row(d) = F[0], loss[0], B[0]',
      '1ms * (devices - 9)',
    ],
  ])('numbers %s', (_, entries, wrong) => {
    const files = { 'lib.pipe': `schedule base { ${entries} }` };
    const text = `import { base } from "lib.pipe"\nschedule mine { from = base }${pipeline(2, 1)}`;
    const found = resolveText(text, { files }).findings.filter(({ severity }) => severity === 'error');
    expect(found.map(({ place }) => text.slice(place.start, place.end))).toEqual(['base']);
    const [{ place }] = found[0].related;
    expect(files['lib.pipe'].slice(place.start, place.end)).toBe(wrong);
  });
  test('tests of schedules know the base, wherever it is', () => {
    const stuck =
      'schedule mine { from = BASE  row(devices - 1) = I[0..<microbatches], F[0..<microbatches], W[0..<microbatches] }';
    const tested = (head: string, taken: string) =>
      codesOf(
        analyse(
          `${head}${stuck.replace('BASE', taken)}\nexpect mine { over(devices = 2..3, microbatches = 1..3) valid }`,
        ),
      );
    expect(tested('', 'zb_h1')).toEqual(['schedule/deadlock']);
    expect(tested('schedule one { from = zb_h1 }\nschedule two { from = one }\n', 'two')).toEqual([
      'schedule/deadlock',
    ]);
  });
  test('a text of the base marks the operations that it writes for the taker', () => {
    const text = `${base}schedule mine { from = base  row(devices - 1) = ${flat} }${pipeline(2, 4)}`;
    const tracer = resolveText(text).tracers.get('train');
    const start = text.indexOf('F[0..<warm(d)]');
    const span = { start, end: start + 'F[0..<warm(d)]'.length };
    expect(tracer?.writes(span)).toBe(true);
    expect(Array.from(tracer?.written(0, [span]) ?? []).filter((mark) => mark === 1)).toHaveLength(2);
    expect(Array.from(tracer?.written(1, [span]) ?? [])).not.toContain(1);
  });
  test('are at the name after from, and lead to the text in its file', () => {
    const text = `schedule mine { from = zb_h1  let warm(d) = F[d] }`;
    const { findings } = resolveText(text);
    expect(findings.map(({ code, place }) => [code, text.slice(place.start, place.end)])).toEqual([
      ['type/mismatch', 'zb_h1'],
    ]);
    const [related] = findings[0].related;
    const standard = standardText(related.place.uri) ?? '';
    expect(related.place.uri).toBe('std:schedules/zb_h1');
    expect(standard.slice(related.place.start, related.place.end)).toContain('warm(d)');
  });
  test('numbers of a pipeline: at the pipeline if the schedule is imported, with the text', () => {
    const files = { 'lib.pipe': 'schedule base { row(d) = F[d - 9] }' };
    const text = `import { base } from "lib.pipe"\nschedule mine { from = base }${pipeline(2, 4)}`;
    const { findings } = resolveText(text, { files });
    expect(findings.map(({ code, place }) => [code, text.slice(place.start, place.end)])).toEqual([
      ['value/range', 'base'],
    ]);
    const [related] = findings[0].related;
    expect(related.place).toMatchObject({ uri: 'file:///project/lib.pipe' });
    expect(files['lib.pipe'].slice(related.place.start, related.place.end)).toBe('d - 9');
  });
  test('a link that an inherited row needs: at the pipeline, with the row', () => {
    const files = { 'lib.pipe': 'schedule base { row(d) = F[0], E[0, to = host], L[0], B[0] }' };
    const text = `import { base } from "lib.pipe"\nschedule mine { from = base }${pipeline(1, 1)}`;
    const [found] = resolveText(text, { files }).findings;
    expect([found.code, text.slice(found.place.start, found.place.end)]).toEqual(['type/mismatch', 'mine']);
    const [{ place }] = found.related;
    expect(files['lib.pipe'].slice(place.start, place.end)).toBe('E[0, to = host]');
  });
  test('places of rows are where they are written', () => {
    const text = `${base}schedule mine { from = base  row(devices - 1) = ${flat} }${pipeline(2, 4)}`;
    const { origins } = resolveText(text);
    const rows = [0, 1].map((device) => {
      const place = origins.get(paths.row('train', device));
      return place === undefined ? '' : text.slice(place.start, place.end);
    });
    expect(rows).toEqual([`row(d) = ${rowOfBase}`, `row(devices - 1) = ${flat}`]);
  });
});

describe('rows of single devices', () => {
  test('that are not there are refused; the one that is written first is used', () => {
    expect(
      planned(`schedule mine { row(d) = ${flat}  row(devices - 2) = ${flat} }`, { devices: 1 }).errors[0],
    ).toContain('The number of the device is -1');
    expect(planned(`schedule mine { row(d) = ${flat}  row(devices + 0) = ${flat} }`).errors[0]).toContain(
      'value/range',
    );
    expect(planned(`schedule mine { row(d) = ${flat}  row(devices / 2) = ${flat} }`).errors[0]).toContain('1.5');
    const both = planned(`schedule mine { row(devices - 1) = ${flat}  row(0) = F[0] }`, { devices: 1 });
    expect(both).toEqual(planned(`schedule mine { row(0) = ${flat} }`, { devices: 1 }));
    same(
      `schedule mine { row(d) = ${flat}  row(devices - 1) = ${flat}, F[0..<0]  row(devices - 1 + 0) = F[0] }`,
      `schedule mine { row(d) = if(d == devices - 1, [${flat}], [${flat}]) }`.replace(
        `row(d) = if(d == devices - 1, [${flat}], [${flat}])`,
        `row(d) = ${flat}  row(devices - 1) = ${flat}, F[0..<0]`,
      ),
    );
  });
});

test('whatever takes over whatever, nothing throws, and errors are findings', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'zb_h1', 'mine', 'nowhere', 'gpu');
  const entry = fc.oneof(
    fc.tuple(name, fc.constantFrom('', '(2)', '(k = 3)', '(x = 1)')).map(([of, args]) => `from = ${of}${args}`),
    fc.constantFrom(
      'row(d) = F[0..<microbatches], B[0..<microbatches]',
      'row(devices - 1) = F[0], B[0]',
      'row(0) = F[0..<w(0)]',
      'row(d) = F[0..<w(d)], B[0..<w(d)]',
      'let w(d) = d + k',
      'let w(d) = F[d]',
      'let w = k',
      'let k = w',
      'param k = 2 in 1..4',
      'param k = 3',
      'require k > 1',
      'order = greedy(prefer = [B, F])',
      'in_flight(s) = k',
      'allow(F, s) = held(s) < k',
      'slot(F, s, j) = 2 * j + s',
      'slot(B, s, j) = 2 * j + 2 * devices - 1 - s',
      'placement = loop(k)',
      'on(s, j) = s',
      'parts = k',
      'weights = stash',
      'backward = split',
    ),
  );
  const schedule = fc.tuple(fc.constantFrom('a', 'b', 'c', 'mine', 'zb_h1'), fc.array(entry, { maxLength: 4 }));
  fc.assert(
    fc.property(fc.array(schedule, { maxLength: 5 }), fc.integer({ min: 1, max: 3 }), (schedules, devices) => {
      const written = schedules.map(([of, entries]) => `schedule ${of} { ${entries.join('  ')} }`).join('\n');
      const text = `${written}${pipeline(devices, 3)}expect mine { over(devices = 1..2, microbatches = 1..2) valid }`;
      const analysis = analyse(text);
      const errors = analysis.findings.some(({ severity }) => severity === 'error');
      expect(errors || analysis.pipelines.length === 1, text).toBe(true);
      for (const { place, related } of analysis.findings)
        for (const each of [place, ...related.map((part) => part.place)]) {
          const length = (standardText(each.uri) ?? text).length;
          expect(each.start >= 0 && each.end <= length, `${text}\n${JSON.stringify(each)}`).toBe(true);
        }
    }),
    { numRuns: 150 },
  );
});

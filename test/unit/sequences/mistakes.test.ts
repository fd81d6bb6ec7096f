import { describe, expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { checkFindings, checkFix } from '../../support/expected.ts';
import { resolveText } from '../../support/resolve.ts';
import { pipelineOf } from './written.ts';

const found = (body: string, messages: readonly string[] = [], operations?: number) =>
  checkFindings(
    pipelineOf(`schedule mine { ${body} }`),
    messages,
    operations === undefined
      ? {}
      : { options: { ...defaultOptions, limits: { ...defaultOptions.limits, operations } } },
  );

describe('what is no sequence', () => {
  it.each([
    ['row(d) = zip(F[0], ⟦type/mismatch:3⟧)', 'Expected operations'],
    ['row(d) = ⟦type/mismatch:take(2)⟧', '`take(n, …)`'],
    ['row(d) = ⟦type/mismatch:drop(2, F[0], F[1])⟧', '`drop(n, …)`'],
    ['row(d) = ⟦type/mismatch:take(F[0..<3], 2)⟧', 'Expected the number before the operations, as in `take(n, …)`'],
    ['let a = F[0..<3]  row(d) = ⟦type/mismatch:drop(a, d)⟧', 'the number before the operations, as in `drop(n, …)`'],
    ['row(d) = ⟦type/mismatch:repeat(F[0], B[0], 3)⟧', 'the number before the operations, as in `repeat(n, …)`'],
    ['row(d) = take(⟦type/mismatch:F[0]⟧, B[0])', 'a plain number, found operations'],
    ['row(d) = if(⟦type/mismatch:F[0]⟧, F[0], B[0])', 'a comparison, found operations'],
    ['row(d) = take(⟦type/mismatch:0..1⟧, F[0])', 'a plain number, found a range'],
    ['row(d) = take(⟦value/range:d - 1⟧, F[0])', 'The number of operations to take is -1'],
    ['row(d) = take(⟦value/range:1/2⟧, F[0])', 'whole number'],
    ['row(d) = repeat(⟦value/range:0-1⟧, F[0])', 'The number of times is -1'],
    ['row(d) = ⟦type/mismatch:each(j in 0..3)⟧', '`each(j in 0..<n, F[j], …)`'],
    ['row(d) = ⟦type/mismatch:each(F[0], F[1])⟧', '`each(j in 0..<n, F[j], …)`'],
    ['row(d) = each(j in ⟦type/mismatch:3⟧, F[j])', 'a range'],
    ['row(d) = each(j in 0..1, F[j]), F[⟦name/unknown:j⟧]', 'j'],
    ['row(d) = if(⟦type/mismatch:d⟧, F[0], F[1])', 'a comparison, found a number'],
    ['row(d) = if(d == 0, F[0], ⟦type/mismatch:1⟧)', 'operations, as where the condition holds'],
    ['row(d) = ⟦type/mismatch:if(d == 0, 1)⟧', 'if with 3 arguments'],
    ['row(⟦type/mismatch:devices⟧) = F[0]', 'as `row(devices - 1)`'],
    ['let last = devices - 1  row(d) = F[0..last]  row(⟦type/mismatch:last⟧) = F[0]', 'as `row(last + 0)`'],
    ['param k = 1 in 0..3  row(d) = F[0..k]  row(⟦type/mismatch:k⟧) = F[0]', 'as `row(k + 0)`'],
    ['row(d) = ⟦type/mismatch:fused(F[0..1], B[0])⟧', '2 and 1 operations'],
    ['row(d) = ⟦type/mismatch:fused(fused(F[0], B[0]), F[1])⟧', 'fused already'],
    ['row(d) = F[⟦type/dimension:4ms⟧]', 'a plain number, found a time'],
    ['row(d) = F[0..<⟦value/range:d + 1/2⟧]', 'The end of the range'],
    ['row(d) = F[0..3 step ⟦value/range:d⟧]', 'The step is 0'],
    ['row(d) = F[⟦value/range:3..0-1 step -1⟧]', 'The last microbatch is -1'],
    ['row(d) = F[⟦value/range:4000000000⟧]', 'at most 2,147,483,647'],
    ['row(d) = F[mod(3, ⟦value/range:d⟧)]', 'The divisor is 0'],
    ['row(d) = F[0, chunk = ⟦value/range:1⟧]', 'the device has one stage'],
    ['row(d) = F[0, ⟦key/unknown:chnk⟧ = 1]', 'Did you mean "chunk"?'],
    ['row(d) = ⟦type/mismatch:F[0, stage = 1, chunk = 0]⟧', 'at most one of `stage = …` and `chunk = …`'],
    ['row(d) = ⟦type/mismatch:each(j in 0..3, F[j]) + B[0..3]⟧', 'a comma between sequences of operations'],
    ['row(d) = ⟦type/mismatch:d + F[0]⟧', 'found `+`'],
    ['row(d) = F[0..<d + if(d == 0, 1ms, ⟦type/dimension:2⟧)]', ''],
    ['order = ⟦type/mismatch:1f1b⟧', 'write `from = 1f1b`'],
    ['order = ⟦type/mismatch:interleaved_1f1b⟧(chunks = 2)', 'found `interleaved_1f1b`'],
    ['row(d) = ⟦name/unknown:F⟧', 'Did you mean "F[0..<microbatches]"?'],
    ['row(d) = F[0..<⟦name/unknown:m⟧]', 'Did you mean "microbatches"?'],
    ['row(d) = F[0..<⟦name/unknown:p⟧]', 'Did you mean "devices"?'],
    ['row(d) = F[⟦type/mismatch:0..3 == 2⟧]', ''],
    ['row(d) = ⟦type/mismatch:"F"⟧', ''],
  ])('%s', (body, message) => {
    if (body.includes('0..3 == 2')) found('row(d) = F[⟦type/mismatch:0..3⟧ == 2]', ['a number, found a range']);
    else found(body, [message]);
  });
});

describe('parts', () => {
  it.each([
    ['parts = 2  row(d) = ⟦type/mismatch:F[0]⟧', 'operations that name their part'],
    ['parts = 2  row(d) = F[0, part = ⟦value/range:2⟧]', 'from 0 to 1'],
    ['parts = 2  row(d) = F[0, part = ⟦value/range:0..2⟧]', 'The part is 2'],
    ['row(d) = F[0, part = ⟦value/range:1⟧]', 'the schedule has no parts'],
    ['parts = ⟦value/range:0⟧  row(d) = F[0]', 'from 1 to 256'],
    ['parts = ⟦type/mismatch:devices⟧  row(d) = F[0]', 'depends on them'],
    ['⟦warning key/not-applicable:parts⟧ = 2  order = greedy(prefer = [B, F])', 'whole microbatches'],
  ])('%s', (body, message) => {
    found(body, [message]);
  });
});

describe('parameters and conditions', () => {
  const body =
    'param k = 2 in 1..4  require mod(microbatches, k) == 0  row(d) = F[0..<microbatches], B[0..<microbatches]';
  const use = (written: string, microbatches = 4, more = body) =>
    pipelineOf(`schedule mine { ${more} }`, { microbatches }).replace('schedule = mine', `schedule = ${written}`);
  it('may round a number in a default that only a pipeline gives', () => {
    checkFindings(
      use(
        'mine',
        4,
        'param k = ceil(devices / 2) in 1..8  row(d) = F[0..<microbatches], B[0..<k], B[k..<microbatches]',
      ),
    );
  });
  it('take numbers by name or in order', () => {
    for (const written of ['mine', 'mine(k = 4)', 'mine(4)', 'mine()']) checkFindings(use(written));
  });
  it('are checked', () => {
    checkFindings(use('mine(k = ⟦value/range:5⟧)'), ['from 1 to 4']);
    checkFindings(use('mine(k = ⟦type/dimension:4ms⟧)'), ['a time']);
    checkFindings(use('mine(⟦key/unknown:kk⟧ = 4)'), ['Did you mean "k"?']);
    checkFindings(use('mine(k = 2, ⟦key/duplicate:k⟧ = 4)'));
    checkFindings(use('⟦schedule/shape:mine(k = 3)⟧'), [
      'mine cannot run: it requires mod(microbatches, k) == 0, but here microbatches = 4 and k = 3; nearest microbatches: 3 or 6.',
    ]);
    checkFindings(use('⟦schedule/shape:mine(k = 4)⟧', 6), ['nearest microbatches: 4 or 8.']);
  });
  it('have bounds that may depend on the pipeline', () => {
    const bounded = body.replace('in 1..4', 'in 1..devices');
    checkFindings(use('⟦schedule/shape:mine(k = 4)⟧', 4, bounded), ['k is 4; it must be from 1 to 2; nearest k: 2.']);
    checkFindings(use('mine', 4, body.replace('k = 2 in 1..4', 'k = ⟦value/range:devices + 3⟧ in 1..4')), [
      'The default of "k" is 5',
    ]);
    checkFindings(use('mine', 4, body.replace('k = 2 in', 'k = ⟦value/range:9⟧ in')), ['The default of "k" is 9']);
    checkFindings(use('mine', 4, body.replace('k = 2 in 1..4', 'k = 2 in ⟦type/mismatch:4⟧')), ['a range']);
  });
  it('advise a parameter or stages where microbatches do not help', () => {
    checkFindings(use('⟦schedule/shape:mine(k = 4)⟧', 4, 'param k = 2 in 1..8  require k < 3  row(d) = F[0], B[0]'), [
      'nearest k: 2.',
    ]);
    const even = 'require mod(devices, 3) == 0  row(d) = F[0], B[0]';
    checkFindings(use('⟦schedule/shape:mine⟧', 1, even), ['here devices = 2; nearest stages: 3.']);
  });
  it('are fixed by a quick fix', () => {
    checkFix(
      use('⟦schedule/shape:mine(k = 4)⟧', 6).replace('microbatches = 6', 'microbatches = ⟦6→8⟧'),
      'Set microbatches to 8',
    );
  });
  it('may be used in a placement, but what follows from it may not', () => {
    const loop =
      'param k = 2 in 1..4  placement = loop(k)  row(d) = each(c in 0..<k, F[0, chunk = c]), each(c in k-1..0 step -1, B[0, chunk = c])';
    const text = (more: string, stages: number) =>
      pipelineOf(`schedule mine { ${more} }`, { stages, devices: 2, microbatches: 1 });
    checkFindings(text(loop, 4));
    checkFindings(text(loop, 6).replace('schedule = mine', 'schedule = mine(k = 3)'));
    checkFindings(text(loop.replace('loop(k)', 'loop(⟦type/mismatch:div(stages, devices)⟧)'), 4), ['does not depend']);
    checkFindings(
      text(loop.replace('k = 2', 'k = 0').replace('1..4', '0..4').replace('loop(k)', 'loop(⟦value/range:k⟧)'), 4),
      ['whole number'],
    );
    checkFindings(
      text(
        'param k = 1 in 0..9  placement = [[0, k + 2], [1, 2]]  row(d) = F[0, chunk = 0..1]'.replace(
          'F[0, chunk = 0..1]',
          'each(c in 0..1, F[0, chunk = c]), each(c in 1..0 step -1, B[0, chunk = c])',
        ),
        4,
      ),
    );
  });
});

describe('let', () => {
  it('may not use itself, directly or through others', () => {
    found('let ⟦name/cycle:a⟧(x) = a(x)  row(d) = a(d)', ['a → a']);
    found('let ⟦name/cycle:a⟧(x) = b(x)  let b(x) = c  let c = a(1)  row(d) = F[c]', ['a → b → c → a']);
  });
  it('has as many arguments as parameters', () => {
    found('let w(x) = x  row(d) = F[⟦type/mismatch:w⟧]', ['`w(x)`, found 0 arguments']);
    found('let w(x) = x  row(d) = F[⟦type/mismatch:w(1, 2)⟧]', ['`w(x)`, found 2 arguments']);
    found('let w = 1  row(d) = F[⟦type/mismatch:w(1)⟧]', ['`w`, found 1 argument']);
    found('let w(x) = x  row(d) = F[⟦type/mismatch:w(y = 1)⟧]', ['`w(x)`']);
  });
  it('is declared once, and gives a name', () => {
    found('let a = 1  let ⟦name/duplicate:a⟧ = 2  row(d) = F[a]');
    found('let w(⟦type/mismatch:3⟧) = 1  row(d) = F[w(2)]', ['the name of a parameter']);
  });
  it('is checked although nothing uses it', () => {
    found('let ⟦hint name/unused:a⟧ = ⟦name/unknown:nothing⟧  row(d) = F[0]');
    found('let ⟦hint name/unused:a⟧ = 1 + ⟦type/dimension:4ms⟧  row(d) = F[0]');
  });
  it('and a parameter are hints if nothing uses them', () => {
    found('let ⟦hint name/unused:a⟧(x) = x  param ⟦hint name/unused:b⟧ = 1  row(d) = F[0]');
    checkFix(
      pipelineOf('schedule mine { ⟦name/unused:a⟧ row(d) = F[0..3], B[0..3] }').replace(
        '⟦name/unused:a⟧',
        '⟦let →⟧⟦name/unused:a→⟧⟦ = 1 →⟧',
      ),
    );
  });
  it('in a circle is replaced by a number', () => {
    checkFix(
      pipelineOf(
        'schedule mine { let ⟦name/cycle:a⟧(x) = 1 + ⟦b(x)→1⟧  let b(x) = a(x)  row(d) = F[0..3], B[0..a(0)+1] }',
      ),
    );
  });
  it('is no second mistake behind an unknown function', () => {
    found('row(d) = ⟦name/unknown:tke⟧(2, F[0..<microbatches])', ['Did you mean "take"?']);
  });
});

describe('a range that runs backwards', () => {
  it('is a warning on the range, once', () => {
    found('row(d) = F[⟦warning value/backwards:3..0⟧]', ['from 3 to 0, so it is empty; write "step -1"']);
    found('row(d) = each(j in ⟦warning value/backwards:microbatches..<0⟧, F[j])', ['from 4 to 0']);
  });
  it('is a warning without a pipeline if its ends are numbers', () => {
    checkFindings(
      'let n = 9  schedule mine { row(d) = F[⟦warning value/backwards:n..0⟧], B[0..microbatches], B[5..d] }',
    );
  });
  it('is none if it is only empty, or has a step', () => {
    found('row(d) = F[0..-1], F[3..<3], F[0..3 step -1], B[0..<0]');
  });
  it('counts down after a quick fix', () => {
    checkFix(
      pipelineOf(
        'schedule mine { row(d) = F[0..<microbatches], B[⟦value/backwards:microbatches-1..0→microbatches-1..0 step -1⟧] }',
      ),
    );
  });
});

describe('limits are counted before anything is written', () => {
  it('of a loop', () => {
    found('row(d) = ⟦limit/too-large:each(j in 0..<1000000000, F[j])⟧', ['1,000,000,000']);
    found('row(d) = F[0], ⟦limit/too-large:each(j in 0..<1000000000, F[j], B[j])⟧', ['2,000,000,001']);
    found('row(d) = ⟦limit/too-large:each(a in 0..<100000, each(b in 0..<100000, F[b]))⟧', ['10,000,000,000']);
    found('row(d) = ⟦limit/too-large:each(a in 0..<100000, each(b in 0..<a, F[b]))⟧');
  });
  it('of a loop of nothing', () => {
    found('row(d) = ⟦limit/too-large:each(a in 0..<100000, each(b in 0..<100000, F[0..<0]))⟧');
    found('row(d) = ⟦limit/too-large:repeat(1000000000, [])⟧');
    found('row(d) = ⟦limit/too-large:take(1, each(a in 0..<1000000000, F[a]))⟧');
  });
  it('of all rows together', () => {
    found('row(d) = ⟦limit/too-large:each(j in 0..<60, F[j])⟧', ['120, over the limit of 100'], 100);
  });
  it('of calls that double', () => {
    const doubling = Array.from({ length: 60 }, (_, level) => `let a${level + 1}(x) = a${level}(x) + a${level}(x)`);
    const body = `let a0(x) = x  ${doubling.join('  ')}  row(d) = F[a60(d)]`;
    const options = { ...defaultOptions, limits: { ...defaultOptions.limits, operations: 1000 } };
    const { findings } = resolveText(pipelineOf(`schedule mine { ${body} }`), { options });
    expect(findings.map(({ code }) => code)).toEqual(['limit/too-large']);
    expect(findings[0].message).toContain('Steps of schedule "mine": more than 1,008');
  });
  it('of names that use each other', () => {
    const chain = Array.from({ length: 3000 }, (_, level) => `let a${level + 1} = a${level} + 1`).join('  ');
    const { findings } = found(
      `let a0 = 0  ${chain}  row(d) = F[a3000]`.replace(/let (a1000) /, 'let ⟦type/mismatch:$1⟧ '),
    );
    expect(findings[0].message).toContain('levels');
  });
});

it('rows of an imported schedule are reported at the pipeline that uses it', () => {
  const text = pipelineOf('import { mine } from "s.pipe"');
  checkFindings(text.replace('schedule = mine', 'schedule = ⟦value/range:mine⟧'), ['The divisor is 0'], {
    files: { 's.pipe': 'schedule mine { row(d) = F[1 / d] }' },
  });
});

describe('a number that is too large', () => {
  it.each([
    ['slot(F, s, j) = 2 * j + ⟦syntax/unit:1e999⟧  slot(B, s, j) = 3', 'Expected a number below 1.8e308'],
    ['placement = loop(v = ⟦syntax/unit:1e999⟧)  row(d) = F[0]', 'below 1.8e308'],
    ['placement = wave(w = ⟦syntax/unit:1e999⟧)  row(d) = F[0]', 'below 1.8e308'],
    ['row(d) = F[0..<⟦syntax/unit:1e999⟧]', 'below 1.8e308'],
    [
      'placement = loop(⟦value/range:1e308 * 1e308⟧)  row(d) = F[0]',
      'is over 1.8e308, too large for a number; it must',
    ],
    ['row(d) = F[0..<⟦value/range:-1e308 * 1e308⟧]', 'is under -1.8e308, too large for a number; it must'],
    ['row(d) = F[⟦value/range:1e308 * 1e308⟧]', 'is over 1.8e308, too large for a number; it must be at most'],
  ])('is one mistake, with the limit: %s', (body, message) => {
    found(body, [message]);
  });
});

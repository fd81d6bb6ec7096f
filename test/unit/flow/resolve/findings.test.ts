import { describe, expect, test } from 'vitest';
import { defaultOptions } from '../../../../engine/basics/host.ts';
import { edited, good } from '../../../support/goodFile.ts';
import { checkFindings } from '../../../support/expected.ts';
import { resolveText } from '../../../support/resolve.ts';

const options = (limits: Partial<typeof defaultOptions.limits>) => ({
  ...defaultOptions,
  limits: { ...defaultOptions.limits, ...limits },
});

test('the good file has no findings', () => {
  checkFindings(good);
});

describe('syntax', () => {
  test('a fault of the parser is one finding and nothing follows from it', () => {
    const { findings } = resolveText(edited('schedule = 1f1b', 'schedule ='));
    expect(findings.map((finding) => finding.code)).toEqual(['syntax/unexpected']);
  });
  test('unit', () => {
    checkFindings(edited('forward = 4ms', 'forward = ⟦syntax/unit:4sec⟧'), ['Unknown unit "sec".']);
    checkFindings(edited('memory = 16GiB', 'memory = ⟦syntax/unit:16GIB⟧'), ['Did you mean "GiB"?']);
  });
  test('a length with a wrong unit is one finding, and nothing is said of a sequence of one token', () => {
    const text = edited(
      'model = toy',
      'model = long  context = 2  tensor = 2',
      `import { llama3_8b } from "std:models"\nmodel long { from = llama3_8b  sequence = ⟦syntax/unit:128k⟧ }\n${good.slice(good.indexOf('device v100'))}`,
    );
    checkFindings(text, ['Did you mean 131072 or 128000?']);
  });
});

describe('names', () => {
  test('unknown, with the nearest spelling', () => {
    const { findings } = checkFindings(
      edited('devices = box', 'devices = ⟦name/unknown:bx⟧').replace('cluster box', 'cluster ⟦name/unused:box⟧'),
      ['', 'Unknown cluster "bx". Did you mean "box"?'],
    );
    expect(findings[1].hint).toEqual({ kind: 'spelling', suggestions: ['box'] });
  });
  test('a standard name that has to be imported, or that is nearer than any name of the file', () => {
    const using = (name: string) =>
      edited('model = toy', `model = ⟦name/unknown:${name}⟧`).replace('model toy', 'model ⟦name/unused:toy⟧');
    checkFindings(using('llama3_70b'), ['', 'Unknown model "llama3_70b". Import it from "std:models".']);
    const { findings } = checkFindings(`import { llama3_70b } from "std:models"\n${using('llama3_405b')}`, [
      '',
      'Unknown model "llama3_405b". Did you mean "llama3_1_405b" from "std:models"?',
    ]);
    // To write the name without the import would only be the next mistake.
    expect(findings.find(({ code }) => code === 'name/unknown')?.hint).toBeUndefined();
    // What the file declares comes before what is as near.
    checkFindings(
      `${using('llama3_71b')}model ⟦name/unused:llama3_72b⟧ { layer a { forward = 1ms  backward = 1ms } }`,
      ['', 'Did you mean "llama3_72b"?', ''],
    );
  });
  test('unknown policy, figure, function, layer, stage and unit of a word', () => {
    checkFindings(edited('1f1b', '⟦name/unknown:1f1c⟧'), ['Unknown policy "1f1c". Did you mean "1f1b"?']);
    checkFindings(edited('bubble <', '⟦name/unknown:buble⟧ <'), ['Unknown figure "buble"']);
    checkFindings(edited('balance(4)', '⟦name/unknown:balanced⟧(4)'), ['Unknown function "balanced"']);
    checkFindings(edited('stage = 0', 'stage = ⟦name/unknown:first⟧'));
    checkFindings(edited('stages = balance(4)', 'stage all { layers = ⟦name/unknown:blok⟧ }'), [
      'Unknown layer "blok" in model "toy". Did you mean "block"?',
    ]);
    checkFindings(edited('model toy {', 'model toy { precision = ⟦name/unknown:bf17⟧'), ['Did you mean "bf16"?']);
  });
  test('an operation without brackets in a row or a name of a schedule, and only there', () => {
    const by = (row: string, more = '') =>
      edited('1f1b', 'mine').concat(`\nschedule mine { ${more} row(d) = F[0..<microbatches], ${row} }\n`);
    for (const [name, operation] of [
      ['B0', 'B[0]'],
      ['W12', 'W[12]'],
      ['I007', 'I[7]'],
      ['B', 'B[0..<microbatches]'],
    ])
      checkFindings(by(`⟦name/unknown:${name}⟧`), [`Unknown name "${name}". Did you mean "${operation}"?`]);
    checkFindings(by('rest', 'let rest = ⟦name/unknown:B0⟧'), ['Unknown name "B0". Did you mean "B[0]"?']);
    for (const row of ['⟦name/unknown:C0⟧', 'B[⟦name/unknown:B0⟧]', '⟦name/unknown:b0⟧']) {
      const [{ message }] = checkFindings(by(row)).findings;
      expect(message).not.toContain('[');
    }
    checkFindings(by('B0', 'let B0 = B[0..<microbatches]'));
  });
  test('of the wrong kind', () => {
    checkFindings(
      edited('devices = box', 'devices = ⟦type/mismatch:toy⟧').replace('cluster box', 'cluster ⟦name/unused:box⟧'),
      ['', 'Expected a cluster, found the model "toy".'],
    );
  });
  test('duplicate', () => {
    const { findings } = checkFindings(`${good}let ⟦name/duplicate:v100⟧ = 3`);
    expect(findings[0].related).toHaveLength(1);
    checkFindings(
      edited('layer block[8]', 'layer block { forward = 1ms  backward = 1ms }\n  layer ⟦name/duplicate:block⟧[8]'),
    );
  });
  test('unused, but not in a library', () => {
    checkFindings(`${good}let ⟦name/unused:other⟧ = 3\ndevice ⟦name/unused:spare⟧ { memory = 1GiB }`);
    checkFindings('let other = 3\ndevice spare { memory = 1GiB }');
  });
  test('unused: not where the use may stand in text that was not understood', () => {
    checkFindings(edited('devices = box', '⟦key/unknown:device⟧ = box'));
    const { findings } = resolveText(edited('devices = box', 'devices = = box'));
    expect(findings.map((finding) => finding.code)).not.toContain('name/unused');
  });
  test('cycle of lets', () => {
    const { findings } = checkFindings('let a = b + 1\nlet ⟦name/cycle:b⟧ = c\nlet c = min(b, 2)\nlet d = a');
    expect(findings[0].message).toContain('b → c → b');
  });
  test('a long chain of lets is fine', () => {
    const text = Array.from({ length: 20_000 }, (_, i) => `let a${i} = a${i + 1} + 1`).join('\n');
    const { findings, symbols } = resolveText(`${text}\nlet a20000 = 0`);
    expect(findings).toEqual([]);
    expect(symbols.symbols.get('let:a0')?.detail).toBe('20000');
  });
});

describe('keys', () => {
  test('unknown', () => {
    checkFindings(edited('memory = 16GiB', '⟦key/unknown:memry⟧ = 16GiB'), [
      'A device has no key "memry". Did you mean "memory"?',
    ]);
  });
  test('missing', () => {
    checkFindings(edited('memory = 16GiB  reserved = 1GiB', '').replace('device v100', 'device ⟦key/missing:v100⟧'), [
      'for example `memory = 80GiB`',
    ]);
    checkFindings(edited('  schedule = 1f1b\n', '').replace('pipeline train', 'pipeline ⟦key/missing:train⟧'));
    checkFindings(edited('  stages = balance(4)\n', '').replace('pipeline train', 'pipeline ⟦key/missing:train⟧'));
    checkFindings(
      edited('layer block[8] { forward = 4ms  backward = 8ms', 'layer ⟦key/missing:block⟧[8] { forward = 4ms'),
    );
  });
  test('duplicate', () => {
    const { plan } = checkFindings(edited('reserved = 1GiB', 'reserved = 1GiB  ⟦key/duplicate:reserved⟧ = 2GiB'));
    expect(plan.pipelines).toEqual([]);
  });
  test('not applicable', () => {
    checkFindings(edited('schedule = 1f1b', 'schedule = 1f1b\n  ⟦key/not-applicable:sequence_parallel⟧ = true'));
    checkFindings(edited('schedule = 1f1b', 'schedule = 1f1b\n  sync = ⟦key/not-applicable:overlap⟧'), [
      'no gradients are left to exchange',
    ]);
  });
  test('a form that a key does not have', () => {
    checkFindings(edited('gpu[4] = v100', '⟦type/mismatch:gpu⟧ = v100'), ['Expected `gpu[n] = …`, found `gpu = …`.']);
  });
});

describe('types and values', () => {
  test('kind', () => {
    checkFindings(edited('memory = 16GiB', 'memory = ⟦type/mismatch:"16"⟧'), ['Expected bytes, found text in quotes.']);
    checkFindings(edited('25GB/s + 5us', '⟦type/dimension:25GB⟧ + 5us'), ['Expected a bandwidth, found bytes']);
    const standard = `import { h100 } from ⟦import/not-found:"std:hardwares"⟧\n${good}`;
    checkFindings(standard, ['There is no file "std:hardwares". Did you mean "std:hardware"?']);
    checkFindings(edited('in 1..64', 'in ⟦type/mismatch:64⟧'));
    checkFindings(edited('balance(4)', '⟦type/mismatch:4⟧'));
  });
  test('dimension names both', () => {
    checkFindings(edited('forward = 4ms', 'forward = ⟦type/dimension:4MiB⟧'), [
      'Expected a time, found bytes; write for example `4ms`.',
    ]);
    checkFindings('let x = 4ms + ⟦type/dimension:1GiB⟧', ['Expected a time, found bytes']);
    checkFindings('let x = ⟦type/dimension:4ms * 4ms⟧');
    checkFindings(edited('bubble < 30%', 'bubble < ⟦type/dimension:30ms⟧'), ['Expected a share, found a time']);
    checkFindings(edited('2 * half', '⟦type/dimension:40%⟧').replace('let half', 'let ⟦name/unused:half⟧'), [
      '',
      'Expected a plain number',
    ]);
  });
  test('range', () => {
    checkFindings('let x = 1 / ⟦value/range:0⟧');
    checkFindings('let x = ⟦value/range:sqrt(0 - 1)⟧');
    checkFindings('let x = ⟦value/range:1e20 * 1e20⟧');
    checkFindings('let x = ⟦value/range:1e300s⟧');
    checkFindings('let x = if(1 > 2, 1 / 0, 3)');
    checkFindings(edited('param m = 8', 'param m = ⟦value/range:80⟧'), ['from 1 to 64']);
    checkFindings(edited('balance(4)', 'balance(⟦value/range:9⟧)'), ['a whole number from 1 to 8']);
    checkFindings(edited('reserved = 1GiB', 'reserved = ⟦value/range:16GiB⟧'));
    checkFindings(edited('link = 25GB/s', 'link = ⟦value/range:0GB/s + 5us⟧').replace(' + 5us }', ' }'));
    checkFindings(edited('balance(4)', '⟦value/range:split(2, 2, 2, 1)⟧'), [
      'is 7; it must be 8, the number of layers in model "toy"',
    ]);
  });
  test('an error is told once and its users stay silent', () => {
    checkFindings('let a = 4ms + ⟦type/dimension:1GiB⟧\nlet b = a + 1\nlet c = b * a');
  });
});

const branchy = (more: string) => `model m {
  layer a { forward = 1ms  backward = 2ms  output = 3MiB }
  layer b { forward = 1ms  backward = 2ms  output = 5MiB }
  ${more}
}`;

describe('layers', () => {
  test('cycle', () => {
    checkFindings(
      'model m {\n  layer ⟦layer/cycle:a⟧ { forward = 1ms backward = 1ms after = [c] }\n  layer b { forward = 1ms backward = 1ms }\n  layer c { forward = 1ms backward = 1ms }\n}',
      ['b → c → a → b'],
    );
  });
  test('unreachable', () => {
    checkFindings(
      branchy('layer c { forward = 1ms  backward = 2ms  after = [a] }').replace(
        'layer b',
        'layer ⟦layer/unreachable:b⟧',
      ),
    );
  });
  test('no cost', () => {
    checkFindings('model m { layer ⟦layer/no-cost:a⟧ { weights = 1MiB } }');
  });
});

const staged = (stages: string) =>
  edited('  stages = balance(4)\n', stages, good).replace(
    '  peak_memory(stage = 0) < 15GiB  in_flight(device = 1) <= 3',
    '',
  );

describe('stages', () => {
  test('unassigned', () => {
    checkFindings(staged('  stage ⟦stage/unassigned-layer:a⟧ { layers = block[0..4] }\n'), ['block[5..7]']);
    // At the stage before the gap; at the first one if the model begins with the gap.
    checkFindings(
      staged(
        '  stage z { layers = block[0..1] }\n  stage ⟦stage/unassigned-layer:a⟧ { layers = block[2..4] }\n  stage b { layers = block[6..7] }\n',
      ),
      ['block[5]'],
    );
    checkFindings(
      staged('  stage ⟦stage/unassigned-layer:a⟧ { layers = block[2..4] }\n  stage b { layers = block[5..7] }\n'),
      ['block[0..1]'],
    );
  });
  test('assigned twice', () => {
    const { findings } = checkFindings(
      staged('  stage a { layers = block[0..7] }\n  stage ⟦stage/assigned-twice:b⟧ { layers = block[7] }\n'),
    );
    expect(findings[0].related).toHaveLength(1);
  });
  test('needs a later one', () => {
    checkFindings(
      staged('  stage ⟦stage/dependency-order:a⟧ { layers = block[4..7] }\n  stage b { layers = block[0..3] }\n'),
      ['needs "block[3]"'],
    );
  });
  test('empty', () => {
    checkFindings(staged('  stage a { layers = block }\n  stage ⟦stage/empty:b⟧ { layers = [] }\n'));
  });
  test('device count', () => {
    checkFindings(edited('balance(4)', '⟦stage/device-count:balance(5)⟧'), [
      '5 pipeline ranks need 5 devices, but "box" has 4',
    ]);
    checkFindings(edited('balance(4)', '⟦stage/device-count:balance(4)⟧').replace('1f1b', '1f1b\n  data = 2'), [
      '4 pipeline ranks of 2 devices each (data 2) need 8 devices',
    ]);
    checkFindings(
      edited('balance(4)', '⟦stage/device-count:balance(7)⟧').replace('1f1b', 'interleaved_1f1b(chunks = 2)'),
      ['nearest: 6 or 8 stages.'],
    );
    const chunks = (number: number, words: string) =>
      checkFindings(
        edited('balance(4)', '⟦stage/device-count:balance(4)⟧').replace('1f1b', `interleaved_1f1b(chunks = ${number})`),
        [words],
      );
    chunks(3, '4 stages do not divide by 3; nearest: 3 or 6 stages.');
    chunks(8, 'nearest: 8 stages.');
    chunks(1_000_000, '1,000,000; put fewer stages on each device, because 8 layers make at most 8 stages.');
  });
  test('more stages than layers', () => {
    checkFindings(edited('balance(4)', 'balance(⟦value/range:9⟧)'), [
      'The number of stages is 9; it must be a whole number from 1 to 8, the number of layers in model "toy".',
    ]);
  });
  test('arguments of a cut', () => {
    checkFindings(edited('balance(4)', 'plan(⟦name/unknown:foo⟧)'), [
      'Unknown value "foo". Words allowed here: pipedream, dapple, alpa and hetpipe.',
    ]);
    checkFindings(edited('balance(4)', 'plan(⟦name/unknown:daple⟧)'), ['Did you mean "dapple"?']);
    checkFindings(edited('balance(4)', '⟦key/missing:plan()⟧'), [
      'This call to plan needs the argument "planner", for example `plan(pipedream)`.',
    ]);
    checkFindings(edited('balance(4)', 'balance(4, ⟦key/unknown:per⟧ = time)'), [
      'A call to balance has no argument "per".',
    ]);
    checkFindings(edited('forward = 4ms', 'forward = 4ms / ⟦value/range:0⟧'), [
      'The divisor is 0; it must be a number other than 0.',
    ]);
  });
  test('imbalance, with the exact gain', () => {
    const { findings } = checkFindings(staged('  stages = ⟦stage/imbalance:split(4, 2, 1, 1)⟧\n'), [
      'takes 48 ms per microbatch, 100 % over the mean of 24 ms; the best cut has 24 ms',
    ]);
    expect(findings[0].hint).toEqual({ kind: 'balance', pipeline: 'train' });
    checkFindings(staged('  stages = ⟦stage/imbalance:split(3, 2, 2, 1)⟧\n'));
    // No cut of eight equal layers into three is better than 3 + 3 + 2.
    checkFindings(staged('  stages = split(3, 3, 2)\n').replace('gpu[4]', 'gpu[3]'));
  });
});

describe('devices', () => {
  test('no route, once for a pipeline', () => {
    checkFindings(
      edited('  link = 25GB/s + 5us', '').replace('devices = box', 'devices = ⟦device/unknown-route:box⟧'),
      ['from gpu[0] to gpu[1]'],
    );
  });
  test('oversubscribed', () => {
    const { plan } = checkFindings(
      staged(
        '  stage a { layers = block[0..3] on = gpu[0] }\n  stage b { layers = block[4..7] on = ⟦device/oversubscribed:gpu[0]⟧ }\n',
      ),
    );
    expect(plan.pipelines[0].devices).toHaveLength(1);
    expect(plan.pipelines[0].placement).toEqual([0, 0]);
  });
  test('apart, though the schedule puts them on one device', () => {
    const on = (schedule: string, ...devices: readonly string[]): string =>
      staged(
        `  ${devices.map((device, at) => `stage s${at} { layers = block[${2 * at}..${2 * at + 1}]  on = ${device} }`).join('\n  ')}\n`,
      ).replace('schedule = 1f1b', `schedule = ${schedule}`);
    const chunks = 'interleaved_1f1b(chunks = 2)';
    checkFindings(on(chunks, 'gpu[0]', 'gpu[1]', '⟦device/apart:gpu[2]⟧', 'gpu[3]'), [
      'interleaved_1f1b puts "s0" and "s2" on one device, but here they are on gpu[0] and gpu[2], and stages of 1 other device are apart too',
    ]);
    checkFindings(on('zb_v', 'gpu[0]', 'gpu[1]', '⟦device/apart:gpu[2]⟧', 'gpu[0]'), ['"s1" and "s2" on one device']);
    // The places that the schedule wants.
    checkFindings(on(chunks, 'gpu[1]', 'gpu[0]', 'gpu[1]', 'gpu[0]').replace('gpu[4]', 'gpu[2]'));
  });
  test('shared otherwise than the schedule does: one finding for each device', () => {
    const text = staged(
      ['gpu[0]', '⟦device/oversubscribed:gpu[0]⟧', 'gpu[1]', '⟦device/oversubscribed:gpu[1]⟧']
        .map((device, at) => `  stage s${at} { layers = block[${2 * at}..${2 * at + 1}]  on = ${device} }\n`)
        .join(''),
    ).replace('schedule = 1f1b', 'schedule = zb_v');
    checkFindings(text, [
      'zb_v puts other stages on one device: "s0" and "s3"',
      'zb_v puts other stages on one device: "s0" and "s3"',
    ]);
  });
  test('a number that is not there', () => {
    checkFindings(staged('  stage a { layers = block on = gpu[⟦value/range:4⟧] }\n'), ['from 0 to 3']);
  });
});

describe('whole numbers that are too large', () => {
  const bound = (from: number) => `it must be a whole number from ${from} to 9007199254740991.`;
  test('say how large a whole number may be', () => {
    checkFindings(edited('2 * half', '⟦value/range:99999999999999999999 + 0 * half⟧'), [
      `"microbatches" is 100000000000000000000; ${bound(1)}`,
    ]);
    checkFindings(edited('2 * half', '⟦value/range:9007199254740992 + 0 * half⟧'), [
      `"microbatches" is 9007199254740992; ${bound(1)}`,
    ]);
    checkFindings('model m { layer a[⟦value/range:1e17⟧] { forward = 1ms  backward = 1ms } }', [bound(1)]);
  });
  test('and others say what a whole number is', () => {
    checkFindings(edited('2 * half', '⟦value/range:2.5 + 0 * half⟧'), [
      'is 2.5; it must be a whole number of at least 1.',
    ]);
  });
});

describe('limits', () => {
  test('file size', () => {
    const { findings } = resolveText(good, { options: options({ fileSize: 100 }) });
    expect(findings.map((finding) => finding.code)).toEqual(['limit/too-large']);
    expect(findings[0].message).toContain('pipewright.limits.fileSize');
  });
  test('operations, before anything is made', () => {
    const { plan } = checkFindings(edited('2 * half', '⟦limit/too-large:1000000 * half⟧'), [
      'Operations of pipeline "train": 32,000,000, over the limit of 16,000,000',
    ]);
    expect(plan.pipelines).toEqual([]);
  });
  test('layers and devices', () => {
    checkFindings('model m { layer a[⟦limit/too-large:30000⟧] { forward = 1ms  backward = 1ms } }');
    checkFindings(
      'device d { memory = 1GiB }\ncluster c { node[1000000] { ⟦limit/too-large:node[1000000] { gpu[1] = d }⟧ } }',
    );
  });
});

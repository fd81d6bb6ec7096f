import { describe, expect, it } from 'vitest';
import { parse } from '../../../grammar/index.ts';
import { good } from './good.ts';
import { brokenPromises, faultsOf, shape } from './shape.ts';

/** Source, and the tree it stands for (see `shape`). */
const cases: readonly (readonly [source: string, tree: string])[] = [
  ['', ''],
  ['import "hardware.pipe"', 'import path("hardware.pipe")'],
  ['import { h100, dgx_h100 } from "std:hardware"', 'import names(h100 dgx_h100) path("std:hardware")'],
  ['import { } from "x"', 'import names() path("x")'],
  ['param m = 8', 'param m value(8)'],
  ['param m = 8 in 1..64 step 1', 'param m value(8) range((.. 1 64)) step(1)'],
  ['param in = step step 2', 'param in value(step) step(2)'],
  ['let a = -b * 3 + 4us', 'let a value((+ (* (- b) 3) 4us))'],
  ['let a = 1 - 2 - 3', 'let a value((- (- 1 2) 3))'],
  ['let a = 1 - (2 - 3)', 'let a value((- 1 ((- 2 3))))'],
  ['let a = - -b', 'let a value((- (- b)))'],
  ['let a = 0..<s-d', 'let a value((..<0 (- s d)))'.replace('..<0', '..< 0')],
  ['let a = 300/s', 'let a value(300/s)'],
  ['let a = 300 / s', 'let a value((/ 300 s))'],
  ['let a = 300/stages', 'let a value((/ 300 stages))'],
  ['let a = 25GB/s', 'let a value(25GB/s)'],
  ['let a = 1e-3s + 1.5e2', 'let a value((+ 0.001s 150))'],
  ['let a = 1f1b', 'let a value(1f1b)'],
  ['let a = 4µs', 'let a value(4µs)'],
  ['let a = "x\\"y\\\\z"', 'let a value("x\\"y\\\\z")'],
  ['let a = "😀" // é😀', 'let a value("😀")'],
  ['let a = [0, [7], []]', 'let a value([0 [7] []])'],
  ['let a = f(x, by = memory) / g()', 'let a value((/ f(x by=memory) g()))'],
  ['let a = 1\nlet b = 2; let c = 3', 'let a value(1)\nlet b value(2)\nlet c value(3)'],
  ['model toy { }', 'model toy {}'],
  ['model in { step = from }', 'model in {<step values(from)>}'],
  ['expect import { a < 1 }', 'expect import {check (< a 1)}'],
  ['model m { a = 1  b = 2 ; c = 3 }', 'model m {<a values(1)> <b values(2)> <c values(3)>}'],
  [
    'model m { layers = embed,\n block[0..10]\n on = gpu[0] }',
    'model m {<layers values(embed block[(.. 0 10)])> <on values(gpu[0])>}',
  ],
  ['model m { layer block[8] { forward = 4ms } }', 'model m {<layer block index(8) {<forward values(4ms)>}>}'],
  ['model m { layer head = lm_head(v = 1) }', 'model m {<layer head values(lm_head(v=1))>}'],
  [
    'cluster c { gpu[0..1] = v100 gpu[2] = p100 }',
    'cluster c {<gpu index((.. 0 1)) values(v100)> <gpu index(2) values(p100)>}',
  ],
  ['cluster c { node[4] { gpu[8] = h100 } }', 'cluster c {<node index(4) {<gpu index(8) values(h100)>}>}'],
  ['cluster c { link = 25GB/s + 5us }', 'cluster c {<link values((+ 25GB/s 5us))>}'],
  ['cluster c { link a -- b = 1 }', 'cluster c {<link ends(a b) values(1)>}'],
  ['cluster c { link gpu[0] -- gpu[1] = half(1) }', 'cluster c {<link ends(gpu[0] gpu[1]) values(half(1))>}'],
  ['let a = 7..0 step -1', 'let a value((.. 7 0 step((- 1))))'],
  ['let a = 0..<8 step 2 * k', 'let a value((..< 0 8 step((* 2 k))))'],
  ['let a = f(0..8 step 2, step)', 'let a value(f((.. 0 8 step(2)) step))'],
  ['param m = 8 in (1..9 step 2) step 1', 'param m value(8) range(((.. 1 9 step(2)))) step(1)'],
  ['let a = each(j in 0..3, j)', 'let a value(each(j in (.. 0 3) j))'],
  ['schedule s { let a = 1\nlet b(d) = d, 2 }', 'schedule s {<let a values(1)> <let b parameters(d) values(d 2)>}'],
  [
    'schedule s {\nparam k = 3 in 1..9 step 2\nparam l = k\n}',
    'schedule s {<param k values(3) range((.. 1 9)) step(2)> <param l values(k)>}',
  ],
  [
    'schedule s { require a == 2 * b  require (c) < 3\nrequire = 1 }',
    'schedule s {<require condition((== a (* 2 b)))> <require condition((< (c) 3))> <require values(1)>}',
  ],
  ['model m { param k = 3 in = 4 }', 'model m {<param k values(3)> <in values(4)>}'],
  [
    'expect s { over(devices = 2..8)  valid  a == b }',
    'expect s {check over(devices=(.. 2 8)) check valid check (== a b)}',
  ],
  ['schedule s { row(d) = F[0], B[0, stage = k] }', 'schedule s {<row parameters(d) values(F[0] B[0 stage=k])>}'],
  ['schedule s { model = 1 pipeline = 2 }', 'schedule s {<model values(1)> <pipeline values(2)>}'],
  ['job j { workers = [a, b] }', 'job j {<workers values([a b])>}'],
  [
    'expect t { bubble < 30%  mem(stage = a) >= 1GiB; x != -1 }',
    'expect t {check (< bubble 30%) check (>= mem(stage=a) 1GiB) check (!= x (- 1))}',
  ],
  [
    '/// one\n///two\nmodel m { /// of a\n a = 1 /// no\n b = 2 }',
    '/"one\\ntwo"/ model m {<a values(1)> <b values(2)>}',
  ],
  ['/// far\n\nmodel m { a = 1\n/// near\nb = 2 }', 'model m {<a values(1)> </"near"/ b values(2)>}'],
  ['/// lost\n// in between\nlet a = 1 /* x */', 'let a value(1)'],
  ['\ufefflet a = 1\r\nlet b = 2\rlet c = 3', 'let a value(1)\nlet b value(2)\nlet c value(3)'],
];

describe('parse', () => {
  it.each(cases)('%j', (source, tree) => {
    const file = parse(source);
    expect(faultsOf(file)).toEqual([]);
    expect(shape(file)).toBe(tree);
    expect(brokenPromises(file)).toEqual([]);
  });

  it('reads a line end like any other white space', () => {
    const oneLine = good.replace(/\/\/\/.*\n/g, '').replaceAll('\n', ' ');
    const manyLines = oneLine.replace(/ (?=(?:[^"]*"[^"]*")*[^"]*$)/g, '\n');
    expect(faultsOf(parse(oneLine))).toEqual([]);
    expect(shape(parse(manyLines))).toBe(shape(parse(oneLine)));
  });

  it('reads nothing of a text over the limit', () => {
    expect(parse('let a = 1', { size: 8 })).toEqual({
      kind: 'file',
      text: 'let a = 1',
      tokens: [],
      comments: [],
      declarations: [],
      errors: [],
    });
    expect(parse('let a = 1', { size: 9 }).declarations).toHaveLength(1);
  });

  it('knows where a name and its block stand', () => {
    const source = 'model toy { a = 1 }';
    const [model] = parse(source).declarations;
    expect(model).toMatchObject({
      kind: 'block',
      start: 0,
      end: 19,
      name: { start: 6, end: 9 },
      body: { start: 10, end: 19 },
    });
  });
});

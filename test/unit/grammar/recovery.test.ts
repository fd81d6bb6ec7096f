import { describe, expect, it } from 'vitest';
import { parse } from '../../../grammar/index.ts';
import { brokenPromises, faultsOf, shape } from './shape.ts';

/** Source, faults as `start-end "text" message`, and what is left of the tree. */
const cases: readonly (readonly [name: string, source: string, faults: readonly string[], tree: string])[] = [
  [
    'a value that is still to come',
    'model m {\n forward =\n backward = 8ms\n}',
    ['19-20 "=" Expected a value after "=", found "backward".'],
    'model m {<forward values(?)> <backward values(8ms)>}',
  ],
  [
    'a value missing before "}"',
    'model m { forward = }',
    ['20-21 "}" Expected a value after "=", found "}".'],
    'model m {<forward values(?)>}',
  ],
  [
    'a value missing before an entry on its line',
    'model m { a = b = 1 }',
    ['14-15 "b" Expected a value after "=", found "b".'],
    'model m {<a values(?)> <b values(1)>}',
  ],
  [
    'a value missing before a named entry',
    'pipeline p {\n stages =\n stage a { x = 1 }\n}',
    ['21-22 "=" Expected a value after "=", found "stage".'],
    'pipeline p {<stages values(?)> <stage a {<x values(1)>}>}',
  ],
  [
    'a schedule that is not closed before declarations at the start of their lines',
    'schedule s {\n  let a = 1\nlet b = 2\nparam m = 3\npipeline p { }',
    ['11-12 "{" Expected "}" to close "schedule s" opened at line 1, found "let".'],
    'schedule s {<let a values(1)> unclosed}\nlet b value(2)\nparam m value(3)\npipeline p {}',
  ],
  [
    'a bracket that is not closed before the next entry of a schedule',
    'schedule s {\n  row(d) = F[0\n  let a = B[1]\n}\nlet b = 2',
    ['25-26 "[" Expected "]" to close "F[" opened at line 2, found "let".'],
    'schedule s {<row parameters(d) values(F[0])> <let a values(B[1])>}\nlet b value(2)',
  ],
  [
    'a comma between operations that was forgotten, on a line and before a line',
    'schedule s {\n  row(d) = F[0] B[0]\n    zip(F[1], B[1])\n  let a = F[2]\n}',
    [
      '29-30 "B" Expected "," between operations, found "B".',
      '38-41 "zip" Expected "," between operations, found "zip".',
    ],
    'schedule s {<row parameters(d) values(F[0] B[0] zip(F[1] B[1]))> <let a values(F[2])>}',
  ],
  [
    'operations without an equals sign before them',
    'schedule s {\n  row(0) F[0], B[0]\n  row(1) = F[0]\n}',
    ['22-23 "F" Expected "=" or "{" after "row(0)", found "F".'],
    'schedule s {<row parameters(0) values(F[0] B[0])> <row parameters(1) values(F[0])>}',
  ],
  [
    'a key with brackets that is still unfinished behind operations',
    'schedule s {\n  row(0) = F[0]\n  row(1)\n  let a = F[2]\n}',
    ['36-37 ")" Expected "=" or "{" after "row(1)", found "let".'],
    'schedule s {<row parameters(0) values(F[0])> <row parameters(1)> <let a values(F[2])>}',
  ],
  [
    'a condition that is still to come',
    'schedule s {\n  require\n  row(d) = F[0]\n}',
    ['15-22 "require" Expected a value after "require", found "row".'],
    'schedule s {<require condition(?)> <row parameters(d) values(F[0])>}',
  ],
  [
    'a name that takes numbers outside of a loop',
    'let a = f(x in 3)',
    ['12-14 "in" Expected "," or ")", found "in".', '15-16 "3" Expected "," or ")", found "3".'],
    'let a value(f(x in 3))',
  ],
  [
    'a step of a step',
    'let a = 1..9 step 2..3 step 4',
    ['23-27 "step" Expected an operator or a new declaration, found "step".'],
    'let a value((.. 1 9 step((.. 2 3))))\n<skipped>',
  ],
  [
    'a value missing after a comma',
    'model m { a = b,\n c = 1 }',
    ['15-16 "," Expected a value after ",", found "c".'],
    'model m {<a values(b ?)> <c values(1)>}',
  ],
  [
    'an operand that is still to come',
    'model m { a = 1 +\n b = 2 }',
    ['16-17 "+" Expected a value after "+", found "b".'],
    'model m {<a values((+ 1 ?))> <b values(2)>}',
  ],
  [
    'half a name',
    'pipeline p { schedule = 1f\n model = toy }',
    [],
    'pipeline p {<schedule values(1f)> <model values(toy)>}',
  ],
  [
    'a key alone',
    'model m {\n forw\n backward = 8ms\n}',
    ['11-15 "forw" Expected "=" or "{" after "forw", found "backward".'],
    'model m {<forw> <backward values(8ms)>}',
  ],
  [
    'a forgotten "="',
    'model m { forward 4ms  backward = 8ms }',
    ['18-21 "4ms" Expected "=" or "{" after "forward", found "4ms".'],
    'model m {<forward values(4ms)> <backward values(8ms)>}',
  ],
  [
    'a value too many',
    'model m { a = 1 2 3\n b = 2 }',
    ['16-17 "2" Expected ",", an operator, the next entry or "}", found "2".'],
    'model m {<a values(1)> <skipped> <b values(2)>}',
  ],
  [
    'a key missing',
    'model m { = 4ms  b = 2 }',
    ['10-11 "=" Expected an entry or "}", found "=".'],
    'model m {<skipped> <b values(2)>}',
  ],
  [
    'a bracket not closed',
    'model m {\n a = f(1, x = 2\n b = 2\n}',
    ['16-17 "(" Expected ")" to close "f(" opened at line 2, found "b".'],
    'model m {<a values(f(1 x=2))> <b values(2)>}',
  ],
  [
    'a bracket not closed before "}"',
    'model m { a = [1, 2 }',
    ['14-15 "[" Expected "]" to close "[" opened at line 1, found "}".'],
    'model m {<a values([1 2])>}',
  ],
  [
    'a comma missing',
    'model m { a = f(1 2) b = 3 }',
    ['18-19 "2" Expected "," or ")", found "2".'],
    'model m {<a values(f(1 2))> <b values(3)>}',
  ],
  [
    'junk in brackets',
    'model m { a = f(1 = 2, 3) b = 3 }',
    ['18-19 "=" Expected "," or ")", found "=".'],
    'model m {<a values(f(1 3))> <b values(3)>}',
  ],
  [
    'an item missing',
    'model m { a = [1, , 3] }',
    ['18-19 "," Expected a value after ",", found ",".'],
    'model m {<a values([1 ? 3])>}',
  ],
  [
    'an index not closed',
    'model m { layer b[8 { x = 1 } }',
    ['17-18 "[" Expected "]" to close "b[" opened at line 1, found "{".'],
    'model m {<layer b index(8) {<x values(1)>}>}',
  ],
  [
    'an index not opened',
    'model m { layer b 8] { x = 1 } y = 2 }',
    ['18-19 "8" Expected "=" or "{" after "layer b", found "8".'],
    'model m {<layer b {<x values(1)>}> <y values(2)>}',
  ],
  [
    'a block not closed',
    'model m {\n a = 1\n\npipeline p {\n b = 2\n}',
    ['8-9 "{" Expected "}" to close "model m" opened at line 1, found "pipeline".'],
    'model m {<a values(1)> unclosed}\npipeline p {<b values(2)>}',
  ],
  [
    'an inner block not closed',
    'cluster c {\n node[4] {\n a = 1\n}\nlet x = 3',
    ['10-11 "{" Expected "}" to close "cluster c" opened at line 1, found "let".'],
    'cluster c {<node index(4) {<a values(1)>}> unclosed}\nlet x value(3)',
  ],
  [
    'a block not closed at the end',
    'model m { a = 1',
    ['8-9 "{" Expected "}" to close "model m" opened at line 1, found the end of the file.'],
    'model m {<a values(1)> unclosed}',
  ],
  [
    'a brace too many',
    'model m { a = 1 } }\nlet x = 3',
    ['18-19 "}" Expected a declaration, found "}" although no block is open.'],
    'model m {<a values(1)>}\n<skipped>\nlet x value(3)',
  ],
  [
    'a brace too early',
    'model m { a = 1 }\n b = 2\n}\nlet x = 3',
    ['19-20 "b" Expected a declaration such as "model name { … }", found "b".'],
    'model m {<a values(1)>}\n<skipped>\nlet x value(3)',
  ],
  [
    'a brace not opened',
    'model m\n a = 1 }\nlet x = 3',
    ['6-7 "m" Expected "{" after "model m", found "a".'],
    'model m {<a values(1)>}\nlet x value(3)',
  ],
  [
    'a name missing',
    'model { a = 1 }',
    ['6-7 "{" Expected a name after "model", found "{".'],
    'model undefined {<a values(1)>}',
  ],
  [
    'a keyword missing',
    'm { a = 1 }\nlet x = 3',
    ['0-1 "m" Expected a declaration such as "model name { … }", found "m".'],
    '<skipped>\nlet x value(3)',
  ],
  [
    'a keyword alone',
    'model\nlet x = 3',
    ['0-5 "model" Expected a name after "model", found "let".'],
    'model undefined \nlet x value(3)',
  ],
  [
    'a let without a value',
    'let a =\nlet b = 2',
    ['6-7 "=" Expected a value after "=", found "let".'],
    'let a value(?)\nlet b value(2)',
  ],
  ['a let without "="', 'let a 3', ['6-7 "3" Expected "=" after "let a", found "3".'], 'let a value(3)'],
  [
    'a range without its word',
    'param a = 8 1..3',
    ['12-13 "1" Expected an operator, "in" or a new declaration, found "1".'],
    'param a value(8)\n<skipped>',
  ],
  [
    'a range still to come',
    'param a = 8 in\nlet b = 1',
    ['12-14 "in" Expected a value after "in", found "let".'],
    'param a value(8) range(?)\nlet b value(1)',
  ],
  [
    'an import without a path',
    'import\nlet b = 1',
    ['0-6 "import" Expected a path such as "hardware.pipe" after "import", found "let".'],
    'import\nlet b value(1)',
  ],
  [
    'an import without "from"',
    'import { a, b } "x"',
    ['16-19 "\\"x\\"" Expected "from" after the imported names, found ""x"".'],
    'import names(a b) path("x")',
  ],
  [
    'imported names not closed',
    'import { a, b from "x"',
    ['7-8 "{" Expected "}" to close the imported names opened at line 1, found "from".'],
    'import names(a b) path("x")',
  ],
  [
    'an imported name still to come',
    'import { a, } from "x"',
    ['12-13 "}" Expected a name after ",", found "}".'],
    'import names(a) path("x")',
  ],
  [
    'the first imported name still to come',
    'import { , a } from "x"',
    ['9-10 "," Expected a name after "{", found ",".'],
    'import names(a) path("x")',
  ],
  [
    'no imported name before a comma',
    'import { , } from "x"',
    ['9-10 "," Expected a name after "{", found ",".'],
    'import names() path("x")',
  ],
  [
    'a key with a name, and a literal without "="',
    'model m { layer a 3, 4\n b = 2 }',
    ['18-19 "3" Expected "=" or "{" after "layer a", found "3".'],
    'model m {<layer a values(3 4)> <b values(2)>}',
  ],
  [
    'a named block not closed',
    'model m {\n layer a { x = 1\nlet x = 3',
    ['19-20 "{" Expected "}" to close "layer a" opened at line 2, found "let".'],
    'model m {<layer a {<x values(1)> unclosed}> unclosed}\nlet x value(3)',
  ],
  [
    'a link after parameters',
    'cluster c { link a(1) -- b = 1 }',
    ['22-24 "--" Expected "=" or "{" after "link a(1)", found "--".'],
    'cluster c {<link a parameters(1)> <skipped> <b values(1)>}',
  ],
  [
    'a link without its near end',
    'cluster c { link -- b\n x = 1 }',
    ['17-19 "--" Expected "=" or "{" after "link", found "--".'],
    'cluster c {<link> <skipped> <x values(1)>}',
  ],
  [
    'imported names that stop at the next import',
    'import {\nimport { a } from "x"',
    ['7-8 "{" Expected a name after "{", found "import".'],
    'import names()\nimport names(a) path("x")',
  ],
  [
    'an entry with a body in brackets',
    'model m { a = f(1, b { x = 2 } }',
    ['19-20 "b" Expected a value after ",", found "b".'],
    'model m {<a values(f(1 ?))> <b {<x values(2)>}>}',
  ],
  [
    'an item missing before the bracket closes',
    'let a = [1, ]',
    ['12-13 "]" Expected a value after ",", found "]".'],
    'let a value([1 ?])',
  ],
  [
    'an item missing at the end of an unfinished line',
    'model m { a = f(1,\n b = 2\n}',
    ['15-16 "(" Expected ")" to close "f(" opened at line 1, found "b".'],
    'model m {<a values(f(1 ?))> <b values(2)>}',
  ],
  [
    'the first item missing',
    'let a = [, 3]',
    ['9-10 "," Expected a value after "[", found ",".'],
    'let a value([? 3])',
  ],
  [
    'brackets after what is passed over',
    'model m { = (\n b = 1) c = 2 }',
    ['10-11 "=" Expected an entry or "}", found "=".'],
    'model m {<skipped> <c values(2)>}',
  ],
  [
    'an operator without its left side',
    'let a = f(1, + 2)',
    [
      '13-14 "+" Expected a value after ",", found "+".',
      '16-17 ")" Expected an operator or a new declaration, found ")".',
    ],
    'let a value((+ f(1 ?) 2))\n<skipped>',
  ],
  [
    'an operator after the end of a link',
    'cluster c { link a -- b + 1 = 3 }',
    ['24-25 "+" Expected "=" or "{" after "link a -- b", found "+".'],
    'cluster c {<link ends(a b) values(3)>}',
  ],
  [
    'a string not closed',
    'import "std:\nlet b = 1',
    ['7-12 "\\"std:" Expected a closing quote before the end of the line.'],
    'import path("std:")\nlet b value(1)',
  ],
  [
    'a comment not closed',
    'let b = 1 /* x',
    ['10-12 "/*" Expected "*/" to close this comment, found the end of the file.'],
    'let b value(1)',
  ],
  [
    'signs without meaning',
    'model m { a = @ 3\n b = 4 # }',
    [
      '14-15 "@" Expected a name, a quantity or punctuation, found "@", which has no meaning here.',
      '25-26 "#" Expected a name, a quantity or punctuation, found "#", which has no meaning here.',
    ],
    'model m {<a values(3)> <b values(4)>}',
  ],
  [
    'a dot between names',
    'model m { a = b.c\n d = 4 }',
    ['15-16 "." Expected a name, a quantity or punctuation, found ".", which has no meaning here.'],
    'model m {<a values(b)> <c> <d values(4)>}',
  ],
  [
    'a malformed number',
    'let a = 1.5.2',
    ['8-13 "1.5.2" Expected a number with a unit such as "4ms" or "25GB/s", found "1.5.2".'],
    'let a value(?)',
  ],
  [
    'a number too large',
    'let a = 1e999',
    ['8-13 "1e999" Expected a number below 1.8e308, found "1e999".'],
    'let a value(Infinity)',
  ],
  [
    'no comparison',
    'expect t { bubble = 30%  x < 3 }',
    ['18-19 "=" Expected a comparison such as "bubble < 10%", found "=".'],
    'expect t {check bubble <skipped> check (< x 3)}',
  ],
  [
    'two comparisons in one',
    'expect t { a < b < 3 }',
    ['17-18 "<" Expected one comparison, found a second one at "<".'],
    'expect t {check (< (< a b) 3)}',
  ],
  [
    'the far end of a link still to come',
    'cluster c { link a --\n x = 1 }',
    [],
    'cluster c {<link ends(a x) values(1)>}',
  ],
  [
    'a link without its far end',
    'cluster c { link a -- = 1 }',
    ['22-23 "=" Expected a value after "--", found "=".'],
    'cluster c {<link ends(a ?) values(1)>}',
  ],
  ['empty brackets', 'let a = ()', ['8-9 "(" Expected one value between "(" and ")", found none.'], 'let a value((?))'],
  ['a name in a list', 'let a = [b = 1]', ['9-10 "b" Expected a value, found "b =".'], 'let a value([1])'],
];

describe('recovery', () => {
  it.each(cases)('%s', (_, source, faults, tree) => {
    const file = parse(source);
    expect(faultsOf(file)).toEqual(faults);
    expect(shape(file)).toBe(tree);
    expect(brokenPromises(file)).toEqual([]);
  });

  it('says where the open bracket is', () => {
    expect(parse('model m { a = f(1 }').errors).toMatchObject([
      { code: 'syntax/unclosed', opened: { start: 15, end: 16 } },
    ]);
  });

  it('shortens what it repeats of the text', () => {
    const [fault] = parse(`model m { ${'a'.repeat(500)} }`).errors;
    expect(fault?.message.length).toBeLessThan(200);
  });
});

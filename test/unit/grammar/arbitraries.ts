import * as fc from '../../support/property.ts';

const words = [
  'model',
  'stage',
  'in',
  'step',
  'from',
  'let',
  'param',
  'import',
  '1f1b',
  'zb_h1',
  'F',
  's',
  'gpu',
  'forward',
];
export const name = fc.oneof(fc.constantFrom(...words), fc.stringMatching(/^[a-z_][a-z0-9_]{0,7}$/));
const plain = fc
  .stringMatching(/^[a-z_][a-z0-9_]{0,5}$/)
  .filter((word) => !/^(?:in|step|from|layer|stage|link|node)$/.test(word));
const quantity = fc.constantFrom(
  '0',
  '12',
  '3.5',
  '1e-3s',
  '4ms',
  '80GiB',
  '25GB/s',
  '40%',
  '300/s',
  '5µs',
  '312TFLOPS',
  '2e',
);
const text = fc.stringMatching(/^[a-z .:/é😀-]{0,9}$/u).map((inner) => `"${inner.replaceAll('\\', '')}"`);

type Text = fc.Arbitrary<string>;
/** A gap between two tokens: white space, sometimes with a comment. */
export const gap: Text = fc.oneof(
  { weight: 12, arbitrary: fc.constant(' ') },
  { weight: 2, arbitrary: fc.constantFrom('  ', '\t', '\n', '\r\n', '\n\n\n') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(' // note\n', '\n  // own line\n', ' /* a */ ', '\n/* b\n c */\n', '\n\n/// doc \n'),
  },
);
const list = (item: Text, least = 0): Text =>
  fc.array(item, { minLength: least, maxLength: 3 }).map((items) => items.join(' , '));

const { expression } = fc.letrec<{ expression: string; operand: string; argument: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    tie('operand'),
    fc
      .tuple(tie('operand'), fc.constantFrom('+', '-', '*', '/', '..', '..<'), tie('operand'))
      .map((parts) => parts.join(' ')),
    fc
      .tuple(
        tie('operand'),
        fc.constantFrom('+', '-', '*', '/'),
        tie('operand'),
        fc.constantFrom('+', '/'),
        tie('operand'),
      )
      .map((p) => p.join(' ')),
  ),
  operand: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    plain,
    quantity,
    text,
    list(tie('expression')).map((items) => `[ ${items} ]`),
    tie('expression').map((inner) => `( ${inner} )`),
    fc.tuple(plain, list(tie('argument'))).map(([callee, given]) => `${callee} ( ${given} )`),
    fc.tuple(plain, list(tie('argument'), 1)).map(([target, given]) => `${target} [ ${given} ]`),
    tie('operand').map((inner) => `- ${inner}`),
  ),
  argument: fc.oneof(
    tie('expression'),
    fc.tuple(name, tie('expression')).map(([key, value]) => `${key} = ${value}`),
  ),
}));

const values = list(expression, 1);
const { block } = fc.letrec<{ entry: string; block: string }>((tie) => ({
  entry: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.tuple(plain, values).map(([key, value]) => `${key} = ${value}`),
    fc.tuple(plain, list(expression, 1), values).map(([key, index, value]) => `${key} [ ${index} ] = ${value}`),
    fc.tuple(plain, list(plain, 1), values).map(([key, given, value]) => `${key} ( ${given} ) = ${value}`),
    fc.tuple(plain, plain, values).map(([near, far, value]) => `link ${near} [ 0 ] -- ${far} = ${value}`),
    fc.tuple(plain, tie('block')).map(([named, body]) => `layer ${named} [ 8 ] ${body}`),
    fc.tuple(plain, values).map(([named, value]) => `layer ${named} = ${value} ;`),
  ),
  block: fc.array(tie('entry'), { maxLength: 4 }).map((entries) => `{ ${entries.join(' ')} }`),
}));

const comparison = fc
  .tuple(expression, fc.constantFrom('<', '<=', '>', '>=', '==', '!='), quantity)
  .map(([left, operator, right]) => `${left} ${operator} ${right}`)
  // What begins with a bracket or a minus sign would go on with the comparison before.
  .map((check) => `figure${/^[[(-]/.test(check) ? ' +' : ' /'} ${check}`);

const declaration: Text = fc.oneof(
  text.map((path) => `import ${path}`),
  fc.tuple(list(plain, 1), text).map(([names, path]) => `import { ${names} } from ${path}`),
  fc.tuple(name, quantity).map(([key, value]) => `param ${key} = ${value} in 1 .. ${value} step - 2`),
  fc.tuple(name, expression).map(([key, value]) => `let ${key} = ${value}`),
  fc
    .tuple(fc.constantFrom('model', 'cluster', 'schedule', 'pipeline'), plain, block)
    .map(([keyword, key, body]) => `${keyword} ${key} ${body}`),
  fc
    .tuple(name, fc.array(comparison, { maxLength: 3 }))
    .map(([key, checks]) => `expect ${key} { ${checks.join(' ')} }`),
);

/** Texts that the grammar allows, in all sorts of layouts. */
export const goodFile: Text = fc
  .tuple(fc.array(declaration, { maxLength: 5 }), fc.array(gap, { minLength: 40, maxLength: 40 }))
  .map(([declarations, gaps]) => {
    let next = 0;
    const text = declarations.join(' ');
    return text.replace(/ (?=(?:[^"]*"[^"]*")*[^"]*$)/g, () => gaps[next++ % gaps.length] ?? ' ');
  });

const tokens = [
  ...words,
  '4ms',
  '12',
  '1.5.2',
  '"s"',
  '"open',
  '{',
  '}',
  '[',
  ']',
  '(',
  ')',
  '=',
  ',',
  ';',
  '..',
  '..<',
  '--',
  '-',
  '+',
  '/',
  '<',
  '==',
  '@',
  '.',
  '/*',
  '*/',
  '//',
  '///',
  '\n',
  '\n',
  ' ',
  'µ',
  '😀',
];
/** Tokens in any order. */
export const soup: Text = fc.array(fc.constantFrom(...tokens), { maxLength: 60 }).map((parts) => parts.join(' '));

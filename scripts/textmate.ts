import { blockKeywords } from '../grammar/syntax.ts';
import { patterns } from '../grammar/tokens.ts';

interface Rule {
  readonly name?: string;
  readonly match?: string;
  readonly begin?: string;
  readonly end?: string;
  readonly captures?: Captures;
  readonly beginCaptures?: Captures;
  readonly patterns?: readonly Rule[];
  readonly include?: string;
}
type Captures = Readonly<Record<string, { readonly name?: string; readonly patterns?: readonly Rule[] }>>;

export interface TextMateGrammar {
  readonly $schema: string;
  readonly name: string;
  readonly scopeName: string;
  readonly fileTypes: readonly string[];
  readonly patterns: readonly Rule[];
  readonly repository: Readonly<Record<string, Rule>>;
}

/** Oniguruma's `\w` and `\d` know all of Unicode, the lexer's only ASCII. */
const ascii = (pattern: string): string =>
  pattern
    .replaceAll('[\\w', '[A-Za-z0-9_')
    .replaceAll('\\w', '[A-Za-z0-9_]')
    .replaceAll('\\d', '[0-9]')
    .replaceAll('\\u00b5', '\u00b5')
    .replaceAll('\\u03bc', '\u03bc');

const start = '(?<![A-Za-z0-9_])';
const end = '(?![A-Za-z0-9_])';
const name = `${start}${ascii(patterns.name)}${end}`;
const scoped = (scope: string): { readonly name: string } => ({ name: `${scope}.pipe` });

/** Keys after which the name of what is declared follows. */
const namedKeys = ['layer', 'stage', 'node', 'switch', 'operation'];
const brackets = '(?:\\s*\\[[^\\]]*\\])?(?:\\s*\\((?:[^()]|\\([^()]*\\))*\\))?';

/** Colours for editors and viewers that know no more than regular expressions, from the table that the lexer reads. */
export const textMateGrammar = (): TextMateGrammar => ({
  $schema: 'https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json',
  name: 'Pipewright',
  scopeName: 'source.pipe',
  fileTypes: ['pipe'],
  patterns: [{ include: '#everything' }],
  repository: {
    everything: {
      patterns: [
        'comments',
        'strings',
        'declarations',
        'quantities',
        'entries',
        'calls',
        'names',
        'operators',
        'punctuation',
      ].map((rule) => ({ include: `#${rule}` })),
    },
    comments: {
      patterns: [
        { ...scoped('comment.line.documentation'), match: ascii(patterns.docComment) },
        { ...scoped('comment.line.double-slash'), match: ascii(patterns.lineComment) },
        { ...scoped('comment.block'), begin: '/\\*', end: '\\*/' },
      ],
    },
    strings: {
      patterns: [
        {
          ...scoped('string.quoted.double'),
          match: ascii(patterns.string),
          captures: { 0: { patterns: [{ ...scoped('constant.character.escape'), match: '\\\\.' }] } },
        },
        { ...scoped('invalid.illegal.unclosed-string'), match: ascii(patterns.unclosedString) },
      ],
    },
    declarations: {
      patterns: [
        {
          match: `${start}(${blockKeywords.join('|')})\\s+(${ascii(patterns.name)})(?=\\s*\\{)`,
          captures: { 1: scoped('keyword.declaration'), 2: scoped('entity.name.type') },
        },
        {
          match: `${start}(let)\\s+(${ascii(patterns.name)})(?=${brackets}\\s*=)`,
          captures: { 1: scoped('keyword.declaration'), 2: scoped('variable.other.constant') },
        },
        {
          begin: `${start}(param)\\s+(${ascii(patterns.name)})(?=\\s*=)`,
          end: '$',
          beginCaptures: { 1: scoped('keyword.declaration'), 2: scoped('variable.parameter') },
          patterns: [
            { ...scoped('keyword.other'), match: `${start}(?:in|step|and|or)${end}` },
            { include: '#everything' },
          ],
        },
        { ...scoped('keyword.control.import'), match: `${start}import(?=\\s*["{])` },
        { ...scoped('keyword.control.with'), match: `(?<=")\\s*with(?=\\s*\\{)` },
        { ...scoped('keyword.control.from'), match: `(?<=\\})\\s*from(?=\\s*")` },
      ],
    },
    quantities: {
      patterns: [
        {
          match: `${start}(?=${ascii(patterns.quantity)})(${ascii(patterns.number)})([A-Za-z\u00b5\u03bc]+(?:/s${end})?|/s${end}|%)?`,
          captures: { 1: scoped('constant.numeric'), 2: scoped('keyword.other.unit') },
        },
      ],
    },
    entries: {
      patterns: [
        { ...scoped('keyword.other'), match: `${start}require(?=[ \\t]+[\\w(-])` },
        {
          match: `${start}(${namedKeys.join('|')})\\s+(${ascii(patterns.name)})(?=${brackets}\\s*(?:=|\\{))`,
          captures: { 1: scoped('keyword.other'), 2: scoped('entity.name.tag') },
        },
        { ...scoped('keyword.other'), match: `${start}link(?=\\s+[A-Za-z_])` },
        { ...scoped('variable.other.property'), match: `${name}(?=${brackets}\\s*(?:=(?!=)|\\{))` },
      ],
    },
    calls: {
      patterns: [
        { ...scoped('support.constant.operation'), match: `${start}[FBIWRUEL](?=\\s*\\[)` },
        { ...scoped('entity.name.function'), match: `${name}(?=\\s*\\()` },
      ],
    },
    names: {
      patterns: [
        { ...scoped('keyword.other'), match: `${start}(?:in|step|and|or)(?=[ \\t]+[\\w(-])` },
        { ...scoped('variable.other'), match: name },
        { ...scoped('invalid.illegal.quantity'), match: ascii(patterns.malformed) },
      ],
    },
    operators: {
      patterns: [
        { ...scoped('keyword.operator.range'), match: '\\.\\.<?' },
        { ...scoped('keyword.operator.link'), match: '--' },
        { ...scoped('keyword.operator.comparison'), match: '[<>=!]=|[<>]' },
        { ...scoped('keyword.operator.assignment'), match: '=' },
        { ...scoped('keyword.operator.arithmetic'), match: '[-+*/]' },
      ],
    },
    punctuation: {
      patterns: [
        { ...scoped('punctuation.separator'), match: '[,;]' },
        { ...scoped('punctuation.section'), match: '[{}\\[\\]()]' },
      ],
    },
  },
});

/** The grammar as the file `pipe.tmLanguage.json` holds it. */
export const textMateFile = (): string => `${JSON.stringify(textMateGrammar(), undefined, 2)}\n`;

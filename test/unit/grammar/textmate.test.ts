import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { textMateFile } from '../../../scripts/textmate.ts';
import type * as Oniguruma from 'vscode-oniguruma';
import type * as TextMate from 'vscode-textmate';

const require = createRequire(import.meta.url);
const oniguruma = require('vscode-oniguruma') as typeof Oniguruma;
const textmate = require('vscode-textmate') as typeof TextMate;

const load = async (): Promise<TextMate.IGrammar> => {
  const wasm = readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (sources) => new oniguruma.OnigScanner(sources),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: () => Promise.resolve(textmate.parseRawGrammar(textMateFile(), 'pipe.json')),
  });
  const grammar = await registry.loadGrammar('source.pipe');
  if (grammar === null) throw new Error('no grammar');
  return grammar;
};
const grammar = await load();

/** `text:scope` of each token of a text, white space left out; the innermost scope, without the language at its end. */
const scopes = (text: string): string => {
  let state = textmate.INITIAL;
  const found: string[] = [];
  for (const line of text.split('\n')) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
    state = ruleStack;
    for (const { startIndex, endIndex, scopes: all } of tokens) {
      const piece = line.slice(startIndex, endIndex).trim();
      if (piece !== '') found.push(`${piece}:${all.at(-1)?.replace(/\.pipe$/, '')}`);
    }
  }
  return found.join(' ');
};

describe('TextMate grammar', () => {
  it('is what the checked-in file holds', async () => {
    await expect(textMateFile()).toMatchFileSnapshot('../../../grammar/pipe.tmLanguage.json');
  });

  it.each([
    ['/// doc', '/// doc:comment.line.documentation'],
    ['// a', '// a:comment.line.double-slash'],
    ['/* a\n b */ 1', '/*:comment.block a:comment.block b:comment.block */:comment.block 1:constant.numeric'],
    ['model toy {', 'model:keyword.declaration toy:entity.name.type {:punctuation.section'],
    ['model = toy', 'model:variable.other.property =:keyword.operator.assignment toy:variable.other'],
    [
      '  let w(d) = each(j in 0..<4 step 2, F[j])',
      'let:keyword.declaration w:variable.other.constant (:punctuation.section d:variable.other ):punctuation.section =:keyword.operator.assignment each:entity.name.function (:punctuation.section j:variable.other in:keyword.other 0:constant.numeric ..<:keyword.operator.range 4:constant.numeric step:keyword.other 2:constant.numeric ,:punctuation.separator F:support.constant.operation [:punctuation.section j:variable.other ]:punctuation.section ):punctuation.section',
    ],
    ['  require p >= 2', 'require:keyword.other p:variable.other >=:keyword.operator.comparison 2:constant.numeric'],
    ['schedule = 1f1b', 'schedule:variable.other.property =:keyword.operator.assignment 1f1b:variable.other'],
    [
      'forward = 4ms',
      'forward:variable.other.property =:keyword.operator.assignment 4:constant.numeric ms:keyword.other.unit',
    ],
    [
      '25GB/s + 4µs',
      '25:constant.numeric GB/s:keyword.other.unit +:keyword.operator.arithmetic 4:constant.numeric µs:keyword.other.unit',
    ],
    ['300/s', '300:constant.numeric /s:keyword.other.unit'],
    ['300/stages', '300:constant.numeric /:keyword.operator.arithmetic stages:variable.other'],
    ['0..<40%', '0:constant.numeric ..<:keyword.operator.range 40:constant.numeric %:keyword.other.unit'],
    [
      'layer block[8] {',
      'layer:keyword.other block:entity.name.tag [:punctuation.section 8:constant.numeric ]:punctuation.section {:punctuation.section',
    ],
    [
      'link a -- b = 1',
      'link:keyword.other a:variable.other --:keyword.operator.link b:variable.other.property =:keyword.operator.assignment 1:constant.numeric',
    ],
    [
      'F[0], zip(x)',
      'F:support.constant.operation [:punctuation.section 0:constant.numeric ]:punctuation.section ,:punctuation.separator zip:entity.name.function (:punctuation.section x:variable.other ):punctuation.section',
    ],
    [
      'param m = 8 in 1..4 step 1',
      'param:keyword.declaration m:variable.parameter =:keyword.operator.assignment 8:constant.numeric in:keyword.other 1:constant.numeric ..:keyword.operator.range 4:constant.numeric step:keyword.other 1:constant.numeric',
    ],
    ['let a = in', 'let:keyword.declaration a:variable.other.constant =:keyword.operator.assignment in:variable.other'],
    [
      'import { a } from "std:x"',
      'import:keyword.control.import {:punctuation.section a:variable.other }:punctuation.section from:keyword.control.from "std:x":string.quoted.double',
    ],
    [
      '"a\\"b" "open',
      '"a:string.quoted.double \\":constant.character.escape b":string.quoted.double "open:invalid.illegal.unclosed-string',
    ],
    ['a <= b', 'a:variable.other <=:keyword.operator.comparison b:variable.other'],
    ['1.5.2', '1.5.2:invalid.illegal.quantity'],
  ])('%j', (text, expected) => expect(scopes(text)).toBe(expected));
});

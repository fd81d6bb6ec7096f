/** Colours that only the meaning of a text gives, as the protocol numbers them. */
import type { SemanticTokensLegend } from 'vscode-languageserver';

const types = [
  'keyword',
  'property',
  'parameter',
  'variable',
  'struct',
  'namespace',
  'class',
  'enumMember',
  'function',
] as const;
const modifiers = ['declaration', 'readonly', 'defaultLibrary'] as const;
export type TokenType = (typeof types)[number];
export const bit = (modifier: (typeof modifiers)[number]): number => 1 << modifiers.indexOf(modifier);

export const indexOfType = (type: TokenType): number => types.indexOf(type);

export const legend: SemanticTokensLegend = { tokenTypes: [...types], tokenModifiers: [...modifiers] };

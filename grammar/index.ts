/** Text to syntax tree and back. Imports no other folder of the project; never throws, whatever the text. */
export * from './syntax.ts';
export { parse, tokensOf } from './parse.ts';
export type { ParseLimits } from './parse.ts';
export { asRead } from './moved.ts';
export { format } from './printer.ts';
export type { FormatOptions, FormatResult } from './printer.ts';
export { LineIndex, type PositionEncoding } from './lines.ts';
export type { Position } from './lines.ts';
export { nodeAt, walk } from './walk.ts';

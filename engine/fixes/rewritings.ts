/** Refactorings at a place, without looking yet at what they would give. */
import type { Span } from '../../grammar/index.ts';
import { advised } from '../basics/advice.ts';
import type { Analysis } from '../flow/check.ts';
import { extractions } from './extract.ts';
import { inlinings } from './inline.ts';
import type { Rewriting } from './rewriting.ts';
import { stageSortings } from './sortStages.ts';

/** Each is to be proven (`isProven`) before its edits are made. */
export const rewritings = (analysis: Analysis, span: Span): readonly Rewriting[] =>
  [extractions, inlinings, stageSortings].flatMap((find) =>
    advised({ name: 'refactorings', find, otherwise: [] }, analysis, span),
  );

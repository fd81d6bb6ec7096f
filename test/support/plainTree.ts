/** Trees to compare. */
import type { SyntaxFile } from '../../grammar/index.ts';
import { moved } from '../../grammar/moved.ts';

/** The same tree as plain data: tokens, and parts of what an edit moved, are made when they are asked for. */
export const plainTree = (tree: SyntaxFile): SyntaxFile => ({
  ...tree,
  declarations: tree.declarations.map((one) => moved(one, { offset: 0, tokens: 0 }, () => undefined)),
});

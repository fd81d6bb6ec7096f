import type { SyntaxFile, SyntaxNode } from '../syntax.ts';
import { walk } from '../walk.ts';
import type { Piece, Pieces } from './pieces.ts';

/** What a token does where the text of the token alone does not say it. */
type Role = 'prefix' | 'tight' | 'attached' | 'begins';

/** Roles of the tokens: minus signs, operators inside ranges, brackets that belong to a name, first tokens of entries. */
const rolesOf = (file: SyntaxFile): readonly (Role | undefined)[] => {
  const roles: (Role | undefined)[] = new Array<Role | undefined>(file.tokens.length).fill(undefined);
  const tight = new Set<SyntaxNode>();
  walk(file, (node, parent) => {
    switch (node.kind) {
      case 'entry': {
        roles[node.first] = 'begins';
        const opener = (node.name ?? node.key).last + 1;
        if (node.index !== undefined) roles[opener] = 'attached';
        if (node.parameters !== undefined)
          roles[(node.parameterNames?.[0]?.first ?? node.parameters[0]?.first ?? 0) - 1] = 'attached';
        break;
      }
      case 'check':
      case 'import':
      case 'param':
      case 'let':
      case 'block':
        roles[node.first] = 'begins';
        break;
      case 'call':
        roles[node.callee.last + 1] = 'attached';
        break;
      case 'index':
        roles[node.target.last + 1] = 'attached';
        break;
      case 'unary':
        roles[node.first] = 'prefix';
        if (parent !== undefined && tight.has(parent)) tight.add(node);
        break;
      case 'range':
        roles[node.from.last + 1] = 'tight';
        tight.add(node);
        break;
      case 'binary':
        if (parent !== undefined && tight.has(parent)) {
          roles[node.operatorToken] = 'tight';
          tight.add(node);
        }
        break;
    }
    return true;
  });
  return roles;
};

/** Whether an operator written against its operands would be read as something else: `300/s`, `1e+2`, `a--b`. */
const wouldMerge = (left: Piece, operator: string, right: Piece | undefined): boolean => {
  if (operator === '-' && right?.text.startsWith('-') === true) return true;
  return /^\d/.test(left.text) && (operator === '/' || (/[eE]$/.test(left.text) && /^[+-]/.test(operator)));
};

/** The white space before each piece if everything is on one line. */
export const gapsOf = (file: SyntaxFile, { all }: Pieces): string[] => {
  const roles = rolesOf(file);
  const role = (piece: Piece): Role | undefined => (piece.token < 0 ? undefined : roles[piece.token]);
  let merges = false;
  return all.map((piece, i) => {
    const before = all[i - 1];
    if (before === undefined) return '';
    const { text } = piece;
    if (role(piece) === 'tight') merges = wouldMerge(before, text, all[i + 1]);
    if (piece.comment !== undefined) return piece.comment === 'block' ? ' ' : '  ';
    if (before.comment !== undefined) return ' ';
    if (text === ',' || text === ';' || text === ')' || text === ']') return '';
    if (before.text === '(' || before.text === '[') return '';
    if (before.text === '{') return text === '}' ? '' : ' ';
    if (role(piece) === 'begins') return before.text === ';' ? ' ' : '  ';
    if (role(piece) === 'attached') return '';
    if (role(before) === 'prefix') return text.startsWith('-') ? ' ' : '';
    if (role(piece) === 'tight') return merges ? ' ' : '';
    if (role(before) === 'tight') return merges ? ' ' : '';
    return ' ';
  });
};

import { nodeAt, type SyntaxNode } from '../../grammar/index.ts';
import type { Analysis } from '../check.ts';
import type { Finding } from '../findings/finding.ts';
import { tried } from './outcome.ts';
import type { Again, Edit, Proposal } from './proposal.ts';
import { lineEnd, lineStart } from './source.ts';

/** Removes the entry, declaration or imported name around the finding, with its documentation. */
export function removeFixes(analysis: Analysis, finding: Finding, again: Again): readonly Proposal[] {
  const { text } = analysis.syntax;
  const path = nodeAt(analysis.syntax, finding.place.start);
  const at = path.findLastIndex(({ kind }) => kind === 'entry' || kind === 'check' || removable(kind));
  const node = path[at];
  if (node === undefined || node.kind === 'file') return [];
  const edit = importedName(node, finding) ?? whole(analysis, node);
  const after = tried(analysis, [edit], again);
  const complaints = (checked: Analysis) =>
    checked.findings.filter(({ code, message }) => code === finding.code && message === finding.message).length;
  if (after === undefined || complaints(after) >= complaints(analysis)) return [];
  return [{ title: `Remove ${label(node, text, finding)}`, edits: [edit], preferred: true }];
}

const removable = (kind: SyntaxNode['kind']): boolean =>
  kind === 'param' || kind === 'let' || kind === 'block' || kind === 'import';

function label(node: SyntaxNode, text: string, finding: Finding): string {
  switch (node.kind) {
    case 'entry':
      return `"${[node.key.text, node.name?.text].filter((name) => name !== undefined).join(' ')}"`;
    case 'block':
      return `${node.keyword.text} "${node.name?.text ?? ''}"`;
    case 'param':
    case 'let':
      return `${node.kind} "${node.name?.text ?? ''}"`;
    case 'import':
      return importedName(node, finding) === undefined
        ? 'the import'
        : `"${text.slice(finding.place.start, finding.place.end)}" from the import`;
    default:
      return 'it';
  }
}

/** One of several names of an import, with the comma that goes with it. */
function importedName(node: SyntaxNode, { place }: Finding): Edit | undefined {
  if (node.kind !== 'import' || node.names === undefined || node.names.length < 2) return undefined;
  const at = node.names.findIndex(({ start, end }) => start === place.start && end === place.end);
  const [before, removed, after] = [node.names[at - 1], node.names[at], node.names[at + 1]];
  if (removed === undefined) return undefined;
  return after === undefined
    ? { start: before.end, end: removed.end, text: '' }
    : { start: removed.start, end: after.start, text: '' };
}

/** The node and the documentation right above it; whole lines if they hold nothing more. */
function whole(analysis: Analysis, node: { readonly start: number; readonly end: number }): Edit {
  const { text, comments } = analysis.syntax;
  let { start, end } = node;
  for (const comment of comments.toReversed()) {
    if (comment.kind === 'doc' && comment.end <= start && /^\s*$/.test(text.slice(comment.end, start)))
      start = comment.start;
  }
  if (text[end] === ';') end += 1;
  const from = lineStart(text, start);
  const to = lineEnd(text, end);
  const aloneBefore = text.slice(from, start).trim() === '';
  const rest = text.slice(end, to).trim();
  if (!aloneBefore) return { start: start - trailingSpace(text.slice(from, start)), end, text: '' };
  // A comment behind it speaks of it.
  if (rest === '' || rest.startsWith('//'))
    return { start: from, end: Math.min(text.length, text.indexOf('\n', to) + 1 || text.length), text: '' };
  return { start, end: end + leadingSpace(text.slice(end, to)), text: '' };
}

const trailingSpace = (text: string): number => text.length - text.trimEnd().length;
const leadingSpace = (text: string): number => text.length - text.trimStart().length;

import type { DefinitionParams, Location, LocationLink } from 'vscode-languageserver';
import { scheduleUri, standardText } from '../../engine/std/index.ts';
import { nodeAt, parse, type Span } from '../../grammar/index.ts';
import { toDocumentUri, toOffset, toRange, virtualScheme } from '../text/convert.ts';
import { importUri } from '../imports.ts';
import type { Session } from '../session.ts';
import { locate, rangeIn, referenceAt, type View } from '../view.ts';

const start = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** The place where a name is declared. For the path of an import, that file; for a built-in policy, its read-only document. */
export function definition(
  view: View,
  params: DefinitionParams,
  { abilities, address }: Pick<Session, 'abilities' | 'address'>,
): LocationLink[] | Location[] | null {
  const offset = toOffset(view.lines, params.position);
  const found = referenceAt(view, offset);
  const targets = found === undefined ? importTarget(view, offset) : nameTarget(view, found);
  if (targets === null) return null;
  const links = targets.map((link) => ({ ...link, targetUri: address(link.targetUri) }));
  if (abilities.links) return links;
  return links.map((link) => ({ uri: link.targetUri, range: link.targetSelectionRange }));
}

function nameTarget(view: View, { place, symbol }: NonNullable<ReturnType<typeof referenceAt>>): LocationLink[] | null {
  const originSelectionRange = rangeIn(view, place);
  if (symbol.kind === 'policy') return [{ originSelectionRange, ...policyTarget(view, symbol.name) }];
  const target = symbol.declaration === undefined ? undefined : locate(view, symbol.declaration);
  if (target === undefined) return null;
  const extent = symbol.extent === undefined ? undefined : locate(view, symbol.extent);
  return [
    {
      originSelectionRange,
      targetUri: target.uri,
      targetRange: extent?.range ?? target.range,
      targetSelectionRange: target.range,
    },
  ];
}

/** The declaration in the text of a built-in policy; the top of its description if it has no text. */
function policyTarget(view: View, name: string): LocationLink {
  const uri = scheduleUri(name);
  const lines = uri === undefined ? undefined : view.files.linesOf(uri);
  const found = uri === undefined ? undefined : declarationIn(standardText(uri) ?? '', name);
  if (uri === undefined || lines === undefined || found === undefined)
    return { targetUri: `${virtualScheme}/${name}.pipe`, targetRange: start, targetSelectionRange: start };
  return {
    targetUri: toDocumentUri(uri),
    targetRange: toRange(lines, found.extent),
    targetSelectionRange: toRange(lines, found.name),
  };
}

/** Where a text declares the schedule. */
function declarationIn(text: string, name: string): { readonly extent: Span; readonly name: Span } | undefined {
  for (const declaration of parse(text).declarations)
    if (declaration.kind === 'block' && declaration.name?.text === name)
      return { extent: declaration, name: declaration.name };
  return undefined;
}

function importTarget(view: View, offset: number): LocationLink[] | null {
  const path = nodeAt(view.syntax, offset).find((node) => node.kind === 'import')?.path;
  if (path === undefined || offset < path.start || offset > path.end) return null;
  const uri = importUri(view.files, path.value, view.uri);
  if (uri === undefined) return null;
  return [
    {
      originSelectionRange: rangeIn(view, path),
      targetUri: toDocumentUri(uri),
      targetRange: start,
      targetSelectionRange: start,
    },
  ];
}

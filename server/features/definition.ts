import type { DefinitionParams, Location, LocationLink } from 'vscode-languageserver';
import { nodeAt } from '../../grammar/index.ts';
import { toDocumentUri, toOffset, virtualScheme } from '../convert.ts';
import { importUri } from '../imports.ts';
import { locate, rangeIn, referenceAt, type ClientAbilities, type View } from '../view.ts';

const start = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** The place where a name is declared. For the path of an import, that file; for a built-in policy, its read-only document. */
export function definition(
  view: View,
  params: DefinitionParams,
  abilities: ClientAbilities,
): LocationLink[] | Location[] | null {
  const offset = toOffset(view.lines, params.position);
  const found = referenceAt(view, offset);
  const links = found === undefined ? importTarget(view, offset) : nameTarget(view, found);
  if (abilities.links || links === null) return links;
  return links.map((link) => ({ uri: link.targetUri, range: link.targetSelectionRange }));
}

function nameTarget(view: View, { place, symbol }: NonNullable<ReturnType<typeof referenceAt>>): LocationLink[] | null {
  const originSelectionRange = rangeIn(view, place);
  if (symbol.kind === 'policy')
    return [
      {
        originSelectionRange,
        targetUri: `${virtualScheme}/${symbol.name}.pipe`,
        targetRange: start,
        targetSelectionRange: start,
      },
    ];
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

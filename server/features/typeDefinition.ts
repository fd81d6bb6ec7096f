import type { Location, TypeDefinitionParams } from 'vscode-languageserver';
import type { Resolution, SymbolInfo, SymbolKind } from '../../engine/language/resolution.ts';
import type { Session } from '../session.ts';
import { readSteps } from '../names/fileNames.ts';
import { toDocumentUri, toOffset } from '../text/convert.ts';
import { locate, referenceAt, type View } from '../view.ts';

/** What a thing is made of, the most important first. */
const partsOf: Readonly<Partial<Record<SymbolKind, readonly SymbolKind[]>>> = {
  job: ['pipeline'],
  pipeline: ['model', 'cluster', 'schedule'],
  stage: ['layer'],
  cluster: ['device'],
};

/**
 * Declarations of what the name under the cursor is made of. A pipeline has a model, a cluster and a schedule, a cluster its devices, a
 * stage its layers. Of a layer it is the model. Pauses while it reads another file.
 */
export function* typeDefinition(
  view: View,
  params: TypeDefinitionParams,
  { address }: Pick<Session, 'address'>,
): Generator<void, Location[] | null, void> {
  const found = referenceAt(view, toOffset(view.lines, params.position))?.symbol;
  if (found === undefined) return null;
  const types = yield* typesOf(view, found);
  return types.flatMap(({ declaration }) => {
    const location = declaration === undefined ? undefined : locate(view, declaration);
    return location === undefined ? [] : [{ ...location, uri: address(toDocumentUri(declaration?.uri ?? '')) }];
  });
}

function* typesOf(view: View, { kind, container, extent }: SymbolInfo): Generator<void, readonly SymbolInfo[], void> {
  if (kind === 'layer') {
    const model = view.analysis.resolution.symbols.symbols.get(container ?? '');
    return model === undefined ? [] : [model];
  }
  const kinds = partsOf[kind];
  if (kinds === undefined || extent === undefined) return [];
  const { references, symbols } = yield* namesIn(view, extent.uri);
  const used = new Set(
    references
      .filter(({ place }) => extent.start <= place.start && place.end <= extent.end)
      .map(({ symbol }) => symbols.get(symbol)),
  );
  return kinds.flatMap((wanted) => [...used].flatMap((symbol) => (symbol?.kind === wanted ? [symbol] : [])));
}

/** The names that a file uses. */
function* namesIn(view: View, uri: string): Generator<void, Resolution['symbols'], void> {
  if (uri === view.uri) return view.analysis.resolution.symbols;
  const answer = view.files.read(uri);
  const text = view.files.linesOf(uri)?.text ?? ('text' in answer ? answer.text : '');
  return (yield* readSteps(uri, text, view.files, view.options, 'names')).symbols;
}

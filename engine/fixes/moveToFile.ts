/** Moves a declaration, with what it needs, into a new file, and imports what the file still uses. */
import type { Span } from '../../grammar/index.ts';
import type { BlockDeclaration, Declaration, ImportDeclaration, LetDeclaration } from '../../grammar/syntax.ts';
import type { Analysis } from '../flow/check.ts';
import type { SymbolInfo } from '../language/resolution.ts';
import { removed } from './inline.ts';
import { withImport } from './repairs/exports.ts';
import type { Rewriting } from './rewriting.ts';
import { lineBreak } from './source.ts';

export interface Move extends Rewriting {
  readonly kind: 'move';
  /** Of the same folder. */
  readonly file: { readonly name: string; readonly text: string };
}

const movable: readonly string[] = ['device', 'cluster', 'model', 'schedule'];

type Moved = BlockDeclaration | LetDeclaration;

/** Offered at the head of a device, cluster, model or schedule. `isTaken`: there is a file with this name. */
export function moves(analysis: Analysis, { start, end }: Span, isTaken: (name: string) => boolean): readonly Move[] {
  const { syntax } = analysis;
  const head = syntax.declarations.find(
    (each): each is BlockDeclaration =>
      each.kind === 'block' &&
      movable.includes(each.keyword.text) &&
      each.start <= start &&
      end <= (each.name?.end ?? 0),
  );
  const found = head === undefined ? undefined : needed(analysis, head);
  if (head?.name === undefined || found === undefined) return [];
  const all = syntax.declarations.filter((each): each is Moved => found.moved.has(each));
  const names = all.flatMap(({ name }) => name?.text ?? []);
  const file = freeFile(head.name.text, isTaken);
  if (file === undefined) return [];
  const used = all.filter((each) => isUsedOutside(analysis, each, found.moved)).flatMap(({ name }) => name?.text ?? []);
  const line = lineBreak(syntax.text);
  const gone = all.map((each) => removed(syntax.text, each));
  const text = [
    ...(found.imports.length === 0 ? [] : [found.imports.join(line)]),
    ...gone.map((span) => syntax.text.slice(span.start, span.end).trim()),
  ];
  const written =
    used.length === 0 ? undefined : withImport(syntax, { name: used.join(', '), kind: 'let', path: file });
  const others = names.length === 1 ? '' : ` with ${names.filter((name) => name !== head.name?.text).join(', ')}`;
  return [
    {
      title: `Move "${head.name.text}"${others} to ${file}`,
      kind: 'move',
      names: all.flatMap(({ name }) => name?.start ?? []),
      edits: [...(written === undefined ? [] : [written]), ...gone],
      file: { name: file, text: `${text.join(line + line)}${line}` },
    },
  ];
}

/** Undefined if all are taken, as in a folder that may not be read. */
const freeFile = (name: string, isTaken: (name: string) => boolean): string | undefined =>
  [`${name}.pipe`, ...[2, 3, 4, 5].map((number) => `${name}_${number}.pipe`)].find((file) => !isTaken(file));

/**
 * The declaration with all of the file that it names, and imports of what it names in others. Undefined if one of them has to stay:
 * a `param` has its slider in this file, and an import with settings gives other values elsewhere.
 */
function needed(
  analysis: Analysis,
  head: BlockDeclaration,
): { readonly moved: ReadonlySet<Declaration>; readonly imports: readonly string[] } | undefined {
  const { syntax, uri } = analysis;
  const moved = new Set<Declaration>([head]);
  const imports = new Map<string, Set<string>>();
  for (const declaration of moved)
    for (const symbol of namedIn(analysis, declaration)) {
      const { declaration: place, name } = symbol;
      if (place === undefined || symbol.container !== undefined) continue;
      if (place.uri === uri) {
        const own = syntax.declarations.find((each) => each.start <= place.start && place.end <= each.end);
        if (own === undefined || (own.kind !== 'block' && own.kind !== 'let')) return undefined;
        moved.add(own);
        continue;
      }
      const from = syntax.declarations.find((each) => importsIt(each, name));
      if (from?.kind !== 'import' || from.path === undefined || from.settings !== undefined) return undefined;
      const { value } = from.path;
      imports.set(value, (imports.get(value) ?? new Set()).add(name));
    }
  const lines = [...imports].map(([path, names]) => `import { ${[...names].join(', ')} } from ${JSON.stringify(path)}`);
  return { moved, imports: lines };
}

const importsIt = (declaration: Declaration, name: string): declaration is ImportDeclaration =>
  declaration.kind === 'import' && declaration.names?.some(({ text }) => text === name) === true;

/** What names in a declaration mean. */
const namedIn = ({ uri, resolution }: Analysis, { start, end }: Span): readonly SymbolInfo[] =>
  resolution.symbols.references.flatMap(({ place, symbol }) =>
    place.uri === uri && start <= place.start && place.end <= end ? (resolution.symbols.symbols.get(symbol) ?? []) : [],
  );

function isUsedOutside({ uri, resolution }: Analysis, declaration: Moved, moved: ReadonlySet<Declaration>): boolean {
  const { references, symbols } = resolution.symbols;
  return references.some(
    ({ place, symbol }) =>
      place.uri === uri &&
      symbols.get(symbol)?.declaration?.start === declaration.name?.start &&
      symbols.get(symbol)?.declaration?.uri === uri &&
      ![...moved].some(({ start, end }) => start <= place.start && place.end <= end),
  );
}

/** Reads the files that a file imports, directly or not, each once. */
import { parse } from '../../grammar/parse.ts';
import type { Block, ImportDeclaration, SyntaxFile } from '../../grammar/syntax.ts';
import type { EngineHost, EngineOptions } from '../basics/host.ts';
import { orderByNeed } from '../basics/ordering.ts';
import { standardText } from '../std/index.ts';

export interface SourceFile {
  readonly uri: string;
  readonly syntax: SyntaxFile;
  readonly imports: readonly FileImport[];
  /** Params that the import of this file sets anew, and the file that has the import. Imports with other values read the file apart. */
  readonly settings?: { readonly by: number; readonly block: Block };
}

export interface FileImport {
  readonly declaration: ImportDeclaration;
  readonly path: string;
  readonly uri: string;
  /** Index in `files`, where it could be read. */
  readonly file?: number;
  readonly problem?: { readonly code: 'not-found' | 'outside' | 'unreadable'; readonly detail: string };
  /** What it asks for is over a limit. */
  readonly tooMany?: boolean;
}

export interface SourceGraph {
  /** The file itself is the first. */
  readonly files: readonly SourceFile[];
  /** Needed first; the file itself is the last. */
  readonly order: readonly number[];
  /** For `from → to` (file indices, as text) the uris of the circle that this import closes or is part of. */
  readonly circles: ReadonlyMap<string, readonly string[]>;
  /** Every uri that was asked for. */
  readonly uris: readonly string[];
}

/** Trees of files that were imported before, by text: an imported file changes far less often than the importing one. */
const parsed = new Map<string, SyntaxFile>();
const mostParsed = 64;

function parseOnce(text: string, options: EngineOptions): SyntaxFile {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const tree = parse(text, { size: options.limits.fileSize, faults: options.limits.findings });
  if (text.length > options.limits.fileSize) return tree;
  if (parsed.size >= mostParsed) parsed.delete(parsed.keys().next().value ?? '');
  parsed.set(text, tree);
  return tree;
}

/**
 * Reads breadth first. At most `limits.elements` files and ten times `limits.fileSize` characters are read in all;
 * imports over that carry `tooMany`. Each file is a step.
 */
export function* readGraph(
  uri: string,
  syntax: SyntaxFile,
  host: EngineHost,
  options: EngineOptions,
): Generator<void, SourceGraph> {
  const files: (Omit<SourceFile, 'imports'> & { imports: FileImport[] })[] = [{ uri, syntax, imports: [] }];
  const known = new Map<string, number | FileImport['problem']>([[uri, 0]]);
  const uris = new Set<string>();
  let characters = syntax.text.length;
  for (let at = 0; at < files.length; at += 1) {
    const importer = files[at];
    for (const declaration of importer.syntax.declarations) {
      if (declaration.kind !== 'import' || declaration.path === undefined) continue;
      const path = declaration.path.value;
      if (path === '') {
        importer.imports.push({ declaration, path, uri: importer.uri, problem: { code: 'not-found', detail: '' } });
        continue;
      }
      const target = path.startsWith('std:') ? path : resolvePath(path, importer.uri, host);
      if (!path.startsWith('std:')) uris.add(target);
      const { settings } = declaration;
      const key = `${target}${settings === undefined ? '' : settingsKey(importer.syntax, settings)}`;
      if (!known.has(key)) {
        if (files.length >= options.limits.elements || characters > 10 * options.limits.fileSize) {
          importer.imports.push({ declaration, path, uri: target, tooMany: true });
          continue;
        }
        const found = readOne(path, target, host);
        if ('text' in found) {
          characters += found.text.length;
          known.set(key, files.length);
          files.push({
            uri: target,
            syntax: parseOnce(found.text, options),
            imports: [],
            ...(settings === undefined ? {} : { settings: { by: at, block: settings } }),
          });
          yield;
        } else known.set(key, found);
      }
      const result = known.get(key);
      importer.imports.push(
        typeof result === 'number'
          ? { declaration, path, uri: target, file: result }
          : { declaration, path, uri: target, problem: result },
      );
    }
  }
  const { order, circles } = orderByNeed(files.length, (node) =>
    files[node].imports.flatMap((imported) => imported.file ?? []),
  );
  const byEdge = new Map<string, readonly string[]>();
  for (const circle of circles) {
    circle.forEach((from, index) => {
      const edge = `${from} ${circle[(index + 1) % circle.length]}`;
      if (!byEdge.has(edge))
        byEdge.set(
          edge,
          [...circle.slice(index), ...circle.slice(0, index)].map((at) => files[at].uri),
        );
    });
  }
  return { files, order: order.filter((value) => value !== 0).concat(0), circles: byEdge, uris: [...uris] };
}

/** Settings of equal text, spaces aside, give one file: values use no names, so they mean the same everywhere. */
const settingsKey = ({ tokens }: SyntaxFile, { first, last }: Block): string =>
  tokens
    .slice(first, last + 1)
    .map(({ text }) => ` ${text}`)
    .join('');

/** A path that the host cannot make a uri of names no file; it is kept as it is. */
export function resolvePath(path: string, from: string, host: EngineHost): string {
  try {
    return host.resolve(path, from);
  } catch {
    return path;
  }
}

/** Text at a uri that `resolvePath` gave, or why there is none. Never throws. */
export function readOne(
  path: string,
  uri: string,
  host: EngineHost,
): { readonly text: string } | NonNullable<FileImport['problem']> {
  if (path.startsWith('std:')) {
    const text = standardText(path);
    return text === undefined ? { code: 'not-found', detail: '' } : { text };
  }
  try {
    const found = host.read(uri);
    if ('text' in found) return found;
    const { problem, detail } = found;
    return { code: problem, detail: detail ?? (problem === 'outside' ? '' : 'the file cannot be opened') };
  } catch (error) {
    return { code: 'unreadable', detail: error instanceof Error ? error.message : 'the file cannot be opened' };
  }
}

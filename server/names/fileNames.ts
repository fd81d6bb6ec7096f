/** The names that files use, kept for as long as everything that says what they mean is the same. */
import { resolveSteps } from '../../engine/flow/resolve.ts';
import type { EngineHost, EngineOptions } from '../../engine/basics/host.ts';
import { noSearches } from '../../engine/basics/searches.ts';
import type { Depth } from '../../engine/flow/resolve.ts';
import type { Place } from '../../engine/values/plan.ts';
import type { Resolution, SymbolInfo } from '../../engine/language/resolution.ts';
import { toEnd } from '../../engine/basics/steps.ts';
import { parse } from '../../grammar/index.ts';
import { type Asked, isStill, recording } from './asked.ts';

/** Uses of each declared name in a file, in order of position; by `declarationKey`. */
export type FileNames = ReadonlyMap<string, readonly Place[]>;

export interface NameIndex {
  /** The names of a file whose text is this. Pauses while it reads them. */
  of(uri: string, text: string, files: EngineHost, options: EngineOptions): Generator<void, FileNames, void>;
  /** Forgets all other files. */
  keep(uris: ReadonlySet<string>): void;
}

interface Known {
  readonly text: string;
  readonly options: EngineOptions;
  readonly asked: Asked;
  readonly names: FileNames;
}

/** `read`: the names of a text, as the engine finds them. */
export function createNameIndex(read: typeof readSteps = readSteps): NameIndex {
  const known = new Map<string, Known>();
  return {
    *of(uri, text, files, options) {
      const before = known.get(uri);
      if (before?.text === text && before.options === options && isStill(before.asked, files)) return before.names;
      const { host, asked } = recording(files);
      const names = usesByDeclaration(yield* read(uri, text, host, options, 'names'));
      known.set(uri, { text, options, asked, names });
      return names;
    },
    keep(uris) {
      for (const uri of known.keys()) if (!uris.has(uri)) known.delete(uri);
    },
  };
}

/** Files number their symbols each for itself. The place of a declaration is what they have in common. */
function usesByDeclaration({ symbols: { symbols, references } }: Resolution): FileNames {
  const uses = new Map<string, Place[]>();
  for (const { place, symbol } of references) {
    const info = symbols.get(symbol);
    const declared = info === undefined ? undefined : firstDeclared(info);
    if (declared === undefined) continue;
    const key = declarationKey(declared);
    const places = uses.get(key);
    if (places === undefined) uses.set(key, [place]);
    else places.push(place);
  }
  return uses;
}

export const declarationKey = ({ uri, start }: Place): string => `${start} ${uri}`;

/** A name of a schedule that replaces one of its base is the same name. */
export const firstDeclared = ({ replaces, declaration }: SymbolInfo): Place | undefined => replaces ?? declaration;

/** What a text means, without planning or simulating. Pauses between its declarations. */
export function* readSteps(
  uri: string,
  text: string,
  host: EngineHost,
  options: EngineOptions,
  depth: Depth,
): Generator<void, Resolution, void> {
  const syntax = parse(text, { size: options.limits.fileSize, faults: options.limits.findings });
  yield;
  return yield* resolveSteps({ uri, syntax, host, options, searches: noSearches, depth });
}

/** What the blocks of a text say, at once. */
export const definitionsOf = (uri: string, text: string, host: EngineHost, options: EngineOptions): Resolution =>
  toEnd(readSteps(uri, text, host, options, 'definitions'));

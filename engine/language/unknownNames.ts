/** Reports names that mean nothing where they are written, with what was probably meant. */
import { spellingHint } from '../findings/reporter.ts';
import type { Name } from '../../grammar/syntax.ts';
import { list } from '../basics/quantities.ts';
import { onlyBegun } from '../basics/spelling.ts';
import { linksLike } from '../std/linksLike.ts';
import type { FileContext } from './context.ts';
import { findFunction } from './functions.ts';
import { standardNames } from './exported.ts';
import type { FunctionContext } from './kinds.ts';
import type { SymbolKind } from './resolution.ts';
import { wordMeant } from './otherNames.ts';

/** Reports a name that means nothing here. */
export function unknown(
  context: FileContext,
  name: Name,
  kind: string,
  candidates: Iterable<string>,
  where?: string,
  /** All words that are allowed there, where they are few. */
  words?: readonly string[],
): void {
  const near = () =>
    wordMeant(name.text, words ?? []) ??
    context.report.nearest(name.text, candidates) ??
    onlyBegun(name.text, words ?? []);
  reportUnknown(context, name, kind, { near, where, words });
}

/** Reports a name that must be a declaration, which may be one to import. */
export function unknownDeclaration(
  context: FileContext,
  name: Name,
  kind: SymbolKind,
  declared: readonly string[],
): void {
  const standard = standardNames().filter((exported) => exported.kind === kind);
  const pathOf = (wanted: string): string | undefined => standard.find((exported) => exported.name === wanted)?.path;
  const path = pathOf(name.text);
  if (path !== undefined)
    return reportUnknown(context, name, kind, { near: () => undefined, advice: `Import it from "${path}".` });
  const all = new Set([...declared, ...standard.map((exported) => exported.name)]);
  reportUnknown(context, name, kind, {
    near: () => context.report.nearest(name.text, all),
    from: (nearest) => (declared.includes(nearest) ? undefined : pathOf(nearest)),
  });
}

/** Words that a message lists. */
export const mostListed = 12;

/** A function as a message lists it: with "(…)" where it needs arguments. */
export const shownCall = (where: FunctionContext, name: string): string =>
  findFunction(where, name)?.parameters.every(({ optional }) => optional) === true ? name : `${name}(…)`;

/** What the name of an `expect` block may be. */
export const pipelineOrSchedule = 'pipeline or schedule';

export interface Elsewhere {
  readonly key: string;
  readonly noun: string;
}

interface Unknown {
  /** The left side of the entry that makes the name known. */
  readonly write?: string | undefined;
  /** The name that was probably meant; called only if the name is reported. */
  readonly near: () => string | undefined;
  /** The file that it has to be imported from, if it has to. */
  readonly from?: (nearest: string) => string | undefined;
  readonly where?: string | undefined;
  readonly words?: readonly string[] | undefined;
  readonly elsewhere?: Elsewhere;
  /** What to write instead. */
  readonly advice?: string;
  /** Values to try, the most likely first, where the message lists all words. */
  readonly suggestions?: readonly string[];
}

export function reportUnknown(
  context: FileContext,
  name: Name,
  kind: string,
  { near, from: fileOf, where, words, write, elsewhere, advice, suggestions = [] }: Unknown,
): void {
  if (name.end <= name.start) return;
  const mayBeImported = ['name', 'device', 'cluster', 'model', 'pipeline', 'policy', pipelineOrSchedule].includes(kind);
  if (mayBeImported && (context.incomplete || context.broken.has(name.text))) {
    context.doubts.push(name);
    return;
  }
  const nearest = write === undefined ? near() : undefined;
  const from = nearest === undefined ? undefined : fileOf?.(nearest);
  const links = kind === 'name' && nearest === undefined && write === undefined ? linksLike(name.text) : [];
  const ofLinks =
    links.length === 0
      ? undefined
      : `Links to import from "std:hardware": ${list(links.map((link) => `\`${link}\``))}.`;
  context.report.report(
    'name/unknown',
    name,
    { kind, name: name.text, nearest, from, where, words, write, elsewhere, advice: advice ?? ofLinks },
    {
      hint:
        suggestions.length > 0
          ? { kind: 'spelling', suggestions }
          : from === undefined
            ? spellingHint(nearest)
            : undefined,
    },
  );
}

/**
 * Open documents, and what the server knows about each. Checking runs off the request path, in slices. Between two slices the
 * server reads its input and other documents have their turn. A check whose text is no longer the newest is dropped. Plans and
 * simulations that take long are found in threads; until they arrive, a document is known in part.
 */
import type { CancellationToken } from 'vscode-languageserver';
import type { Finding } from '../../engine/findings/finding.ts';
import type { Searches } from '../../engine/basics/searches.ts';
import { normal } from '../text/uris.ts';
import type { SyntaxView, View } from '../view.ts';
import { answered, inSlices } from './answered.ts';
import { createChecks } from './checks.ts';
import { createExtend } from './extend.ts';
import { type DocumentsHost, usualClock } from './host.ts';
import type { Need } from './need.ts';
import { changed, knownView, openedDocument, type OpenDocument, syntaxOf, wake } from './openDocument.ts';
import { createTurns, type Turns } from './turns.ts';

export interface Documents {
  /** Opens a document or gives its newest text. Documents that import it are checked again. */
  set(uri: string, version: number, text: string): void;
  close(uri: string): void;
  /** The newest text of an open document. */
  text(uri: string): string | undefined;
  /** Its number; undefined for a file that is not open. */
  version(uri: string): number | undefined;
  uris(): readonly string[];
  /** Counts what changed in and around the text. Undefined for a document that is not open. */
  revision(uri: string): number | undefined;
  /** Whether the check of the newest text is complete. */
  isChecked(uri: string): boolean;
  /** Other open documents that import the file, as far as their last check knows. */
  usersOf(uri: string): readonly string[];
  /** Counts what changed around the text: imported files, settings. Undefined for a document that is not open. */
  surroundings(uri: string): number | undefined;
  /** Checks again: these documents, or all. Their texts are what they were; something around them is not. */
  recheck(uris?: readonly string[]): void;
  /**
   * The view of a check with these findings instead: its own, some of which may say more by now, and what was found after it. Undefined
   * where the view is not the newest, where they are the findings of the check, or where there is no room.
   */
  extend(view: View, findings: readonly Finding[]): View | undefined;
  /** Checks again the documents that import any of these files. */
  filesChanged(uris: readonly string[]): void;
  /** The newest text's tree, at once. */
  syntax(uri: string): SyntaxView | undefined;
  /** What is needed of the newest text; undefined once closed or cancelled, or where checking failed. */
  view(uri: string, need: Need, token: CancellationToken): Promise<View | undefined>;
  /** What `work` returns when everything that it asks is answered: it runs again when answers have come. Undefined once cancelled. */
  answered<R>(uri: string, work: (searches: Searches) => R, token: CancellationToken): Promise<R | undefined>;
  /** The same for work in steps: other requests come between them. Undefined also once the text has changed. */
  answeredInSteps<R>(
    uri: string,
    work: (searches: Searches) => Generator<unknown, R, void>,
    token: CancellationToken,
  ): Promise<R | undefined>;
}

/** Edits that follow each other within this many milliseconds are a burst. Its last text is checked after a pause. */
export const burst = 50;
const pause = 10;

export function createDocuments(host: DocumentsHost): Documents {
  const clock = host.clock ?? usualClock;
  const documents = new Map<string, OpenDocument>();
  const turns: Turns = createTurns(host.ready, clock, (document) => advance(document));
  const advance = createChecks(host, clock, turns);
  const extend = createExtend();

  /** Checks again: what is known is out of date. */
  function request(document: OpenDocument, first: boolean): void {
    document.revision += 1;
    if (!first) document.surroundings += 1;
    turns.add(document, first);
  }

  /** Documents that read any of these files, or files in them. */
  function readersOf(uris: readonly string[]): readonly OpenDocument[] {
    const files = new Set(uris.map(normal));
    /** A folder of traces is named as a whole. */
    const holds = (folder: string): boolean =>
      uris.some((uri) => normal(uri).startsWith(`${folder.replace(/\/$/, '')}/`));
    return [...documents.values()].filter((document) => {
      const imports = document.earlier?.resolution.imports ?? [];
      return imports.some((uri) => uri !== document.uri && (files.has(normal(uri)) || holds(normal(uri))));
    });
  }

  function filesChanged(uris: readonly string[]): void {
    for (const document of readersOf(uris)) request(document, false);
  }

  return {
    set(uri, version, text) {
      const now = clock.now();
      const document = documents.get(uri) ?? openedDocument(uri, version, text);
      documents.set(uri, document);
      document.notBefore = now - document.setAt < burst ? now + pause : 0;
      document.text = text;
      document.version = version;
      document.edited = true;
      document.syntax = undefined;
      document.setAt = now;
      document.askedAt = now;
      request(document, true);
      filesChanged([uri]);
    },
    close(uri) {
      const document = documents.get(uri);
      if (document === undefined) return;
      documents.delete(uri);
      document.revision += 1;
      turns.remove(document);
      host.answers.release(uri);
      wake(document);
      host.closed(uri);
      filesChanged([uri]);
    },
    text: (uri) => documents.get(uri)?.text,
    version: (uri) => documents.get(uri)?.version,
    uris: () => [...documents.keys()],
    revision: (uri) => documents.get(uri)?.revision,
    isChecked(uri) {
      const document = documents.get(uri);
      return document !== undefined && document.done === document.revision;
    },
    usersOf: (uri) => readersOf([uri]).map((document) => document.uri),
    surroundings: (uri) => documents.get(uri)?.surroundings,
    recheck(uris = [...documents.keys()]) {
      for (const uri of uris) {
        const document = documents.get(uri);
        if (document === undefined) continue;
        document.syntax = undefined;
        request(document, false);
      }
    },
    extend: (view, findings) => extend(documents.get(view.uri), view, findings),
    filesChanged,
    syntax(uri) {
      const document = documents.get(uri);
      return document === undefined ? undefined : syntaxOf(document, host);
    },
    async view(uri, need, token) {
      for (;;) {
        const document = documents.get(uri);
        if (document === undefined || token.isCancellationRequested) return undefined;
        document.askedAt = clock.now();
        const known = knownView(document, need);
        if (known !== undefined) return known.view;
        await changed(document, token);
      }
    },
    answered: (uri, work, token) =>
      answered(host.answers, uri, (searches) => Promise.resolve({ value: work(searches) }), token),
    answeredInSteps(uri, work, token) {
      const revision = documents.get(uri)?.revision;
      const isStale = () => token.isCancellationRequested || documents.get(uri)?.revision !== revision;
      return answered(host.answers, uri, (searches) => inSlices(work(searches), isStale), token);
    },
  };
}

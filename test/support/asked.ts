/** Files with marks that are open in the real server, and its answers at their cursor. */
import type { CompletionList, Hover, MarkupContent, Position } from 'vscode-languageserver';
import { folder } from './host.ts';
import { cursorOf, type Marked, marks } from './marks.ts';
import { type Client, type ClientOptions, main, positionAt, withClient } from './server.ts';

export interface Opened extends Marked {
  readonly client: Client;
  /** Texts of all files, by address. */
  readonly texts: ReadonlyMap<string, string>;
  /** The position of `$0`; throws if there is none. */
  cursor(): Position;
  /** The answer to a request at `$0`. */
  ask<Answer>(method: string, more?: object): Promise<Answer>;
}

function openedIn(client: Client, source: string, uri: string): Opened {
  const marked = marks(source);
  const texts = new Map([[uri, marked.text]]);
  for (const [name, text] of Object.entries(marked.files)) texts.set(folder + name, text);
  for (const [address, text] of texts) client.open(address, text);
  const cursor = () => positionAt(marked.text, cursorOf(marked));
  return {
    ...marked,
    client,
    texts,
    cursor,
    ask: (method, more = {}) => client.request(method, { textDocument: { uri }, position: cursor(), ...more }),
  };
}

/** Opens a text with marks, and its other files, in a server of its own. */
export const serverWith = <Result>(
  source: string,
  work: (opened: Opened) => Promise<Result>,
  options?: ClientOptions,
): Promise<Result> => withClient((client) => work(openedIn(client, source, main)), options);

/** The answer at `$0` in a server that is there already; the files are closed again. */
export async function askIn<Answer>(
  client: Client,
  source: string,
  method: string,
  more?: object,
  uri = main,
): Promise<Answer> {
  const { ask, texts } = openedIn(client, source, uri);
  const answer = await ask<Answer>(method, more);
  for (const address of texts.keys()) client.close(address);
  return answer;
}

/** The answer at `$0` in a server of its own. */
export const ask = <Answer>(source: string, method: string, more?: object): Promise<Answer> =>
  serverWith(source, (opened) => opened.ask<Answer>(method, more));

/** What completion asks with when the user asks for it. */
export const invoked = { context: { triggerKind: 1 } };

export const shownBy = (hover: Hover | null): string => (hover?.contents as MarkupContent | undefined)?.value ?? '';
export const labelsOf = (list: CompletionList | null): readonly string[] =>
  (list?.items ?? []).map(({ label }) => label);

/** The hover at `$0`, empty if there is none. */
export const hoverAt = async (source: string): Promise<string> =>
  shownBy(await ask<Hover | null>(source, 'textDocument/hover'));

/** What completion offers at `$0`. */
export const labelsAt = async (source: string): Promise<readonly string[]> =>
  labelsOf(await ask<CompletionList | null>(source, 'textDocument/completion', invoked));

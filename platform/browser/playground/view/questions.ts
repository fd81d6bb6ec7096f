/** Asks the server about the text in the editor. */
import type { EditorView } from '@codemirror/view';
import type { Requests } from '../../../../client/languageClient.ts';
import type { Texts } from '../texts.ts';
import type { Action, Asks } from './asks.ts';
import { spanOf } from './places.ts';

export interface QuestionHost {
  readonly server: Requests;
  readonly texts: Texts;
  /** Uri of the text in the editor. */
  uri(): string;
  view(): EditorView;
  say(message: string): void;
}

export function createAsks({ server, texts, uri, view, say }: QuestionHost): Asks {
  /** Changes are for the text that they were offered for. */
  const versions = new WeakMap<Action, number | undefined>();
  const version = (): number | undefined => texts.get(uri())?.version;
  const of = <T>(method: string, more: object = {}): Promise<T | undefined> =>
    server.send<T>(method, { textDocument: { uri: uri() }, ...more });
  return {
    of,
    at: (method, position, more = {}) => of(method, { position, ...more }),
    async fixes(finding) {
      const now = version();
      const context = { diagnostics: [finding], only: ['quickfix'] };
      const found =
        (await of<readonly Action[] | null>('textDocument/codeAction', { range: finding.range, context })) ?? [];
      const offered = found.filter(({ edit, data }) => edit !== undefined || data !== undefined);
      for (const action of offered) versions.set(action, now);
      return offered;
    },
    async make(action) {
      const whole = action.edit === undefined ? await server.send<Action>('codeAction/resolve', action) : action;
      const { changes = {}, documentChanges = [] } = whole?.edit ?? {};
      const edits = [
        ...(changes[uri()] ?? []),
        ...documentChanges.filter(({ textDocument }) => textDocument.uri === uri()).flatMap((each) => each.edits),
      ];
      if (edits.length === 0 || versions.get(action) !== version())
        return say('Nothing was changed: the text is not what it was.');
      const { doc } = view().state;
      view().dispatch({
        changes: edits.map(({ range, newText }) => ({ ...spanOf(doc, range), insert: newText })),
        userEvent: 'input',
      });
    },
  };
}

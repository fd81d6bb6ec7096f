/** Completion and signatures by the server. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippet,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { type EditorView, showTooltip, type Tooltip, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { StateEffect, StateField } from '@codemirror/state';
import type { TextEdit } from '../../../../webview/protocol/requests.ts';
import type { Asks } from './asks.ts';
import { markdown } from './markdown.ts';
import { offsetOf, positionOf, spanOf } from './places.ts';

interface Item {
  readonly label: string;
  readonly labelDetails?: { readonly detail?: string; readonly description?: string };
  readonly detail?: string;
  readonly documentation?: string | { readonly value: string };
  readonly kind?: number;
  readonly sortText?: string;
  readonly filterText?: string;
  readonly insertText?: string;
  readonly insertTextFormat?: number;
  readonly textEdit?:
    TextEdit | { readonly newText: string; readonly insert: TextEdit['range']; readonly replace: TextEdit['range'] };
  readonly additionalTextEdits?: readonly TextEdit[];
  readonly preselect?: boolean;
}
type Answer = readonly Item[] | { readonly items: readonly Item[]; readonly isIncomplete?: boolean } | null;

const isSnippet = 2;
/** Signs of the protocol's kinds. */
const kinds: Readonly<Record<number, string>> = {
  3: 'function',
  5: 'property',
  6: 'variable',
  9: 'namespace',
  10: 'property',
  11: 'constant',
  12: 'constant',
  13: 'enum',
  14: 'keyword',
  15: 'text',
  17: 'text',
  20: 'enum',
  21: 'constant',
  22: 'class',
};

export const completion = (asks: Asks): Extension => [
  autocompletion({ override: [(context) => offers(asks, context)], icons: true, maxRenderedOptions: 60 }),
];

async function offers(asks: Asks, context: CompletionContext): Promise<CompletionResult | null> {
  const { state, pos, explicit } = context;
  const word = context.matchBefore(/[\w%µμ]+/);
  const before = state.sliceDoc(Math.max(0, pos - 1), pos);
  if (!explicit && word === null && !/["=,(<>{[:/ ]/.test(before)) return null;
  if (
    !explicit &&
    before === ' ' &&
    !/[=<>,:]\s$|\b(?:from|import|schedule)\s$/.test(state.sliceDoc(Math.max(0, pos - 40), pos))
  )
    return null;
  const answer = await asks.at<Answer>('textDocument/completion', positionOf(state.doc, pos), {
    context: {
      triggerKind: explicit || word !== null ? 1 : 2,
      ...(word === null && !explicit ? { triggerCharacter: before } : {}),
    },
  });
  const items = answer === undefined || answer === null ? [] : 'items' in answer ? answer.items : answer;
  if (items.length === 0 || context.aborted) return null;
  const ranges = items.flatMap((item) => (item.textEdit === undefined ? [] : [rangeOf(item.textEdit)]));
  const from = Math.min(word?.from ?? pos, ...ranges.map(({ start }) => offsetOf(state.doc, start)));
  const sorted = items.toSorted((a, b) => order(a).localeCompare(order(b), 'en'));
  return {
    from,
    options: sorted.map((item, index) => offer(item, index)),
    validFor: /^[\w%µμ]*$/,
  };
}

const order = ({ sortText, label }: Item): string => sortText ?? label;
const rangeOf = (edit: NonNullable<Item['textEdit']>): TextEdit['range'] =>
  'range' in edit ? edit.range : edit.replace;

function offer(item: Item, index: number): Completion {
  const { label, labelDetails, detail, documentation, kind = 0 } = item;
  const words = typeof documentation === 'string' ? documentation : documentation?.value;
  return {
    label: item.filterText ?? label,
    displayLabel: label,
    detail: labelDetails?.description ?? labelDetails?.detail ?? detail,
    type: kinds[kind],
    // The server has put them in order: by use.
    boost: item.preselect === true ? 99 : 98 - Math.min(190, index),
    ...(words === undefined
      ? {}
      : {
          info: () => {
            const box = document.createElement('div');
            box.className = 'words';
            box.append(markdown(words));
            return box;
          },
        }),
    apply: (view, _completion, from, to) => apply(view, item, from, to),
  };
}

function apply(view: EditorView, item: Item, from: number, to: number): void {
  const { textEdit, insertText, label, insertTextFormat, additionalTextEdits = [] } = item;
  const text = textEdit?.newText ?? insertText ?? label;
  const more = additionalTextEdits.map(({ range, newText }) => ({ ...spanOf(view.state.doc, range), insert: newText }));
  if (insertTextFormat === isSnippet) snippet(snippetText(text))(view, null, from, to);
  else view.dispatch({ changes: { from, to, insert: text }, selection: { anchor: from + text.length } });
  // Additional edits lie before the place: what was inserted there moves them not.
  if (more.length > 0) view.dispatch({ changes: more });
}

/** Places of the protocol's snippets as the editor writes them: `$1`, `${1:text}`, `${1|a,b|}`. */
const snippetText = (text: string): string =>
  text
    .replaceAll(/\$\{(\d+)\|([^,|]*)[^|]*\|\}/g, '${$1:$2}')
    .replaceAll(/\$(\d+)/g, '${$1}')
    .replaceAll('\\$', '$');

interface Signatures {
  readonly signatures: readonly {
    readonly label: string;
    readonly documentation?: string | { readonly value: string };
    readonly parameters?: readonly { readonly label: string | readonly [number, number] }[];
    readonly activeParameter?: number;
  }[];
  readonly activeSignature?: number;
  readonly activeParameter?: number;
}

const setSignature = StateEffect.define<Tooltip | null>();
const signatureField = StateField.define<Tooltip | null>({
  create: () => null,
  update(shown, transaction) {
    for (const effect of transaction.effects) if (effect.is(setSignature)) return effect.value;
    return shown;
  },
  provide: (field) => showTooltip.from(field),
});

/** The arguments of the call at the caret, while they are typed. */
export const signature = (asks: Asks): Extension => [
  signatureField,
  ViewPlugin.define((view) => ({
    update({ docChanged, selectionSet, state }: ViewUpdate) {
      if (!docChanged && !(selectionSet && state.field(signatureField) !== null)) return;
      const { head } = state.selection.main;
      const line = state.doc.lineAt(head);
      const inCall = /\([^()]*$/.test(line.text.slice(0, head - line.from));
      void (inCall ? signatureAt(asks, view, head) : Promise.resolve(null)).then((tooltip) => {
        if (view.state.selection.main.head !== head || view.state.field(signatureField) === tooltip) return;
        view.dispatch({ effects: setSignature.of(tooltip) });
      });
    },
  })),
];

async function signatureAt(asks: Asks, view: EditorView, pos: number): Promise<Tooltip | null> {
  const answer = await asks.at<Signatures | null>('textDocument/signatureHelp', positionOf(view.state.doc, pos));
  const chosen = answer?.signatures[answer.activeSignature ?? 0];
  if (answer === undefined || answer === null || chosen === undefined) return null;
  const { label, parameters = [] } = chosen;
  const active = parameters[chosen.activeParameter ?? answer.activeParameter ?? 0]?.label;
  const [from, to] =
    typeof active === 'string' ? [label.indexOf(active), label.indexOf(active) + active.length] : (active ?? [0, 0]);
  return {
    pos,
    above: true,
    create: () => {
      const dom = document.createElement('div');
      dom.className = 'signature';
      const strong = document.createElement('strong');
      strong.append(label.slice(from, to));
      dom.append(label.slice(0, from), strong, label.slice(to));
      return { dom };
    },
  };
}

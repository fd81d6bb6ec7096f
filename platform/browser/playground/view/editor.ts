/** The editor of the text. It lives in a shadow tree, where its styles need no exception from the policy of the page. */
import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentUnit } from '@codemirror/language';
import { lintKeymap } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import type { Asks } from './asks.ts';
import { colours, pipeLanguage } from './colours.ts';
import { completion, signature } from './completion.ts';
import { findingMarks } from './findings.ts';
import { hover } from './hover.ts';

export interface EditorHost {
  readonly asks: Asks;
  changed(text: string): void;
  /** By the reader or by the page. */
  moved(): void;
  format(): void;
  share(): void;
}

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--vscode-editor-foreground)', backgroundColor: 'var(--vscode-editor-background)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: '13px', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--vscode-editor-foreground)' },
  '.cm-cursor': { borderLeftColor: 'var(--vscode-editor-foreground)' },
  '.cm-gutters': { color: 'var(--code-gutter)', backgroundColor: 'var(--vscode-editor-background)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--code-line)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--code-selection)',
  },
  '.cm-tooltip': {
    color: 'var(--vscode-editor-foreground)',
    backgroundColor: 'var(--vscode-editorWidget-background)',
    border: '1px solid var(--vscode-widget-border)',
    maxWidth: 'min(560px, 92vw)',
    maxHeight: '60vh',
    overflow: 'auto',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxWidth: '80vw' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--vscode-button-foreground)',
    backgroundColor: 'var(--vscode-button-background)',
  },
  '.cm-completionDetail': { opacity: '0.8', fontStyle: 'normal' },
  '.cm-diagnostic': { padding: '4px 8px', borderLeftWidth: '3px' },
  '.cm-matchingBracket': { outline: '1px solid var(--code-gutter)', backgroundColor: 'transparent !important' },
  '.words': { padding: '4px 10px', fontFamily: 'var(--vscode-font-family)', fontSize: '12.5px', lineHeight: '1.45' },
  '.words pre, .words code': { fontFamily: 'var(--mono)', fontSize: '12px' },
  '.words pre': { whiteSpace: 'pre-wrap', margin: '4px 0' },
  '.words p': { margin: '5px 0' },
  '.words h4': { margin: '6px 0 2px' },
  '.words ul': { margin: '4px 0', paddingLeft: '18px' },
  '.words th, .words td': { textAlign: 'left', padding: '1px 10px 1px 0', verticalAlign: 'top' },
  '.words img': { maxWidth: '100%' },
  '.signature': { padding: '3px 8px', fontFamily: 'var(--mono)', fontSize: '12px' },
  '.fixes': { display: 'flex', flexDirection: 'column', alignItems: 'flex-start', gap: '3px', marginTop: '4px' },
  '.fix': {
    font: 'inherit',
    fontSize: '12px',
    textAlign: 'left',
    cursor: 'pointer',
    padding: '2px 8px',
    border: 'none',
    borderRadius: '2px',
    color: 'var(--vscode-button-foreground)',
    backgroundColor: 'var(--vscode-button-background)',
  },
});

export function createEditor(place: HTMLElement, host: EditorHost): EditorView {
  const root = place.attachShadow({ mode: 'open' });
  const key = (name: string, act: () => void) => ({ key: name, preventDefault: true, run: () => (act(), true) });
  return new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      extensions: [
        lineNumbers(),
        findingMarks,
        highlightActiveLine(),
        highlightActiveLineGutter(),
        history(),
        drawSelection(),
        indentUnit.of('  '),
        bracketMatching(),
        closeBrackets(),
        pipeLanguage,
        colours,
        theme,
        EditorView.contentAttributes.of({ 'aria-label': 'Text of the schedule', spellcheck: 'false' }),
        keymap.of([
          key('Mod-s', host.share),
          key('Shift-Alt-f', host.format),
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...historyKeymap,
          ...completionKeymap,
          ...lintKeymap,
          indentWithTab,
        ]),
        EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
          if (docChanged) host.changed(state.doc.toString());
          if (docChanged || selectionSet) host.moved();
        }),
        completion(host.asks),
        signature(host.asks),
        hover(host.asks),
      ],
    }),
  });
}

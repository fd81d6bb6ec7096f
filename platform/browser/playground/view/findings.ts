/** Findings: under the text, in a list below it, and with the quick fixes of each. */
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import type { EditorView } from '@codemirror/view';
import type { Asks, Finding } from './asks.ts';
import { offsetOf, spanOf } from './places.ts';

const severities = ['error', 'error', 'warning', 'info', 'hint'] as const;
const severityOf = ({ severity = 1 }: Finding): (typeof severities)[number] => severities[severity] ?? 'error';
const words = { error: 'error', warning: 'warning', info: 'note', hint: 'hint' } as const;

/** `list`: the element that gets the list. */
export function createFindings(view: EditorView, list: HTMLElement, asks: Asks) {
  let shown: readonly Finding[] = [];

  function show(): void {
    const { doc } = view.state;
    const diagnostics = shown.map((finding): Diagnostic => {
      const { from, to } = spanOf(doc, finding.range);
      return {
        from,
        to,
        severity: severityOf(finding),
        message: finding.message,
        ...(finding.code === undefined ? {} : { source: String(finding.code) }),
        renderMessage: () => {
          const box = document.createElement('div');
          box.className = 'finding-words';
          box.append(finding.message);
          void offerFixes(box, finding);
          return box;
        },
      };
    });
    view.dispatch(setDiagnostics(view.state, diagnostics));
    list.replaceChildren(...(shown.length === 0 ? [nothing()] : shown.map(row)));
  }

  function row(finding: Finding): HTMLElement {
    const item = document.createElement('li');
    const button = document.createElement('button');
    button.type = 'button';
    button.className = `finding ${severityOf(finding)}`;
    const line = document.createElement('span');
    line.className = 'line';
    line.append(`line ${finding.range.start.line + 1}`);
    const text = document.createElement('span');
    const kind = document.createElement('strong');
    kind.append(words[severityOf(finding)]);
    text.append(kind, ` ${finding.message}`);
    const code = document.createElement('span');
    code.className = 'code';
    code.append(String(finding.code ?? ''));
    button.append(line, text, code);
    let isOpen = false;
    button.addEventListener('click', () => {
      const at = offsetOf(view.state.doc, finding.range.start);
      view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
      view.focus();
      if (isOpen) return;
      isOpen = true;
      void offerFixes(item, finding);
    });
    item.append(button);
    return item;
  }

  async function offerFixes(place: HTMLElement, finding: Finding): Promise<void> {
    const found = (await asks.fixes(finding)).filter(({ disabled }) => disabled === undefined);
    if (found.length === 0) return;
    const box = document.createElement('div');
    box.className = 'fixes';
    for (const action of found) {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'fix';
      button.append(action.title);
      button.addEventListener('click', () => void asks.make(action));
      box.append(button);
    }
    place.append(box);
  }

  return {
    set(findings: readonly Finding[]): void {
      shown = findings.toSorted(
        (a, b) => (a.severity ?? 1) - (b.severity ?? 1) || a.range.start.line - b.range.start.line,
      );
      show();
    },
    counts(): string {
      const of = (name: 'error' | 'warning' | 'note'): string => {
        const count = shown.filter((finding) => words[severityOf(finding)] === name).length;
        return count === 0 ? '' : `${count} ${name}${count === 1 ? '' : 's'}`;
      };
      const all = [of('error'), of('warning'), of('note')].filter((text) => text !== '');
      return all.length === 0 ? 'No findings' : all.join(', ');
    },
  };
}

function nothing(): HTMLElement {
  const item = document.createElement('li');
  item.className = 'nothing';
  item.append('Nothing is wrong with this file.');
  return item;
}

export const findingMarks = lintGutter();

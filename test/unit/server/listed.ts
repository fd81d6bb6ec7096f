/** Lists of completion with their figures, as an editor gets them. */
import { expect } from 'vitest';
import type { CompletionItem, CompletionList, TextEdit } from 'vscode-languageserver';
import { invoked } from '../../support/asked.ts';
import { cursorOf, marks } from '../../support/marks.ts';
import { applyEdits, type Client, main, positionAt, withClient } from '../../support/server.ts';

/** Asks until everything is known. */
export async function listAt(client: Client, position: unknown): Promise<readonly CompletionItem[]> {
  for (;;) {
    const list = await client.request<CompletionList>('textDocument/completion', {
      textDocument: { uri: main },
      position,
      ...invoked,
    });
    if (!list.isIncomplete) return list.items;
  }
}

interface Listed {
  readonly text: string;
  readonly items: readonly CompletionItem[];
}

export async function listed(source: string): Promise<Listed> {
  const marked = marks(source);
  return withClient(
    async (client) => {
      client.open(main, marked.text);
      return { text: marked.text, items: await listAt(client, positionAt(marked.text, cursorOf(marked))) };
    },
    {
      capabilities: {
        textDocument: { completion: { completionItem: { snippetSupport: true, labelDetailsSupport: true } } },
      },
    },
  );
}

const plain = (snippet: string): string => snippet.replaceAll(/\$\{\d+:([^}]*)\}/g, '$1');

/** The file after the item is accepted. */
export function accepted(text: string, { textEdit, additionalTextEdits = [] }: CompletionItem): string {
  const written = textEdit as TextEdit;
  return applyEdits(text, [{ ...written, newText: plain(written.newText) }, ...additionalTextEdits]);
}

/** What stands in the row of an item. */
export const shown = ({ labelDetails }: CompletionItem): string => labelDetails?.description ?? '';

/** A value as a list ranks it: its seconds, and whether its text says that no engine runs it. */
export interface RankedValue {
  readonly iteration: number;
  readonly onPaper: boolean;
}

export const rankedValue = (item: CompletionItem, iteration: number): RankedValue => ({
  iteration,
  onPaper: JSON.stringify(item.documentation).includes('Runs on: paper only'),
});

/** What engines run first, by time; what none runs is among it only if it is over a tenth faster than all of that. */
export function expectRanked(values: readonly RankedValue[]): void {
  const fastest = Math.min(...values.filter(({ onPaper }) => !onPaper).map(({ iteration }) => iteration));
  const isLate = ({ onPaper, iteration }: RankedValue): boolean => onPaper && iteration > 0.9 * fastest;
  const byTime = (some: readonly RankedValue[]) => some.toSorted((a, b) => a.iteration - b.iteration);
  expect(values).toEqual([...byTime(values.filter((value) => !isLate(value))), ...byTime(values.filter(isLate))]);
}

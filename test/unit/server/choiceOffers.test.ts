/** The order of a list of values, from outcomes alone. */
import { CompletionItemKind } from 'vscode-languageserver';
import { expect, test } from 'vitest';
import type { Choice, Outcome } from '../../../server/completion/choice.ts';
import { choiceOffers } from '../../../server/completion/choiceOffers.ts';

/** Seconds of an iteration under each value, and who runs it. */
const listed = (values: Readonly<Record<string, readonly [iteration: number, ...runners: readonly string[]]>>) => {
  const choices = Object.keys(values).map((name): Choice => ({
    key: 'sync',
    name,
    text: name,
    file: () => '',
    devices: 4,
    stages: 4,
    long: false,
  }));
  const outcome = ({ name }: Choice): Outcome => {
    const [iteration, ...runners] = values[name];
    const figures = { iteration, throughput: 1, bubble: 0, device: 'gpu[0]', peak: 0, capacity: 1, fits: true };
    return { figures, waits: 0, synchronous: true, runners };
  };
  const offers = Object.keys(values).map((label) => ({ label, kind: CompletionItemKind.Value }));
  return choiceOffers('file:///a.pipe', offers, { id: 1, choices, outcome, open: false }).map(({ label }) => label);
};

test('what no engine runs comes first only if it is over a tenth faster than all that one does', () => {
  expect(listed({ paper: [0.095], run: [0.1, 'Megatron'], slower: [0.2, 'PyTorch'] })).toEqual([
    'run',
    'slower',
    'paper',
  ]);
  expect(listed({ run: [0.1, 'Megatron'], paper: [0.08], slower: [0.2, 'PyTorch'] })).toEqual([
    'paper',
    'run',
    'slower',
  ]);
  expect(listed({ later: [0.2], sooner: [0.1] })).toEqual(['sooner', 'later']);
});

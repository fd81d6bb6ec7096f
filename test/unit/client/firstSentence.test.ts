import { expect, test } from 'vitest';
import { firstSentence } from '../../../client/start/firstSentence.ts';
import { exampleText } from '../../support/example.ts';

test.each([
  ['/// Two nodes. And more.\nmodel m {}', 'Two nodes.'],
  ['// A file of\n// two lines: with a list.\n', 'A file of two lines.'],
  ['// No stop\nmodel m {}', 'No stop'],
  ['model m {}', ''],
])('the first sentence of %j', (text, sentence) => {
  expect(firstSentence(text)).toBe(sentence);
});

test('the quickstart says what it shows', () => {
  expect(firstSentence(exampleText('quickstart.pipe'))).not.toBe('');
});

import { expect, test } from 'vitest';
import { termPages, termsOf, withTerms } from '../../../scripts/docs/terms.ts';
import { textOf } from './pages.ts';

const glossary = `# Glossary

## Bubble

Idle time of a device.

- Also: idle time
- See: [bubble](../understand/bubbles.md#both-definitions)

## Forward

A pass.

- See: [forward](../schedules/README.md)

## Span bubble

Idle share.

- See: [span bubble](../understand/bubbles.md)
`;
const terms = termsOf(glossary);
const linked = (text: string, page = 'do/a.md'): string =>
  withTerms(page, text, terms).replaceAll('](../look-up/glossary.md#', '](#');

test('the first use of each term links to the glossary, on every page that is read from top to bottom', () => {
  const pages = [...termPages()];
  expect(pages.length).toBeGreaterThan(30);
  expect(pages.filter(([page, text]) => textOf(page) !== text).map(([page]) => page)).toEqual([]);
});

test.each([
  ['the bubble is a bubble', 'the [bubble](#bubble) is a bubble'],
  ['Bubbles, and idle time', '[Bubbles](#bubble), and idle time'],
  ['the span bubble, not the bubble', 'the [span bubble](#span-bubble), not the [bubble](#bubble)'],
  ['# A bubble\n\nA bubble', '# A bubble\n\nA [bubble](#bubble)'],
  ['`bubble` is $bubble$, a bubble', '`bubble` is $bubble$, a [bubble](#bubble)'],
  ['```\nbubble\n```\nbubble', '```\nbubble\n```\n[bubble](#bubble)'],
  ['| bubble | b |\n| --- | --- |\n| a | bubble |', '| bubble | b |\n| --- | --- |\n| a | [bubble](#bubble) |'],
  ['<!-- runs x -->\nbubble\n<!-- end -->\nbubble', '<!-- runs x -->\nbubble\n<!-- end -->\n[bubble](#bubble)'],
  // Another link tells more; its text may go on in the next line.
  ['[a bubble](b.md), a bubble', '[a bubble](b.md), a bubble'],
  ['[the\nbubble](b.md), idle time', '[the\nbubble](b.md), [idle time](#bubble)'],
  ['run forward, in a forward', 'run forward, in a [forward](#forward)'],
  ['a zero-bubble schedule', 'a zero-bubble schedule'],
])('%j becomes %j', (text, expected) => {
  expect(linked(text)).toBe(expected);
});

test('a link to the glossary moves to the first use', () => {
  const address = '../look-up/glossary.md#bubble';
  expect(linked(`a bubble, and a [bubble](${address})`)).toBe('a [bubble](#bubble), and a bubble');
});

test('the page that explains a term does not link to the glossary for it', () => {
  expect(linked('a bubble in a forward', 'understand/bubbles.md')).toBe('a bubble in a [forward](#forward)');
});

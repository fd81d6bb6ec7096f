import { expect, test } from 'vitest';
import { entities } from '../../../../platform/browser/playground/view/entities.ts';

test('characters by name and number are written out; what stands for none stays', () => {
  expect(entities('a &lt; b &amp;&amp; c&nbsp;&#62; d')).toBe('a < b && c\u00a0> d');
  for (const text of ['&constructor;', '&toString;', '&unknown;', '&#1114112;', '&#99999999999;', '& b', '&;'])
    expect(entities(text)).toBe(text);
});

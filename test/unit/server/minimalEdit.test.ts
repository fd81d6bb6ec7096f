import * as fc from '../../support/property.ts';
import { expect, it } from 'vitest';
import { apply } from '../../../engine/fixes/proposal.ts';
import { minimalEdit } from '../../../server/text/minimalEdit.ts';

it('makes one text of the other, and no shorter edit at one place does', () => {
  // Few letters, so that ends are equal often, and overlap.
  const text = fc.array(fc.constantFrom('a', 'b'), { maxLength: 8 }).map((letters) => letters.join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const edit = minimalEdit(before, after);
      expect(apply(before, [edit])).toBe(after);
      const longest = before.length + after.length;
      const sizes: number[] = [];
      for (let start = 0; start <= before.length; start += 1)
        for (let end = start; end <= before.length; end += 1) {
          const length = after.length - (before.length - (end - start));
          if (length < 0) continue;
          const written = after.slice(start, start + length);
          if (before.slice(0, start) + written + before.slice(end) === after) sizes.push(end - start + length);
        }
      expect(edit.end - edit.start + edit.text.length).toBe(Math.min(longest, ...sizes));
    }),
  );
});

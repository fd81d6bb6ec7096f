import { describe, expect, test } from 'vitest';
import { movedUri } from '../../../client/preview/movedUri.ts';

/** A uri of the editor, as far as renaming needs it. */
class Name {
  readonly path: string;
  readonly scheme: string;
  constructor(path: string, scheme = 'file') {
    this.path = path;
    this.scheme = scheme;
  }
  with({ path }: { readonly path: string }): Name {
    return new Name(path, this.scheme);
  }
  toString(): string {
    return `${this.scheme}://${this.path}`;
  }
}
const name = (path: string, scheme?: string) => new Name(path, scheme);

describe('a file that a preview shows', () => {
  test.each([
    ['/w/a.pipe', '/w/a.pipe', '/w/b.pipe', '/w/b.pipe'],
    ['/w/plans/a.pipe', '/w/plans', '/w/old', '/w/old/a.pipe'],
    ['/w/plans/deep/a.pipe', '/w/plans/', '/w/old/', '/w/old/deep/a.pipe'],
    ['/w/plans2/a.pipe', '/w/plans', '/w/old', undefined],
    ['/w/a.pipe', '/w/a.pipe2', '/w/b', undefined],
  ])('%s, when %s becomes %s', (file, from, to, after) => {
    expect(movedUri(name(file), name(from), name(to))?.toString()).toBe(
      after === undefined ? undefined : `file://${after}`,
    );
  });

  test('of another scheme does not move', () => {
    expect(movedUri(name('/w/plans/a.pipe', 'memory'), name('/w/plans'), name('/w/old'))).toBeUndefined();
  });
});

import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { share } from '../../../engine/basics/quantities.ts';
import { smallShare } from '../../../webview/session/smallShare.ts';

describe('small share', () => {
  it('calls nothing zero that is more than what rounding leaves', () => {
    expect(smallShare(4e-4)).toBe('< 0.1 %');
    expect(smallShare(0)).toBe('0 %');
    expect(smallShare(1e-16)).toBe('0 %');
    expect(smallShare(-1e-16)).toBe('0 %');
  });

  it('says the same as everywhere else from half a tenth of a percent on', () => {
    fc.assert(
      fc.property(fc.double({ min: 5e-4, max: 1, noNaN: true }), (value) => smallShare(value) === share(value)),
    );
  });
});

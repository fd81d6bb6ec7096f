import { choice } from '../../controls/toolkit.ts';
import type { ColourBy } from '../../protocol/messages.ts';

/** What the reader may colour blocks by. Versions of weights: only where they differ. */
export function colourChoice(onChange: (colourBy: ColourBy) => void) {
  const control = choice<ColourBy>(
    'Colour by',
    [
      ['operation', 'Operation'],
      ['microbatch', 'Microbatch'],
      ['chunk', 'Chunk'],
      ['version', 'Version'],
    ],
    onChange,
  );
  return {
    element: control.element,
    show(colourBy: ColourBy, hasVersions: boolean): void {
      control.setShown('version', hasVersions);
      control.setValue(colourBy === 'version' && !hasVersions ? 'operation' : colourBy);
    },
  };
}

/** In place of the readers of machines that other programs describe, one of which needs YAML. */
import type { TextFault } from '../../../../engine/formats/fault.ts';

export const readSystem = (text: string): { readonly faults: readonly TextFault[] } => ({
  faults: [
    {
      start: 0,
      end: text.length,
      message: 'The playground reads no systems of other programs. Use the editor extension or the command line.',
    },
  ],
});

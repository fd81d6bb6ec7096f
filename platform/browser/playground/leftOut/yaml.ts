/** In place of the reader of YAML. */
import type { TextFault } from '../../../../engine/formats/fault.ts';

export const readYaml = (text: string): { readonly fault: TextFault } => ({
  fault: {
    start: 0,
    end: text.length,
    message: 'The playground reads no YAML. Use the editor extension or the command line.',
  },
});

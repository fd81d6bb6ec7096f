/** Files of other formats as `.pipe` text, told apart by their content. PyTorch's schedule tables have an import of their own. */
import type { TextFault } from './fault.ts';
import { isConfiguration, readConfiguration } from './huggingFace/read.ts';
import { pipeOfConfiguration } from './huggingFace/toPipe.ts';
import { isMegatron, pipeOfMegatron } from './megatron/toPipe.ts';
import { isKnownProfile, readProfile } from './profile.ts';
import { pipeOfProfile } from './toPipe.ts';

/** `.pipe` text with what the reader had to assume, a sentence each; or what is wrong with the file. */
export type TextImport =
  { readonly pipe: string; readonly remarks: readonly string[] } | { readonly faults: readonly TextFault[] };

interface ImportFormat {
  is(text: string): boolean;
  toPipe(text: string): TextImport;
}

const formats: readonly ImportFormat[] = [
  {
    is: isKnownProfile,
    toPipe(text) {
      const read = readProfile(text);
      return 'faults' in read ? read : { pipe: pipeOfProfile(read), remarks: read.remarks };
    },
  },
  {
    is: isConfiguration,
    toPipe(text) {
      const read = readConfiguration(text);
      return 'faults' in read ? read : { pipe: pipeOfConfiguration(read), remarks: read.remarks };
    },
  },
  { is: isMegatron, toPipe: pipeOfMegatron },
];

/** What a text that is none of them, and no PyTorch table either, could not be recognised as. */
export const importable =
  'a PyTorch schedule table (no cell is an action such as `2F0`), a PipeDream profile, a workload of ASTRA-sim 1.0, a graph of dnn-partitioning, a Hugging Face config.json or a Megatron-LM command line';

/** `undefined` where the text looks like none of these formats. */
export const importText = (text: string): TextImport | undefined => formats.find((one) => one.is(text))?.toPipe(text);

/** Files of other formats as `.pipe` text, recognised by their content. PyTorch's schedule tables have a separate import. */
import type { TextFault } from './fault.ts';
import { isConfiguration, readConfiguration } from './huggingFace/read.ts';
import { pipeOfConfiguration } from './huggingFace/toPipe.ts';
import { isMegatron, pipeOfMegatron } from './megatron/toPipe.ts';
import { isKnownProfile, readProfile } from './profile.ts';
import { isKnownSystem, readSystem } from './system.ts';
import { isAxolotl, pipeOfAxolotl } from './recipe/axolotl.ts';
import { isBridge, pipeOfBridge } from './recipe/bridge.ts';
import { isDeepspeed, isDeepspeedProgram, pipeOfDeepspeed, pipeOfDeepspeedProgram } from './recipe/deepspeed.ts';
import {
  isTorchtitanPython,
  isTorchtitanToml,
  pipeOfTorchtitanPython,
  pipeOfTorchtitanToml,
} from './recipe/torchtitan.ts';
import { isTorchtitanProgram, pipeOfTorchtitanProgram } from './recipe/torchtitanProgram.ts';
import { isXtunerPython, isXtunerYaml, pipeOfXtunerPython, pipeOfXtunerYaml } from './recipe/xtuner.ts';
import { isDeepspeedTimers, pipeOfDeepspeedTimers } from './timers/deepspeed.ts';
import { isMegatronTimers, pipeOfMegatronTimers } from './timers/megatron.ts';
import { pipeOfSystem } from './system/toPipe.ts';
import type { Choices } from './python/onlyCall.ts';
import { pipeOfProfile } from './toPipe.ts';
import { isTorchScript, pipeOfTorchScript } from './torchScript/toPipe.ts';

/** `.pipe` text with what the reader had to assume, a sentence each; or what is wrong with the file. */
export type TextImport =
  | { readonly pipe: string; readonly remarks: readonly string[] }
  | ({ readonly faults: readonly TextFault[] } & Partial<Choices>);

export interface ImportOptions {
  /** Of the timers of a run: the pipelines of these ranks only. */
  readonly ranks?: ReadonlySet<number>;
  /** Of a file with several configurations: the name of one. */
  readonly config?: string;
}

interface ImportFormat {
  is(text: string): boolean;
  toPipe(text: string, options: ImportOptions): TextImport;
}

const formats: readonly ImportFormat[] = [
  { is: isTorchScript, toPipe: pipeOfTorchScript },
  { is: isTorchtitanProgram, toPipe: pipeOfTorchtitanProgram },
  { is: isDeepspeedProgram, toPipe: pipeOfDeepspeedProgram },
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
      if ('faults' in read) return read;
      const depths = read.prediction?.count;
      const left = `num_nextn_predict_layers = ${depths} is left out: its layers are a comment of the model.`;
      return { pipe: pipeOfConfiguration(read), remarks: [...read.remarks, ...(depths === undefined ? [] : [left])] };
    },
  },
  {
    is: isKnownSystem,
    toPipe(text) {
      const read = readSystem(text);
      return 'faults' in read ? read : { pipe: pipeOfSystem(read), remarks: [...read.remarks, ...read.networkRemarks] };
    },
  },
  { is: isDeepspeed, toPipe: (text) => pipeOfDeepspeed(text) },
  { is: isAxolotl, toPipe: pipeOfAxolotl },
  { is: isBridge, toPipe: pipeOfBridge },
  { is: isTorchtitanPython, toPipe: (text, { config }) => pipeOfTorchtitanPython(text, config) },
  { is: isTorchtitanToml, toPipe: pipeOfTorchtitanToml },
  { is: isXtunerPython, toPipe: (text, { config }) => pipeOfXtunerPython(text, config) },
  { is: isXtunerYaml, toPipe: pipeOfXtunerYaml },
  { is: isMegatronTimers, toPipe: (text, { ranks }) => pipeOfMegatronTimers(text, ranks) },
  { is: isDeepspeedTimers, toPipe: (text, { ranks }) => pipeOfDeepspeedTimers(text, ranks) },
  { is: isMegatron, toPipe: pipeOfMegatron },
];

/** What is read, for a text that is none of it. */
export const importable =
  'schedule tables of PyTorch (`2F0`), programs of `export`, profiles (PipeDream, ASTRA-sim, dnn-partitioning, CSV), timers of Megatron-LM and DeepSpeed, config.json of Hugging Face, and systems (Calculon, aiconfigurator). It reads training configurations of Megatron-LM, Megatron Bridge, NeMo, torchtitan, DeepSpeed, Axolotl and xtuner';

/** `undefined` where the text looks like none of these formats. */
export const importText = (text: string, options: ImportOptions = {}): TextImport | undefined =>
  formats.find((format) => format.is(text))?.toPipe(text, options);

/** In place of the writers of programs for training engines. */
import type { ProgramFormat } from '../../../../engine/formats/programs.ts';

const problem = 'the playground writes no programs: use the editor extension, or `pipewright export FILE --to FORMAT`';
const names = ['torch-csv', 'torch-script', 'torchtitan', 'deepspeed', 'megatron'];

export const programFormats: readonly ProgramFormat[] = names.map((name) => ({
  name,
  doc: '',
  extension: '',
  write: () => ({ problem }),
}));

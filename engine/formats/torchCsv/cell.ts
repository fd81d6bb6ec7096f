import {
  type ComputeAction,
  type TorchCell,
  type TransferAction,
  blank,
  computeTypes,
  stageTypes,
  transferTypes,
} from './table.ts';

/** Larger numbers of stages or microbatches are no schedule's. */
export const largestNumber = 2 ** 24;

const action = new RegExp(`^(\\d+)(${[...transferTypes, ...stageTypes, ...computeTypes].join('|')})(\\d*)$`);
const fused = /^\(([^;()]*);([^;()]*)\)OVERLAP_F_B$/;
const forms =
  'a cell such as `2F0`, `0UNSHARD`, `0SEND_F1` or `(0F7;7B3)OVERLAP_F_B`, or an empty cell for an idle step';

export interface CellFault {
  readonly message: string;
  readonly expected: string;
  /** The cell is of a file from before the letters `B` and `I` got their present meaning. */
  readonly oldLetters?: true;
}

/** One cell, without spaces around it. Strict: PyTorch's own reader takes the start of a cell and drops what follows. */
export function readCell(text: string): TorchCell | CellFault {
  if (text === '') return blank;
  const pair = fused.exec(text);
  if (pair === null) return readAction(text);
  const [left, right] = [readAction(pair[1].trim()), readAction(pair[2].trim())];
  for (const half of [left, right]) {
    if ('message' in half) return half;
    if (half.kind !== 'compute')
      return {
        message: `\`${shown(text)}\` fuses an action that is not a compute operation.`,
        expected: 'two of F, I, B and W in OVERLAP_F_B',
      };
  }
  return { kind: 'fused', actions: [left as ComputeAction, right as ComputeAction] };
}

function readAction(text: string): Exclude<TorchCell, { kind: 'fused' | 'blank' }> | CellFault {
  const parts = action.exec(text);
  if (parts === null) return notAnAction(text);
  const [, stageText, type, microbatchText] = parts;
  const [stage, microbatch] = [Number(stageText), Number(microbatchText)];
  if (stage > largestNumber || microbatch > largestNumber) {
    return {
      message: `\`${shown(text)}\` has a number that is too large.`,
      expected: `numbers up to ${largestNumber}`,
    };
  }
  if (oneOf(stageTypes, type)) {
    return microbatchText === ''
      ? { kind: 'stage', stage, type }
      : {
          message: `\`${shown(text)}\` names a microbatch, but ${type} applies to a whole stage.`,
          expected: `\`${stage}${type}\``,
        };
  }
  if (microbatchText === '')
    return {
      message: `\`${shown(text)}\` names no microbatch.`,
      expected: `\`${stage}${type}0\` or another microbatch`,
    };
  if (oneOf(transferTypes, type)) return { kind: 'transfer', stage, type, microbatch } satisfies TransferAction;
  return { kind: 'compute', stage, type: type as ComputeAction['type'], microbatch };
}

function notAnAction(text: string): CellFault {
  if (/^\d+BW\d+$/.test(text)) {
    return {
      message: `\`${shown(text)}\` is in letters that PyTorch no longer uses: BW was the whole backward and B the input gradient.`,
      expected: `\`${text.replace('BW', 'B')}\`, with I in place of each B`,
      oldLetters: true,
    };
  }
  if (/^-\d/.test(text)) return { message: `\`${shown(text)}\` names a negative stage.`, expected: forms };
  return { message: `\`${shown(text)}\` is not an action of a schedule.`, expected: forms };
}

const shown = (text: string): string => (text.length <= 40 ? text : `${text.slice(0, 40)}…`);
const oneOf = <T extends string>(list: readonly T[], text: string): text is T =>
  (list as readonly string[]).includes(text);

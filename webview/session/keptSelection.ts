/** Between a selection of a timeline and the same without one. */
import { kindName, kindOf, kinds, microbatchOf, stageOf, type Kind } from '../../engine/values/program.ts';
import { blockOf, gapAt } from '../picture/blocks.ts';
import { idleUntil } from '../picture/columns.ts';
import type { Picture } from '../picture/picture.ts';
import type { KeptSelection } from '../protocol/keptSelection.ts';
import { gapBefore, type Selection } from './selection.ts';

/** Undefined for nothing, and for pieces of an exchange. */
export function keptSelection(selection: Selection | undefined, picture: Picture): KeptSelection | undefined {
  switch (selection?.kind) {
    case 'block':
      return operationOf('block', selection.block, picture);
    case 'gap':
      return selection.gap.before < 0
        ? { of: 'end', device: selection.gap.device }
        : operationOf('gap', selection.gap.before, picture);
    case 'device':
      return { of: 'device', device: selection.device };
    case 'range': {
      const { t0, t1, from, to } = selection;
      return { of: 'range', t0, t1, from, to };
    }
    default:
      return undefined;
  }
}

/** Blocks at the end of a device are no operations. */
function operationOf(of: 'block' | 'gap', block: number, { columns }: Picture): KeptSelection | undefined {
  const word = columns.word[block];
  if (word < 0) return undefined;
  const kind = kindName(named(columns), kindOf(columns, word));
  return { of, kind, stage: stageOf(columns, word), microbatch: microbatchOf(columns, word) };
}

/** Undefined where the timeline has no such thing. */
export function restoredSelection(kept: KeptSelection, picture: Picture): Selection | undefined {
  const { columns } = picture;
  switch (kept.of) {
    case 'device':
      return kept.device < columns.rows ? { kind: 'device', device: kept.device } : undefined;
    case 'end': {
      if (kept.device >= columns.rows) return undefined;
      const gap = gapAt(picture, kept.device, idleUntil(columns, kept.device) * (1 - 1e-9));
      return gap === undefined ? undefined : { kind: 'gap', gap };
    }
    case 'range': {
      const { t0, t1, from, to } = kept;
      return t0 < columns.makespan && to < columns.rows ? { kind: 'range', t0, t1, from, to } : undefined;
    }
    default: {
      const block = blockNamed(kept, picture);
      if (block === undefined || kept.of === 'block') return block === undefined ? undefined : { kind: 'block', block };
      const gap = gapBefore(picture, block);
      return gap === undefined ? undefined : { kind: 'gap', gap };
    }
  }
}

function blockNamed(
  { kind: name, stage, microbatch }: Extract<KeptSelection, { readonly kind: string }>,
  picture: Picture,
): number | undefined {
  const { columns } = picture;
  const all = Array.from({ length: kinds + (columns.declared?.length ?? 0) }, (_, kind) => kind);
  const kind = all.find((each) => kindName(named(columns), each) === name);
  if (kind === undefined || stage >= columns.stages || microbatch >= columns.microbatches) return undefined;
  const block = blockOf(picture, kind as Kind, stage, microbatch);
  // B and I leave the same result: only the one that ran is found.
  return block >= 0 && kindOf(columns, columns.word[block]) === kind ? block : undefined;
}

const named = ({ declared }: Picture['columns']) => ({
  declared: declared === undefined ? undefined : { names: declared },
});

import type { RepairName, TorchFault } from './fault.ts';

/** What each repair does, for a person to decide. */
export const repairTitles: Readonly<Record<RepairName, string>> = {
  'old-letters': 'Write B for BW and I for B, as PyTorch does now',
  'shifted-forwards': 'Count the forwards of the stage from microbatch 0',
};

/** The text with the repairs that its faults name; everything else stays as it is. */
export function repairText(text: string, faults: readonly TorchFault[]): string {
  const names = new Set(faults.map((fault) => fault.repair));
  let repaired = text;
  if (names.has('old-letters')) {
    repaired = repaired.replace(/(?<![\w"])(\d+)(BW|B)(\d+)(?!\w)/g, (_, stage, type, microbatch) =>
      type === 'BW' ? `${stage}B${microbatch}` : `${stage}I${microbatch}`,
    );
  }
  for (const fault of faults) {
    if (fault.repair !== 'shifted-forwards') continue;
    const stage = /^\s*"?\(?(\d+)F|;(\d+)F/.exec(text.slice(fault.start, fault.end));
    const wanted = stage?.[1] ?? stage?.[2];
    if (wanted === undefined) continue;
    repaired = repaired.replace(/(?<!\w)(\d+)F(\d+)(?!\w)/g, (whole, wrongStage, microbatch) =>
      wrongStage === wanted && Number(microbatch) > 0 ? `${wrongStage}F${Number(microbatch) - 1}` : whole,
    );
  }
  return repaired;
}

import { importable, importText } from '../../engine/formats/importText.ts';
import { importTorch } from '../../engine/formats/torchCsv/import.ts';
import { isTorchTable } from '../../engine/formats/torchCsv/recognise.ts';
import { LineIndex } from '../../grammar/index.ts';
import type { ImportAnswer, ImportRequest } from '../../webview/protocol/requests.ts';

/** A file of another program as `.pipe` text, or the first thing that is wrong with it. Its content decides which format it is. */
export function importFile({ text, config }: ImportRequest): NonNullable<ImportAnswer> {
  const other = importText(text, config === undefined ? {} : { config });
  if (other !== undefined) {
    if (!('faults' in other)) return { pipe: other.pipe };
    const { choices } = other;
    return { ...firstOf(text, other.faults), ...(choices === undefined ? {} : { choices }) };
  }
  if (!isTorchTable(text)) return { problem: `The format of this file is not known. Import reads ${importable}.` };
  const torch = importTorch(text);
  if (!('faults' in torch)) return { pipe: torch.pipe };
  return firstOf(
    text,
    torch.faults.map(({ start, message, expected }) => ({ start, message: `${message} Expected: ${expected}.` })),
  );
}

function firstOf(
  text: string,
  faults: readonly { readonly start: number; readonly message: string }[],
): { readonly problem: string } {
  const [first] = faults;
  if (first === undefined) return { problem: 'It cannot be read.' };
  const { line, character } = new LineIndex(text).positionAt(first.start);
  return { problem: `line ${line + 1}, character ${character + 1}: ${first.message}` };
}

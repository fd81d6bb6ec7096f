import { constantsText } from '../formats/constantsText.ts';
import { readConfiguration } from '../formats/huggingFace/read.ts';
import { layersText } from '../formats/huggingFace/toPipe.ts';
import { publishedModels, type PublishedModel } from '../formats/huggingFace/publishedModels.ts';

/** The text of `std:models`, made of the table by the reader of Hugging Face configurations. */
export const models: string = `// Published models to import: \`import { llama3_8b } from "std:models"\`.
// \`sequence\` is the length used in pre-training, \`micro_batch\` is 1 and \`precision\` bf16. Your own model can take the layers and
// change these: \`model mine { from = llama3_8b  sequence = 4096  micro_batch = 2 }\`.

${publishedModels.map(textOf).join('\n')}`;

function textOf({ name, title, source, sequence, config }: PublishedModel): string {
  const read = readConfiguration(JSON.stringify(config));
  // The table is ours and a test reads all of it.
  if ('faults' in read) throw new Error(`${name}: ${read.faults[0]?.message}`);
  const layers = layersText(read.layers).trimEnd().replaceAll('\n', '\n  ');
  return `/// ${title}.\n/// Source: ${source}.\nmodel ${name} {\n  sequence = ${sequence}\n${constantsText(read.constants)}  ${layers}\n}\n`;
}

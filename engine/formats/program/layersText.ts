import { pythonString } from './pythonString.ts';

/** `LAYERS = [ … ]`: a list of names for each stage, in lines of the usual length. `readLayers` reads it. */
export const layersText = (stages: readonly (readonly string[])[]): string =>
  `LAYERS = [\n${stages.map((names) => listText(names.map(pythonString))).join('')}]\n`;

const mostColumns = 110;

/** A list inside a list: on one line if it is short. */
function listText(items: readonly string[]): string {
  const one = `    [${items.join(', ')}],\n`;
  if (one.length <= mostColumns) return one;
  const lines: string[] = [];
  let line = '       ';
  for (const item of items) {
    if (line.length + item.length + 2 > mostColumns) {
      lines.push(line);
      line = '       ';
    }
    line += ` ${item},`;
  }
  return `    [\n${[...lines, line].join('\n')}\n    ],\n`;
}

/** Writes a layout for `--pipeline-model-parallel-layout`, the shortest that `readLayout` reads as these stages. */
import type { LayerSymbol } from '../layout.ts';

/** `Et*3|(tt|)*29,m|L` */
export function layoutText(stages: readonly (readonly LayerSymbol[])[]): string {
  // The last stage ends with the text, the others with a bar.
  const texts = stages.map((stage, index) => `${stageText(stage)}${index < stages.length - 1 ? '|' : ''}`);
  return runsOf(texts)
    .map(({ item, count }) => (count === 1 ? item : item === '|' ? `|*${count}` : `(${item})*${count}`))
    .join('');
}

const stageText = (stage: readonly LayerSymbol[]): string =>
  runsOf(stage)
    .map(({ item, count }) => (count <= 2 ? item.repeat(count) : `${item}*${count}`))
    // A number ends before the next symbol anyway; the comma is for people.
    .join('');

function runsOf<Item>(items: readonly Item[]): readonly { readonly item: Item; readonly count: number }[] {
  const runs: { readonly item: Item; count: number }[] = [];
  for (const item of items) {
    const last = runs.at(-1);
    if (last?.item === item) last.count += 1;
    else runs.push({ item, count: 1 });
  }
  return runs;
}

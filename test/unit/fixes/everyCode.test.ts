import { describe, expect, it } from 'vitest';
import { fixesFor } from '../../../engine/fixes/fix.ts';
import { repairers, withoutRepair } from '../../../engine/fixes/repairs/repairers.ts';
import { analyseBlock, blocks, textOf } from '../docs/pages.ts';
import { bare } from './repairs/promise.ts';

/** Titles of the fixes of the finding in the first example of a page. */
function titlesOf(code: string): readonly string[] {
  const [example] = blocks(textOf(`docs/diagnostics/${code}.md`), 'pipe');
  const analysis = analyseBlock(example);
  const finding = analysis.findings.find((found) => found.code === code);
  if (finding === undefined) throw new Error(`The example of ${code} does not raise it.`);
  return fixesFor(analysis, finding, analyseBlock).map(bare);
}

describe.each(Object.keys(repairers))('the page of %s', (code) => {
  it('lists the quick fixes of its example', () => {
    const titles = titlesOf(code);
    expect(titles.length).toBeGreaterThan(0);
    const list = titles.map((title) => `- *${title}*`).join('\n');
    expect(textOf(`docs/diagnostics/${code}.md`)).toContain(
      `\nQuick fixes for this example, the best first:\n\n${list}\n\n`,
    );
  });
});

describe.each(Object.entries(withoutRepair))('the page of %s', (code, reason) => {
  it('says why there is no quick fix', () => {
    expect(titlesOf(code)).toEqual([]);
    expect(textOf(`docs/diagnostics/${code}.md`)).toContain(`There is no quick fix. ${reason}`);
  });
});

/** `check --summary`, and what `--fix` has made of one file. */
import type { Finding } from '../../engine/findings/finding.ts';
import type { Fix } from '../../engine/fixes/fix.ts';
import type { Analysed } from '../analyse.ts';
import { tally } from '../output/findingText.ts';
import { findingCounts, findingItems } from './findingItems.ts';
import { pipelineItem } from './pipelineItem.ts';
import type { Summary } from './summary.ts';

interface Checked {
  readonly files: readonly Analysed[];
  /** Of the fixes that were made, by file; empty if none were asked for. */
  readonly titles: ReadonlyMap<Analysed, readonly string[]>;
  readonly fixes?: ReadonlyMap<Finding, readonly Fix[]>;
  readonly whole: () => string;
}

export function checkSummary({ files, titles, fixes, whole }: Checked): Summary {
  const findings = files.flatMap(({ analysis }) => analysis.findings);
  const name = files.length === 1 ? (files[0]?.name ?? '') : `${files.length} files`;
  const made = files.flatMap((file) => titles.get(file) ?? []);
  const isFixed = titles.size > 0;
  const fixed = made.map((title) => ({ line: `fixed: ${title}`, data: title }));
  return {
    head: [`${name}: ${tally(findings)}${isFixed && made.length === 0 ? ', nothing was fixed' : ''}`],
    fields: { ...findingCounts(findings) },
    lists: [
      ...(isFixed ? [{ name: 'fixed', singular: 'fix', plural: 'fixes', items: fixed }] : []),
      findingItems(files, ({ analysis }) => analysis.findings, fixes),
      {
        name: 'pipelines',
        singular: 'pipeline',
        plural: 'pipelines',
        items: files.flatMap(({ analysis }) =>
          analysis.pipelines.flatMap(({ run }) => (run === undefined ? [] : [pipelineItem(run.report)])),
        ),
      },
    ],
    ...(isFixed && files.length === 1 ? { text: files[0].text } : {}),
    whole,
  };
}

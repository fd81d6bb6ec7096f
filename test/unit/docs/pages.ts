import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Analysis } from '../../../engine/flow/check.ts';
import type { Code } from '../../../engine/findings/catalogue.ts';
import { runSearch } from '../../../engine/basics/searches.ts';
import { orderQuestion, shorterOrder, shorterOrderFinding } from '../../../engine/advice/shorterOrder.ts';
import { analyse } from '../../support/analyse.ts';
import { hostOf } from '../../support/host.ts';

export const repository = resolve(import.meta.dirname, '../../..');
export const docs = join(repository, 'docs');

/** Pages of the project, by path from its root. */
export const pages: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
  'examples/README.md',
  ...readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

export const textOf = (page: string): string => readFileSync(join(repository, page), 'utf8').replaceAll('\r\n', '\n');
export const exists = (path: string): boolean => existsSync(join(repository, path));

/** Fenced blocks whose info string is `info`. */
export const blocks = (text: string, info: string): string[] =>
  [...text.matchAll(/^```([^\n]*)\n([^]*?)^```$/gm)].flatMap(([, found, body]) =>
    found.trim() === info ? [body] : [],
  );

/** A run of two ranks, each with a stage. */
const twoRanks = {
  ranks: [0, 1],
  stages: 2,
  microbatches: 8,
  placement: [0, 1],
  kinds: [0, 1],
  steps: [[0, 1]],
} as const;

/** Checks the example of a page, in a workspace with one file that cannot be read, one that lies outside it, and three runs. */
export const analyseBlock = (text: string): Analysis =>
  analyse(text, {
    host: {
      ...hostOf({
        'file:///outside.pipe': { problem: 'outside' },
        'unreadable.pipe': { problem: 'unreadable', detail: 'permission is denied' },
      }),
      run(uri) {
        if (uri.endsWith('being-read/')) return 'reading';
        return uri.endsWith('two-ranks/') ? { runs: [twoRanks] } : { problem: 'there is no such file or folder' };
      },
    },
  });

/** Checks the example of a code. Shorter orders are searched only for the page that is about them: each takes a second. */
export function analyseBlockOf(code: Code): (text: string) => Analysis {
  if (code !== 'schedule/shorter-order') return analyseBlock;
  return (text) => {
    const analysis = analyseBlock(text);
    const found = analysis.pipelines.flatMap((pipeline) => {
      const question = orderQuestion(pipeline, 1);
      const answer = question === undefined ? undefined : runSearch(shorterOrder, question).found;
      if (question === undefined || answer === undefined) return [];
      return shorterOrderFinding(question, answer, analysis.resolution.origins) ?? [];
    });
    return { ...analysis, findings: [...analysis.findings, ...found] };
  };
}

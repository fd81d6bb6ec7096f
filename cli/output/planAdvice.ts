/** The command that searches for settings that fit, for each pipeline that runs out of memory; empty if all fit. */
import { printable } from '../../server/text/printable.ts';
import type { Analysed } from '../analyse.ts';
import { declaredPipelines } from '../pipelines.ts';
import { shellWord } from '../plan/jobs/shellWord.ts';

export function planAdvice({ name, path, analysis }: Analysed): string {
  if (path === '-') return '';
  const declared = declaredPipelines(analysis);
  const full = new Set(
    analysis.findings.flatMap(({ code, hint }) =>
      code === 'memory/out-of-memory' && hint?.kind === 'recompute' ? [hint.pipeline] : [],
    ),
  );
  return declared
    .filter((pipeline) => full.has(pipeline))
    .map((pipeline) => {
      const which = declared.length === 1 ? '' : ` --pipeline ${pipeline}`;
      return `To search for settings that fit: pipewright plan ${printable(shellWord(name))}${which}\n`;
    })
    .join('');
}

/** Imports of training configurations, and what the imported file runs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importText } from '../../../../engine/formats/importText.ts';
import type { TextFault } from '../../../../engine/formats/fault.ts';
import { analyse, type AnalysisSetting } from '../../../support/analyse.ts';

/** A file of `test/data/recipes`. */
export const recipeText = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../../data/recipes', name), 'utf8');

export function importedText(text: string): { readonly pipe: string; readonly remarks: readonly string[] } {
  const made = importText(text);
  if (made === undefined || 'faults' in made) throw new Error(JSON.stringify(made));
  return made;
}

/** Each fault as the text that it marks, and its message. */
export function faultsOf(text: string): readonly (readonly [string, string])[] {
  const made = importText(text);
  const faults: readonly TextFault[] = made !== undefined && 'faults' in made ? made.faults : [];
  return faults.map(({ start, end, message }) => [text.slice(start, end), message] as const);
}

/** The imported lines, without the spaces that align them. */
export const linesOf = (text: string): readonly string[] =>
  importedText(text)
    .pipe.split('\n')
    .map((line) => line.trim().replaceAll(/ +/g, ' '));

/** Plan and report of the imported pipeline, and its errors. */
export function runOfRecipe(
  text: string,
  { sequence, ...setting }: AnalysisSetting & { readonly sequence?: number } = {},
) {
  const imported = importedText(text);
  const { remarks } = imported;
  // As the import asks for it, where its file does not say it.
  const pipe =
    sequence === undefined
      ? imported.pipe
      : imported.pipe.replace('model imported {', `model imported {\n  sequence = ${sequence}`);
  const analysis = analyse(pipe, setting);
  const [{ plan, run }] = analysis.pipelines;
  return {
    pipe,
    remarks,
    plan,
    errors: analysis.findings.filter(({ severity }) => severity === 'error').map(({ message }) => message),
    warnings: analysis.findings.filter(({ severity }) => severity === 'warning').map(({ code }) => code),
    parameters: run?.report.stages.reduce((sum, stage) => sum + stage.parameters, 0) ?? 0,
    trainable: run?.report.stages.reduce((sum, stage) => sum + (stage.trainable ?? stage.parameters), 0) ?? 0,
  };
}

/** Weights of a Llama: attention with grouped queries, a gated MLP, two norms; embedding, head and the last norm. */
export const llamaWeights = (layers: number, hidden: number, kv: number, ffn: number, vocab: number): number =>
  layers * (2 * hidden * hidden + 2 * hidden * kv + 3 * hidden * ffn + 2 * hidden) + 2 * vocab * hidden + hidden;

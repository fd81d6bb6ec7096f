/** Placeholders for what a configuration does not say. */
import { type StandardModel, standardModel } from './models.ts';

/** A model in the place of one that is not known here, small unless it has many stages; `why` begins the remark about it. */
export function placeholderModel(why: string, stages: number, remarks: string[]): StandardModel {
  const name = stages > 8 ? 'llama3_8b' : 'llama3_2_1b';
  remarks.push(`${why}: ${name} is written in its place. Replace it by yours: from = huggingface("config.json").`);
  return standardModel(name, true);
}

/** The tokens of a sample. A model that is known has the tokens of its pre-training. */
export function placeholderSequence({ isPlaceholder, sequence }: StandardModel, remarks: string[]): number {
  const tokens = isPlaceholder ? 1024 : sequence;
  remarks.push(`The file does not say how many tokens a sample has: sequence = ${tokens} is written. Replace it.`);
  return tokens;
}

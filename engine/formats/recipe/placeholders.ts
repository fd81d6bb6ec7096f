/** What is written for what a configuration does not say. No model is made up: its figures would be mistaken for real ones. */
import type { RecipeModel } from './models.ts';

/** The layers of a model that is not known here. */
export const unknownSource = 'huggingface("config.json")';

/** A model that is not known here; `why` begins the remark about it. */
export function unknownModel(why: string, remarks: string[]): RecipeModel {
  remarks.push(
    `${why}. Put the config.json of your model next to this file: on Hugging Face it is next to the weights. The pipeline cannot be simulated without it.`,
  );
  return {};
}

/** The tokens of a sample. A model that is known has the tokens of its pre-training, another one has none. */
export function sequenceOf({ sequence }: RecipeModel, remarks: string[]): number | undefined {
  remarks.push(
    sequence === undefined
      ? 'The file does not say how many tokens a sample has. Set `sequence` in the model.'
      : `The file does not say how many tokens a sample has: sequence = ${sequence} is written. Replace it.`,
  );
  return sequence;
}

/** Placeholders for what a configuration does not say. */
import { type StandardModel, standardModel } from './models.ts';

const stand = 'llama3_8b';

/** A model in the place of one that is not known here; the remark says where the file names it. */
export function placeholderModel(where: string, remarks: string[]): StandardModel {
  remarks.push(
    `${where} name no model of std:models: ${stand} is written in its place. Replace it by yours: from = huggingface("config.json").`,
  );
  return standardModel(stand, true);
}

import { table } from '../../basics/table.ts';
import { pipeline } from './pipeline.ts';
import { key, type BlockSchema, type KeySchema, whole, words } from './types.ts';

/** Keys of a pipeline that follow from others in a search, and why they cannot be searched. */
export const followingKeys: Readonly<Record<string, string>> = table({
  microbatches: 'the samples of an iteration stay as they are, so microbatches follow from "micro_batch" and "data"',
  global_batch: 'rows with other batches are other trainings and cannot be compared',
  stages: 'stages follow from "pipeline" and "chunks"',
  model: 'rows with other models are other trainings and cannot be compared',
  devices: 'rows on other clusters cannot be compared; make one pipeline for each cluster',
  tokens: 'rows with other samples are other trainings and cannot be compared',
  documents: 'rows with other samples are other trainings and cannot be compared',
  stage: 'stages follow from "pipeline" and "chunks"',
});

/** What a search makes least. Its front always has both. */
export const objectives = ['iteration', 'peak_memory'] as const;

const axis = (
  name: string,
  example: string,
  value: KeySchema['value'],
  doc: string,
  otherwise = 'what the pipeline says',
): KeySchema => key(name, example, value, doc, { default: { otherwise }, forms: ['range'] });

/** `key = 4` of a pipeline is `key in [4]` of a search. */
const searched = pipeline.keys
  .filter(({ name, forms }) => forms.includes('value') && followingKeys[name] === undefined)
  .map(({ name, example, value, doc }) =>
    axis(name, `${name} in [${example.slice(example.indexOf('=') + 1).trim()}]`, value, `Values to try. ${doc}`),
  );

export const search: BlockSchema = {
  name: 'search',
  doc: 'Settings of a pipeline to try in a plan search: `pipewright plan` finds the ones that fit and are fastest. The policy `search` orders operations.',
  keys: [
    axis(
      'pipeline',
      'pipeline in [1, 2, 4, 8]',
      whole(1),
      'Pipeline ranks to try. Data ranks are what is left of the devices.',
    ),
    axis(
      'chunks',
      'chunks in [1, 2, 4]',
      whole(1),
      'Stages of a device to try, for schedules that have this parameter.',
    ),
    axis(
      'micro_batch',
      'micro_batch in [1, 2]',
      whole(1),
      'Samples of a microbatch to try, which the model says otherwise.',
    ),
    ...searched,
    key(
      'minimise',
      'minimise = iteration',
      words(
        ['iteration', 'The fastest row is the best.'],
        ['peak_memory', 'The row that needs least memory is the best.'],
      ),
      'Which row is marked as best.',
      { default: 'iteration' },
    ),
    key(
      'subject_to',
      'subject_to = peak_memory < 75GiB',
      { kind: 'any' },
      'What every row must meet: conditions on the figures of `expect`.',
      { default: { otherwise: 'all that fits the devices' }, list: true },
    ),
  ],
};

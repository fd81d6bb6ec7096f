/** Names of other programs for keys: what a newcomer writes, and what is offered. */
import { describe, expect, test } from 'vitest';
import { adviceMeant, keyMeant } from '../../../engine/language/otherNames.ts';
import { blocks, type BlockName, findKey } from '../../../engine/language/schema.ts';
import { edited } from '../../support/goodFile.ts';
import { checkFindings, checkFix } from '../../support/expected.ts';

describe('a key under another name', () => {
  test.each(['tp', 'dp', 'gbs', 'batch', 'gradient_accumulation_steps', 'TENSOR_MODEL_PARALLEL_SIZE'])(
    '%s stands for a key of the pipeline',
    (name) => {
      const key = keyMeant('pipeline', name) ?? '';
      expect(findKey('pipeline', key)?.name).toBe(key);
    },
  );

  test('no key of a block is another name there', () => {
    for (const block of Object.keys(blocks) as BlockName[])
      for (const { name } of blocks[block].keys)
        expect([block, name, keyMeant(block, name), adviceMeant(block, name)]).toEqual([
          block,
          name,
          undefined,
          undefined,
        ]);
  });

  test('is offered as a fix', () => {
    checkFix(edited('schedule = 1f1b', 'schedule = 1f1b  ⟦key/unknown:dp→data⟧ = 1'));
  });

  test('of another block is told where it belongs', () => {
    checkFindings(edited('schedule = 1f1b', 'schedule = 1f1b  ⟦key/unknown:micro_batch_size⟧ = 1'), [
      'A pipeline has no key "micro_batch_size". It is a key of the model: `micro_batch = 2`.',
    ]);
    checkFindings(edited('schedule = 1f1b', 'schedule = 1f1b  ⟦key/unknown:pp⟧ = 4'), ['`stages = balance(4)`']);
  });

  test('`sequence` of a pipeline is no number of tokens', () => {
    checkFindings(edited('schedule = 1f1b', 'schedule = 1f1b  sequence = ⟦type/mismatch:8192⟧'), [
      'the tokens of a sample are `sequence` of the model',
    ]);
  });
});

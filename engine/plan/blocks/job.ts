import type { BlockDeclaration } from '../../../grammar/syntax.ts';
import type { FileContext } from '../context.ts';
import { readKeys } from '../keys.ts';

/** Checks the keys of a `job` and says that it is not simulated. */
export function readJob(context: FileContext, block: BlockDeclaration): void {
  readKeys(context, 'job', block.body, block.name ?? block.keyword);
  context.report.report('key/not-applicable', block.keyword, {
    key: 'job',
    reason: 'this version does not simulate jobs; it simulates each pipeline by itself',
  });
}

/** *Import…*: a file of another program as a new `.pipe` file. */
import type { Requests } from '../languageClient.ts';
import { chosenImport } from './chosenImport.ts';
import { openText } from './openText.ts';

export async function importNew(requests: Requests): Promise<void> {
  const read = await chosenImport(requests, undefined);
  if (read !== undefined) await openText(read.pipe);
}

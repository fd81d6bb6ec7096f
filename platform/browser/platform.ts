/** The side of a worker in a browser. It has no disk: the client reads files, also files of the package. */
import type { Connection } from 'vscode-languageserver';
import { type Asset, fileMethods, type ReadAssetAnswer, type ReadAssetRequest } from '../../webview/protocol/files.ts';
import type { Platform } from '../common/platform.ts';
import { startThread } from './startThread.ts';

declare const PIPEWRIGHT_VERSION: string;

export function browserPlatform(client: Pick<Connection, 'sendRequest'>): Platform {
  async function asset(name: Asset): Promise<Uint8Array> {
    const asked = { name } satisfies ReadAssetRequest;
    const answer = await client.sendRequest<ReadAssetAnswer>(fileMethods.readAsset, asked);
    if (answer === null) throw new Error(`There is no ${name}.`);
    return answer.bytes;
  }
  const text = async (name: Asset): Promise<string> => new TextDecoder().decode(await asset(name));
  return {
    version: PIPEWRIGHT_VERSION,
    cores: () => navigator.hardwareConcurrency,
    startThread,
    async pageSources() {
      try {
        return { script: await text('preview.js'), style: await text('preview.css') };
      } catch {
        return undefined;
      }
    },
  };
}

/** Files and recorded runs around the open documents, from what the platform and the client have. */
import type { Connection } from 'vscode-languageserver';
import type { StoreHost } from '../platform/common/files.ts';
import type { Platform } from '../platform/common/platform.ts';
import type { PositionEncoding } from '../grammar/index.ts';
import { createClientFiles } from './clientFiles.ts';
import type { Configuration } from './configuration.ts';
import type { Documents } from './documents/documents.ts';
import { createNamedRuns } from './runs/namedRuns.ts';
import type { Files } from './view.ts';
import { createWorkspace } from './workspace.ts';

export interface SurroundingsHost {
  readonly connection: Pick<Connection, 'sendRequest'>;
  readonly platform: Platform;
  readonly configuration: Configuration;
  /** They need the files themselves, so they are asked for when something is read. */
  readonly documents: () => Pick<Documents, 'text' | 'uris' | 'filesChanged'>;
  /** What positions count. */
  readonly encoding: () => PositionEncoding;
}

export interface Surroundings {
  readonly files: Files;
  /** These files, or files in these folders, are no longer what was read. */
  changed(uris: readonly string[]): void;
}

export function createSurroundings({
  connection,
  platform,
  configuration,
  documents,
  encoding,
}: SurroundingsHost): Surroundings {
  const runs =
    platform.runs &&
    createNamedRuns({
      ...platform.runs,
      found: (uri) => documents().filesChanged([uri]),
      now: () => performance.now(),
    });
  const host: StoreHost = {
    openUris: () => documents().uris(),
    folders: () => configuration.folders,
    trusted: () => configuration.trusted,
    sizeLimit: () => configuration.options.limits.fileSize,
    findRun: runs?.find,
  };
  const disk = platform.disk?.(host);
  const client = createClientFiles(connection, host);
  const files = createWorkspace({
    ...host,
    open: (uri) => documents().text(uri),
    storeOf: (uri) => (configuration.readsFiles && (disk === undefined || !uri.startsWith('file:')) ? client : disk),
    arriving: client,
    encoding,
  });
  return {
    files,
    changed(uris) {
      runs?.changed();
      client.changed(uris);
    },
  };
}

import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { Io } from '../../../cli/io.ts';
import { run } from '../../../cli/run.ts';
import { byteStream } from '../../../platform/node/runs/byteStream.ts';
import { filesIn } from '../../../platform/node/runs/filesIn.ts';

export const repository = resolve(import.meta.dirname, '../../..');

export interface Called {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  /** Files after the call; bytes as base64. */
  readonly files: Readonly<Record<string, string>>;
}

interface World {
  /** By name; they lie in `/project`. `-` is standard input. Rows of searches lie on disk, in folders of tests. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files of the disk that the call may read as bytes: traces of runs. */
  readonly disk?: true;
  readonly terminal?: boolean;
  readonly columns?: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** Milliseconds that pass between two looks at the clock. */
  readonly slow?: number;
  /** The user interrupts at once, or a little later: then the program hears it if it listens. */
  readonly interrupted?: true | 'later';
}

/** A world, and what a command has done in it so far. */
export function worldOf(world: World = {}): { readonly io: Io; readonly called: () => Omit<Called, 'status'> } {
  const files = { ...world.files };
  const nameOf = (path: string) => path.replace(/^\/project\//, '');
  let out = '';
  let err = '';
  let clock = 0;
  const io: Io = {
    readText(path) {
      // The pages of the package are the real ones.
      if (path.startsWith(repository)) return { text: readFileSync(path, 'utf8') };
      const text = files[nameOf(path)];
      return text === undefined ? { problem: 'there is no such file' } : { text };
    },
    openBytes(path) {
      if (world.disk === true) return byteStream(path);
      const text = files[nameOf(path)];
      if (text === undefined) return { problem: 'there is no such file' };
      const bytes = Buffer.from(text);
      return { size: bytes.length, taken: () => bytes.length, chunks: Readable.from([bytes]) };
    },
    filesIn: (path) => (world.disk === true ? filesIn(path) : undefined),
    projectOf: () => '/project',
    leadsInto: (path, folder) => [repository, tmpdir(), `${folder}/`].some((start) => path.startsWith(start)),
    writeText(path, text) {
      const bytes = text instanceof Uint8Array ? Buffer.from(text).toString('base64') : undefined;
      files[nameOf(path)] = bytes ?? (typeof text === 'string' ? text : [...(text as Iterable<string>)].join(''));
      return undefined;
    },
    out: async (text) => void (out += typeof text === 'string' ? text : Buffer.from(text).toString('base64')),
    err: async (text) => void (err += text),
    outIsTerminal: world.terminal ?? false,
    errIsTerminal: world.terminal ?? false,
    columns: world.columns ?? 100,
    environment: world.environment ?? {},
    cwd: '/project',
    packageRoot: repository,
    onInterrupt(stop) {
      if (world.interrupted === true) stop();
      if (world.interrupted === 'later') setTimeout(stop, 300);
      return () => {};
    },
    now: () => (clock += world.slow ?? 0),
  };
  return { io, called: () => ({ out, err, files }) };
}

/** Runs the command line in a world of its own. */
export async function call(args: readonly string[], world: World = {}): Promise<Called> {
  const { io, called } = worldOf(world);
  const status = await run(args, io);
  return { status, ...called() };
}

/** A small file without a mistake. */
export const good = `model toy {
  layer block[8] { forward = 4ms  backward = 8ms  weights = 256MiB  activation = 512MiB }
}
device v100 { memory = 16GiB }
cluster box { gpu[4] = v100  link = 25GB/s + 5us }
param microbatches = 8 in 1..64
pipeline train {
  model        = toy
  devices      = box
  microbatches = microbatches
  stages       = balance(4)
  schedule     = 1f1b
}
`;

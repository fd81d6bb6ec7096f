/** What was asked of files while something was read from them: what was read holds as long as the answers are the same. */
import type { EngineHost } from '../../engine/basics/host.ts';

type Answer = ReturnType<EngineHost['read']>;

/** Questions with their answers. */
export interface Asked {
  readonly texts: ReadonlyMap<string, Answer>;
  readonly paths: readonly { readonly path: string; readonly from: string; readonly uri: string }[];
}

/** The same files, and what is asked of them from now on. */
export function recording(files: EngineHost): { readonly host: EngineHost; readonly asked: Asked } {
  const texts = new Map<string, Answer>();
  const paths: Asked['paths'][number][] = [];
  const host: EngineHost = {
    resolve(path, from) {
      const uri = files.resolve(path, from);
      paths.push({ path, from, uri });
      return uri;
    },
    read(uri) {
      const answer = files.read(uri);
      texts.set(uri, answer);
      return answer;
    },
  };
  return { host, asked: { texts, paths } };
}

/** Whether the files still give the same answers. */
export function isStill({ texts, paths }: Asked, files: EngineHost): boolean {
  for (const { path, from, uri } of paths) if (files.resolve(path, from) !== uri) return false;
  for (const [uri, answer] of texts) if (!isSame(files.read(uri), answer)) return false;
  return true;
}

const isSame = (now: Answer, before: Answer): boolean =>
  'text' in now
    ? 'text' in before && now.text === before.text
    : !('text' in before) && now.problem === before.problem && now.detail === before.detail;

/** The same files, each asked once: what many files import is the same for all of them. */
export function askedOnce(files: EngineHost): EngineHost {
  const texts = new Map<string, Answer>();
  return {
    resolve: (path, from) => files.resolve(path, from),
    read(uri) {
      const answer = texts.get(uri) ?? files.read(uri);
      texts.set(uri, answer);
      return answer;
    },
  };
}

/** The examples, in scripts that are loaded when one of their texts is needed: a page from a file may load nothing else. */

/** What the build lists: names of files, by the script that has their texts. */
export interface Listed {
  readonly script: string;
  readonly files: readonly { readonly name: string; readonly about: string }[];
}

export interface Examples {
  readonly names: readonly string[];
  /** Undefined where there is none of that name. Rejected where its script cannot be loaded. */
  read(name: string): Promise<string | undefined>;
}

/** Each script adds its texts here. */
declare global {
  var pipewrightExamples: Record<string, string> | undefined;
}

export function createExamples(listed: readonly Listed[], load: (script: string) => Promise<void>): Examples {
  const loads = new Map<string, Promise<void>>();
  return {
    names: listed.flatMap(({ files }) => files.map(({ name }) => name)),
    async read(wanted) {
      const script = listed.find(({ files }) => files.some(({ name }) => name === wanted))?.script;
      if (script === undefined) return undefined;
      const loading = loads.get(script) ?? load(script);
      loads.set(script, loading);
      await loading;
      return globalThis.pipewrightExamples?.[wanted];
    },
  };
}

export const loadScript = (source: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = source;
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => reject(new Error(`${source} was not loaded.`)));
    document.head.append(script);
  });

/** The examples. Their texts are a script, loaded when one of them is needed: a page from a file may load nothing but scripts. */

/** What the build lists: all files, and the text of the first one. */
export interface Listed {
  readonly files: readonly { readonly name: string; readonly about: string }[];
  readonly first: string;
}

/** The file that is shown where the address names none. */
export const firstExample = 'quickstart.pipe';

export interface Examples {
  readonly names: readonly string[];
  /** Undefined where there is none of that name. Rejected where its script cannot be loaded. */
  read(name: string): Promise<string | undefined>;
}

/** The script puts the texts here. */
declare global {
  var pipewrightExamples: Readonly<Record<string, string>> | undefined;
}

export function createExamples({ files, first }: Listed, load: () => Promise<void>): Examples {
  const names = files.map(({ name }) => name);
  let loading: Promise<void> | undefined;
  return {
    names,
    async read(wanted) {
      if (wanted === firstExample) return first;
      if (!names.includes(wanted)) return undefined;
      loading ??= load();
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

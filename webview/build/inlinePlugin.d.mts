import type * as esbuild from 'esbuild';
export declare function inlinePlugin(
  bundler: typeof esbuild,
  texts: Readonly<Record<string, () => string>>,
  made?: (result: esbuild.Metafile) => void,
): esbuild.Plugin;

import { createRequire } from 'node:module';
import * as esbuild from 'esbuild';
import { exampleCards } from '../../scripts/exampleCards.ts';
import { inlinePlugin } from '../../webview/build/inlinePlugin.mjs';

const root = new URL('../../', import.meta.url);
export const nodePath = (path: string): string => createRequire(import.meta.url).resolve(path);

/** The page's style sheet, in one. */
export async function pageStyle(): Promise<string> {
  const entry = { absWorkingDir: root.pathname, entryPoints: ['webview/preview.css'] };
  const result = await esbuild.build({ ...entry, bundle: true, write: false, minify: true, logLevel: 'error' });
  return result.outputFiles[0].text;
}

let script: Promise<string> | undefined;

/** The page's script, bundled just as it ships, as text. */
export const pageScript = (): Promise<string> => (script ??= bundle());

async function bundle(): Promise<string> {
  const result = await esbuild.build({
    absWorkingDir: root.pathname,
    entryPoints: ['webview/main.ts'],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: 'es2022',
    plugins: [inlinePlugin(esbuild, { examples: () => JSON.stringify(exampleCards()) })],
    logLevel: 'error',
  });
  return result.outputFiles[0].text;
}

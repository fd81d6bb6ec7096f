/**
 * Builds the playground, a folder of static files: `npm run playground`, or `npm run playground -- FOLDER`. Default: `out/playground`.
 * It needs no server: a browser opens it from disk, too.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { firstExample, type Listed } from '../platform/browser/playground/examples.ts';
import { inlinePlugin } from '../webview/build/inlinePlugin.mjs';
import { themes } from '../webview/protocol/standalone.ts';
import { browserBundle, noticesIn, notices, root } from './build.ts';
import { exampleCards } from './exampleCards.ts';
import { minified } from './minified.ts';
import { examplesIn } from './playground/examples.ts';

const source = path.join(root, 'platform', 'browser', 'playground');
const inSource = (name: string): string => path.join(source, name);

/** What the page may do: its own files, workers from its own texts, and nothing of the network. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  'worker-src blob:',
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Parts of the product that the playground has something lighter for, by their paths. */
const leftOut: Readonly<Record<string, string>> = {
  'server/requests/importFile.ts': 'importFile.ts',
  'engine/formats/programs.ts': 'programs.ts',
  'engine/formats/launch.ts': 'launch.ts',
  'engine/formats/system.ts': 'system.ts',
};
const lighter: esbuild.Plugin = {
  name: 'lighter',
  setup({ onResolve }) {
    onResolve({ filter: /^\.{1,2}\// }, ({ path: wanted, resolveDir, importer }) => {
      const file = path.relative(root, path.resolve(resolveDir, wanted)).replaceAll('\\', '/');
      const other = leftOut[file];
      return other === undefined || importer.startsWith(source) ? undefined : { path: inSource(`leftOut/${other}`) };
    });
  },
};

/** The worker of the preview is the script that all workers are, which the page has loaded before. */
const sharedWorker: esbuild.Plugin = {
  name: 'shared worker',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^inline:.*worker\/main\.ts$/ }, () => ({ path: 'workers', namespace: 'workers' }));
    onLoad({ filter: /.*/, namespace: 'workers' }, () => ({
      contents: 'export default `(${globalThis.pipewrightWorkers.toString()})()`;',
    }));
  },
};

/** Writes the playground into a folder. */
export async function buildPlayground(into: string): Promise<void> {
  mkdirSync(into, { recursive: true });
  const examples = examplesIn(root);
  const listed: Listed = {
    files: examples.map(({ name, about }) => ({ name, about })),
    first: examples.find(({ name }) => name === firstExample)?.text ?? '',
  };
  const texts = { examples: () => JSON.stringify(exampleCards()), listedExamples: () => JSON.stringify(listed) };
  const bundle = async (name: string, entry: string): Promise<esbuild.BuildResult<{ metafile: true; write: false }>> =>
    esbuild.build({
      ...browserBundle,
      entryPoints: { [name]: entry },
      outdir: into,
      write: false,
      metafile: true,
      plugins: [lighter, sharedWorker, inlinePlugin(esbuild, texts)],
      alias: {
        ...browserBundle.alias,
        vscode: inSource('vscode/index.ts'),
        '@vscode/webview-ui-toolkit': inSource('leftOut/toolkit.ts'),
      },
      // The editor's API must have all that is asked of it.
      logOverride: { 'import-is-undefined': 'error' },
    });
  const [workers, page, preview, previewStyle, style] = await Promise.all([
    bundle('workers', inSource('worker.ts')),
    bundle('playground', inSource('main.ts')),
    bundle('preview', inSource('previewPage.ts')),
    bundle('preview', path.join(root, 'webview', 'preview.css')),
    bundle('playground', inSource('style.css')),
  ]);
  const write = (name: string, text: string): void => writeFileSync(path.join(into, name), text);
  const html = (name: string): string => readFileSync(inSource(name), 'utf8').replace('{policy}', policy);
  // A function gives its text back: a worker is made of it without loading anything.
  write('workers.js', `globalThis.pipewrightWorkers=function(){${await minified('workers.js', textOf(workers))}};`);
  write('playground.js', await minified('playground.js', textOf(page)));
  write('preview.js', await minified('preview.js', textOf(preview)));
  write('preview.css', `${themes}\n${textOf(previewStyle)}`);
  write('playground.css', `${themes}\n${textOf(style)}`);
  write('index.html', html('page.html'));
  write('preview.html', html('frame.html'));
  const all = Object.fromEntries(examples.map(({ name, text }) => [name, text]));
  write('examples.js', `globalThis.pipewrightExamples=${JSON.stringify(all)};`);
  write(notices, noticesIn([workers, page, preview].map(({ metafile }) => metafile)));
}

const textOf = ({ outputFiles }: esbuild.BuildResult<{ write: false }>): string => outputFiles[0].text;

/** Bytes of the files that a first visit loads, compressed. Other examples are loaded when one of them is chosen. */
export const firstVisit = (folder: string): number =>
  readdirSync(folder)
    .filter((name) => /\.(?:html|css|js)$/.test(name) && name !== 'examples.js')
    .reduce((sum, name) => sum + gzipSync(readFileSync(path.join(folder, name)), { level: 9 }).length, 0);

if (import.meta.main) {
  const folder = path.resolve(process.argv[2] ?? path.join(root, 'out', 'playground'));
  if (existsSync(folder) && !existsSync(path.join(folder, 'workers.js')) && readdirSync(folder).length > 0)
    throw new Error(`${folder} has other files. Choose an empty folder.`);
  rmSync(folder, { recursive: true, force: true });
  await buildPlayground(folder);
  console.log(`${path.relative(process.cwd(), folder)}: ${Math.round(firstVisit(folder) / 1000)} kB compressed`);
}

/** Bundles everything that is shipped into `dist/`. `--watch` builds again on every change. */
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { exampleCards } from './exampleCards.ts';
import { noticesOf, packageFolder } from './notices.ts';
import { inlinePlugin } from '../webview/build/inlinePlugin.mjs';

export const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist');

const shared: esbuild.BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  keepNames: false,
  sourcemap: process.env['PIPEWRIGHT_SOURCEMAPS'] ? 'linked' : false,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
};
/** What VS Code 1.91 and `engines.node` run: Node 20. */
const node: esbuild.BuildOptions = { ...shared, platform: 'node', target: 'node20' };
/** Packages in CommonJS call `require` for Node's own modules, which a module has to make for itself. */
const module: esbuild.BuildOptions = {
  ...node,
  format: 'esm',
  mainFields: ['module', 'main'],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
};

/** Bundles in the folder `dist`. `made` hears of what is inside a bundle as text. */
const bundlesIn = (dist: string, made?: (result: esbuild.Metafile) => void): readonly esbuild.BuildOptions[] => [
  // The editor loads an extension of a package of modules as CommonJS only under this ending.
  {
    ...node,
    entryPoints: ['client/extension.ts'],
    outfile: path.join(dist, 'extension.cjs'),
    format: 'cjs',
    external: ['vscode'],
    mainFields: ['module', 'main'],
  },
  { ...module, entryPoints: ['server/main.ts'], outfile: path.join(dist, 'server.js') },
  { ...module, entryPoints: ['cli/main.ts'], outfile: path.join(dist, 'cli.js') },
  { ...module, entryPoints: ['server/threads/thread.ts'], outfile: path.join(dist, 'thread.js') },
  { ...module, entryPoints: ['server/rasterThread.ts'], outfile: path.join(dist, 'rasterThread.js') },
  { ...module, entryPoints: ['server/watchdogThread.ts'], outfile: path.join(dist, 'watchdogThread.js') },
  {
    ...shared,
    entryPoints: { preview: 'webview/main.ts' },
    outdir: dist,
    format: 'iife',
    platform: 'browser',
    target: ['es2022', 'chrome120'],
    plugins: [inlinePlugin(esbuild, { examples: () => JSON.stringify(exampleCards()) }, made)],
  },
  { ...shared, entryPoints: { preview: 'webview/preview.css' }, outdir: dist, target: 'chrome120' },
];

/** Throws where a bundle cannot be made; esbuild has then said why on standard error. */
export async function build(into = dist): Promise<void> {
  mkdirSync(into, { recursive: true });
  const made: esbuild.Metafile[] = [];
  const results = await Promise.all(
    bundlesIn(into, (result) => void made.push(result)).map((options) => esbuild.build(options)),
  );
  made.push(...results.flatMap(({ metafile }) => metafile ?? []));
  copyAssets(into);
  chmodSync(path.join(into, 'cli.js'), 0o755);
  writeFileSync(path.join(into, notices), noticesOf(packagesOf(made)));
}

/** Licences of other people's code in the bundles and among the assets. */
export const notices = 'THIRD_PARTY_NOTICES.txt';

/** Folders of the packages of which bundles and assets are made. A package that the bundler left out again has no bytes in any. */
function packagesOf(made: readonly esbuild.Metafile[]): ReadonlySet<string> {
  const inputs = made
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap((output) => Object.entries(output.inputs))
    .flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : []));
  const folders = [...inputs, ...Object.values(assets)].flatMap((file) => packageFolder(file) ?? []);
  return new Set(folders.map((folder) => path.resolve(root, folder)));
}

/** What draws a PNG: read when it is first needed. */
export const assets = {
  'resvg.wasm': 'node_modules/@resvg/resvg-wasm/index_bg.wasm',
  'DejaVuSans.ttf': 'node_modules/dejavu-fonts-ttf/ttf/DejaVuSans.ttf',
  'DejaVuSans.LICENSE.txt': 'node_modules/dejavu-fonts-ttf/LICENSE',
} as const;

function copyAssets(into: string): void {
  for (const [name, from] of Object.entries(assets)) copyFileSync(path.join(root, from), path.join(into, name));
}

/** Prints a line when all bundles begin and one when all are made; the editor's task waits for these. */
function announce(): esbuild.Plugin {
  let running = 0;
  let failures = 0;
  return {
    name: 'announce',
    setup(bundle) {
      bundle.onStart(() => {
        if (running === 0) console.log('Building …');
        running += 1;
      });
      bundle.onEnd(({ errors }) => {
        running -= 1;
        failures += errors.length;
        if (running > 0) return;
        console.log(failures === 0 ? 'Built dist/' : `Built dist/ with ${failures} errors`);
        failures = 0;
      });
    },
  };
}

/** Builds on every change, readable and with source maps, until the process ends. */
async function watch(): Promise<void> {
  mkdirSync(dist, { recursive: true });
  copyAssets(dist);
  const announcement = announce();
  const contexts = await Promise.all(
    bundlesIn(dist).map((options) =>
      esbuild.context({
        ...options,
        minify: false,
        sourcemap: 'linked',
        plugins: [...(options.plugins ?? []), announcement],
      }),
    ),
  );
  await Promise.all(contexts.map((context) => context.watch()));
}

if (import.meta.main) await (process.argv.includes('--watch') ? watch() : build());

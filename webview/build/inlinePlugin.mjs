import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * For esbuild: `import source from 'inline:./file.ts'` gives the bundled source of that file as a string. A worker of a webview
 * loads only from blob: addresses and cannot import, so its source travels inside the page's bundle.
 *
 * `inline:NAME`, without a path, gives what `texts` makes under that name.
 *
 * @param {typeof import('esbuild')} esbuild
 * @param {Readonly<Record<string, () => string>>} texts
 * @param {(result: import('esbuild').Metafile) => void} made what a file inside the bundle was made of
 * @returns {import('esbuild').Plugin}
 */
export const inlinePlugin = (esbuild, texts, made = () => undefined) => ({
  name: 'inline',
  setup(build) {
    build.onResolve({ filter: /^inline:\w+$/ }, ({ path }) => ({
      path: path.slice('inline:'.length),
      namespace: 'made',
    }));
    build.onLoad({ filter: /.*/, namespace: 'made' }, ({ path }) => ({ contents: texts[path](), loader: 'text' }));
    build.onResolve({ filter: /^inline:/ }, ({ path, importer }) => ({
      path: resolve(dirname(importer), path.slice('inline:'.length)),
      namespace: 'inline',
    }));
    // The toolkit asks whether browsers know :focus-visible by adding a style element, which the page's policy forbids. They do.
    build.onLoad({ filter: /fast-web-utilities[\\/]dist[\\/]dom\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const question = 'if (typeof _canUseFocusVisible === "boolean") {';
      if (!text.includes(question)) throw new Error(`${path} no longer asks for :focus-visible as it did`);
      return { contents: text.replace(question, `_canUseFocusVisible = true;\n    ${question}`), loader: 'js' };
    });
    build.onLoad({ filter: /.*/, namespace: 'inline' }, async ({ path }) => {
      const { minify, target } = build.initialOptions;
      const result = await esbuild.build({
        entryPoints: [path],
        bundle: true,
        write: false,
        metafile: true,
        format: 'iife',
        minify,
        target,
      });
      made(result.metafile);
      return {
        contents: result.outputFiles[0].text,
        loader: 'text',
        watchFiles: Object.keys(result.metafile.inputs).map((file) => resolve(file)),
      };
    });
  },
});

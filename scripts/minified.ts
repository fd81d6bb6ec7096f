/** Minifies what esbuild has minified once more: the other minifier finds shorter names, and takes a twentieth off what is compressed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { minify } from 'vite';

/** `name`: of the file, by which the minifier knows modules. */
export async function minified(name: string, text: string, isModule = false): Promise<string> {
  const { code, errors } = await minify(name, text, {
    module: isModule,
    compress: { target: 'es2022' },
    mangle: true,
  });
  if (errors.length > 0) throw new Error(`${name}: ${errors[0].message}`);
  return code;
}

/** Writes each of these scripts over itself. */
export async function minifyFiles(files: readonly string[], isModule: boolean): Promise<void> {
  await Promise.all(
    files.map(async (file) => writeFileSync(file, await minified(file, readFileSync(file, 'utf8'), isModule))),
  );
}

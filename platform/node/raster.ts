/**
 * SVG to PNG, the same bytes on every machine: WebAssembly and one font file, both part of the package. They are large, so they are
 * read when the first picture is asked for.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import type { Resvg } from '@resvg/resvg-wasm';
import type { Picture, Raster } from '../common/platform.ts';
import { glyphsOf } from './glyphs.ts';

interface Drawing {
  readonly Resvg: typeof Resvg;
  readonly font: Uint8Array;
}

let renderer: Promise<Drawing> | undefined;

async function load(): Promise<Drawing> {
  const { Resvg: Renderer, initWasm } = await import('@resvg/resvg-wasm');
  await initWasm(asset('resvg.wasm', '@resvg/resvg-wasm/index_bg.wasm'));
  return { Resvg: Renderer, font: asset('DejaVuSans.ttf', 'dejavu-fonts-ttf/ttf/DejaVuSans.ttf') };
}

/** A compressed file next to the bundle, or the file of a package if the program runs from source. */
function asset(name: string, module: string): Uint8Array {
  const bundled = fileURLToPath(new URL(`${name}.br`, import.meta.url));
  if (existsSync(bundled)) return brotliDecompressSync(readFileSync(bundled));
  return readFileSync(createRequire(import.meta.url).resolve(module));
}

export async function rasterise({ svg, scale }: Raster): Promise<Picture> {
  renderer ??= load();
  const { Resvg: Renderer, font } = await renderer;
  const picture = new Renderer(svg, {
    fitTo: { mode: 'zoom', value: scale },
    font: {
      loadSystemFonts: false,
      fontBuffers: [font],
      defaultFontFamily: 'DejaVu Sans',
      sansSerifFamily: 'DejaVu Sans',
    },
  });
  const rendered = picture.render();
  const bytes = rendered.asPng();
  rendered.free();
  picture.free();
  return { bytes, missing: missingIn(svg, font) };
}

/** Of what the picture writes. What shows nothing needs no glyph. */
function missingIn(svg: string, font: Uint8Array): readonly string[] {
  const texts = [...svg.matchAll(/<text[^>]*>([^]*?)<\/text>/g)].map(([, text]) => text).join('');
  const special = [...new Set(texts)].filter(
    (character) => character > '~' && !/^[\s\p{Default_Ignorable_Code_Point}]$/u.test(character),
  );
  if (special.length === 0) return [];
  const glyphs = glyphsOf(font);
  return special.filter((character) => !glyphs.has(character));
}

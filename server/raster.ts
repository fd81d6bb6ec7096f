/**
 * SVG to PNG, the same bytes on every machine: WebAssembly and one font file, both part of the package. They are large, so they are
 * read when the first picture is asked for.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Resvg } from '@resvg/resvg-wasm';

export type Scale = 1 | 2 | 3 | 4;
/** Pixels of a CSS pixel, which is 1/96 inch. */
export const scales: readonly Scale[] = [1, 2, 3, 4];

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

/** A file next to the bundle, or of a package where the program runs from source. */
function asset(name: string, module: string): Uint8Array {
  const bundled = fileURLToPath(new URL(name, import.meta.url));
  return readFileSync(existsSync(bundled) ? bundled : createRequire(import.meta.url).resolve(module));
}

export async function rasterise(svg: string, scale: Scale): Promise<Uint8Array> {
  renderer ??= load();
  const { Resvg: Picture, font } = await renderer;
  const picture = new Picture(svg, {
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
  return bytes;
}

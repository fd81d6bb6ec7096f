/** What we use of the package. Its own types name types of browsers, which the server does not have. */
declare module '@resvg/resvg-wasm' {
  export function initWasm(module: Uint8Array): Promise<void>;

  export interface ResvgOptions {
    readonly fitTo?: { readonly mode: 'zoom'; readonly value: number };
    readonly font?: {
      readonly loadSystemFonts: boolean;
      readonly fontBuffers: readonly Uint8Array[];
      readonly defaultFontFamily: string;
      readonly sansSerifFamily: string;
    };
  }

  export class Resvg {
    /** Throws if the text is no well-formed SVG. */
    constructor(svg: string, options?: ResvgOptions);
    render(): { readonly width: number; readonly height: number; asPng(): Uint8Array; free(): void };
    free(): void;
  }
}

import type * as esbuild from 'esbuild';
export declare function inlinePlugin(bundler: typeof esbuild): esbuild.Plugin;

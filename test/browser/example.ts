import { readFileSync } from 'node:fs';
import { type Analysis, check } from '../../engine/check.ts';
import { type EngineHost, defaultOptions } from '../../engine/host.ts';
import type { ToPage } from '../../webview/protocol/messages.ts';

const folder = new URL('../../examples/', import.meta.url);

/** An example (`systems/dualpipe`) as the command line works it out, and the message that the extension posts for it. */
export function example(name: string): {
  readonly analysis: Analysis;
  readonly message: Extract<ToPage, { readonly type: 'plan' }>;
} {
  const uri = new URL(`${name}.pipe`, folder).href;
  const host: EngineHost = {
    read: (other) => ({ text: readFileSync(new URL(other), 'utf8') }),
    resolve: (path, from) => new URL(path, from).href,
  };
  const analysis = check({ uri, text: readFileSync(new URL(uri), 'utf8'), host, options: defaultOptions });
  return {
    analysis,
    message: {
      type: 'plan',
      uri,
      title: `${name.split('/').at(-1)}.pipe`,
      version: 1,
      // What crosses a channel is data.
      plan: JSON.parse(JSON.stringify(analysis.resolution.plan)),
      overrides: {},
      options: defaultOptions,
    },
  };
}

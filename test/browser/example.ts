import type { Analysis } from '../../engine/flow/check.ts';
import { defaultOptions } from '../../engine/basics/host.ts';
import type { ToPage } from '../../webview/protocol/messages.ts';
import { analyseExample } from '../support/analyse.ts';

interface Example {
  readonly analysis: Analysis;
  readonly message: Extract<ToPage, { readonly type: 'plan' }>;
}

const known = new Map<string, Example>();

/** An example (`systems/dualpipe`) as the command line works it out, and the message that the extension posts for it. */
export function example(name: string): Example {
  const found = known.get(name) ?? made(name);
  known.set(name, found);
  return found;
}

function made(name: string): Example {
  const analysis = analyseExample(`${name}.pipe`);
  return {
    analysis,
    message: {
      type: 'plan',
      uri: analysis.uri,
      title: `${name.split('/').at(-1)}.pipe`,
      version: 1,
      // What crosses a channel is data.
      plan: JSON.parse(JSON.stringify(analysis.resolution.plan)),
      overrides: {},
      options: defaultOptions,
    },
  };
}

/** The message for another text in place of an example (`search.pipe`). */
export function pageMessage(name: string, text: string): Extract<ToPage, { readonly type: 'plan' }> {
  const { uri, resolution } = analyseExample(name, {}, text);
  return {
    type: 'plan',
    uri,
    title: name,
    version: 1,
    plan: JSON.parse(JSON.stringify(resolution.plan)),
    overrides: {},
    options: defaultOptions,
  };
}

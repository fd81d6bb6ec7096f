/** The editor's side of a preview: the real language server plans a text and answers what the page asks. */
import { methods } from '../../webview/protocol/requests.ts';
import type {
  CandidatesAnswer,
  ExportAnswer,
  ExportRequest,
  HelpAnswer,
  LocateAnswer,
  PlanAnswer,
  PlanRequest,
} from '../../webview/protocol/requests.ts';
import type { FromPage, RaceEntry } from '../../webview/protocol/messages.ts';
import { exampleText, exampleUri } from '../support/example.ts';
import { type Client, startClient } from '../support/server.ts';
import { type Preview, settled } from './harness.ts';

export interface TextFile {
  readonly uri: string;
  readonly text: string;
}

/** An example (`systems/dualpipe.pipe`), or another text in its place. */
export const exampleFile = (name: string, text: string = exampleText(name)): TextFile => ({
  uri: exampleUri(name),
  text,
});

export interface Editor {
  /** Posts the plan of the text, or what is wrong with it. */
  show(pipeline?: string): Promise<void>;
  /** Answers all questions of the page, until it has none. */
  answer(): Promise<void>;
  export(request: Omit<ExportRequest, 'uri'>): Promise<ExportAnswer>;
  close(): void;
}

export async function openEditor(preview: Preview, { uri, text }: TextFile): Promise<Editor> {
  const client: Client = await startClient({ folders: [exampleUri('')] });
  client.open(uri, text);
  const title = uri.slice(uri.lastIndexOf('/') + 1);
  let version = 0;
  let answered = 0;

  const plan = (request: Omit<PlanRequest, 'uri'> = {}) =>
    client.request<PlanAnswer>(methods.plan, { uri, ...request } satisfies PlanRequest);

  async function entry(request: number, index: number, name: string, asked: Omit<PlanRequest, 'uri'>, of: string) {
    const given = await plan(asked);
    const found = given.plan?.pipelines.find((pipeline) => pipeline.name === of);
    const made: RaceEntry =
      found === undefined
        ? { index, name, problem: given.problem?.message ?? 'No plan.', adoptable: false }
        : { index, name, plan: found, options: given.options, adoptable: asked.trial !== undefined };
    await preview.post({ type: 'entry', request, ...made });
  }

  async function answerTo(message: FromPage): Promise<void> {
    switch (message.type) {
      case 'help': {
        const { request, pipeline, about, device } = message;
        const found = await client.request<HelpAnswer>(methods.help, { uri, pipeline, about, device });
        return preview.post({
          type: 'fixes',
          request,
          fixes: found.fixes.map(({ title, effect, before, diff }) => ({ title, effect, before, diff })),
        });
      }
      case 'lines': {
        const places = await Promise.all(
          message.paths.map((path) => client.request<LocateAnswer>(methods.locate, { uri, path })),
        );
        const lines = places.map((place) => (place?.uri === uri ? place.range.start.line + 1 : null));
        return preview.post({ type: 'lines', request: message.request, lines });
      }
      case 'race': {
        const { request, pipeline } = message;
        const found = await client.request<CandidatesAnswer>(methods.candidates, { uri, pipeline });
        for (const [index, { schedule, edits }] of found.candidates.entries())
          await entry(request, index, schedule, { trial: { version: found.version, edits } }, pipeline);
        return preview.post({ type: 'entries', request, count: found.candidates.length });
      }
      case 'sweep': {
        const { request, pipeline, name, values } = message;
        for (const [index, value] of values.entries())
          await entry(request, index, String(value), { overrides: { [name]: value } }, pipeline);
        return preview.post({ type: 'entries', request, count: values.length });
      }
      case 'addPipeline': {
        const edit = (await plan()).contents?.addition?.edit;
        if (edit === undefined) return;
        client.edit(uri, edit.range, edit.newText);
        return show();
      }
      default:
    }
  }

  async function show(pipeline?: string): Promise<void> {
    version += 1;
    const { plan: planned, problem, options, contents } = await plan();
    if (planned === undefined)
      return preview.post({
        type: 'broken',
        uri,
        version,
        message: problem?.message ?? 'No plan.',
        range: problem?.range,
      });
    return preview.post({
      type: 'plan',
      uri,
      title,
      version,
      plan: planned,
      overrides: {},
      options,
      pipeline,
      contents,
    });
  }

  return {
    show,
    async answer() {
      for (;;) {
        await settled(preview.page);
        const posted = await preview.posted();
        const questions = posted.slice(answered);
        answered = posted.length;
        if (questions.length === 0) return;
        for (const message of questions) await answerTo(message);
      }
    },
    export: (request) => client.request<ExportAnswer>(methods.export, { uri, ...request }),
    close: () => client.stop(),
  };
}

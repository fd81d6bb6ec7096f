/** The editor's side of a preview: the real language server plans a text and answers what the page asks. */
import { pathToFileURL } from 'node:url';
import { methods } from '../../webview/protocol/requests.ts';
import type {
  BlocksAnswer,
  CompletionAnswer,
  CandidatesAnswer,
  ExportAnswer,
  ExportRequest,
  FindPlanAnswer,
  FindPlanRequest,
  HelpAnswer,
  HelpFix,
  LocateAnswer,
  MoveSlotAnswer,
  OrderRequest,
  OrderResult,
  OrderState,
  OriginAnswer,
  PathsAnswer,
  PlanAnswer,
  PlanFound,
  PlanRequest,
  PlanRowAnswer,
  RunAnswer,
  RunRequest,
  TextEdit,
} from '../../webview/protocol/requests.ts';
import type { FromPage, RaceEntry } from '../../webview/protocol/messages.ts';
import { exampleText, exampleUri } from '../support/example.ts';
import { type Client, applyEdits, positionAt, startClient } from '../support/server.ts';
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

/** Answers lead to new questions, but not for ever. */
const mostRounds = 50;

export interface Editor {
  /** Posts the plan of the text, or what is wrong with it. */
  show(pipeline?: string): Promise<void>;
  /** The text as it is now. */
  text(): string;
  /** Puts the cursor before a text of the file. */
  cursor(before: string): Promise<void>;
  /** Answers all questions of the page, and makes the changes that it asks for, until it has none. */
  answer(): Promise<void>;
  /** The file has this text now. */
  replace(text: string): Promise<void>;
  /** Shows a text below the file, as if it had been chosen; `pair` rises when another one is chosen. */
  beside(
    below: TextFile,
    of: { readonly pair: number; readonly pipeline?: string; readonly note?: string },
  ): Promise<void>;
  /** Shows a recorded run below the file: paths of its traces. */
  run(paths: readonly string[], of: { readonly pair: number; readonly title?: string }): Promise<void>;
  export(request: Omit<ExportRequest, 'uri'>): Promise<ExportAnswer>;
  close(): void;
}

export async function openEditor(preview: Preview, { uri, text }: TextFile): Promise<Editor> {
  const client: Client = await startClient({ folders: [exampleUri('')], initialization: { trusted: true } });
  client.open(uri, text);
  const title = uri.slice(uri.lastIndexOf('/') + 1);
  let version = 0;
  let answered = 0;

  /** What the reader tries. */
  let overrides: Readonly<Record<string, number>> = {};
  /** Changes of the newest answers, as the extension keeps them. */
  let fixes: readonly HelpFix[] = [];
  let candidates: CandidatesAnswer['candidates'] = [];
  /** Changes that write the order of the newest search. */
  let kept: readonly TextEdit[] = [];
  /** Texts below the file that are open. */
  const isBelow = new Set<string>();

  const plan = (request: Omit<PlanRequest, 'uri'> = {}) =>
    client.request<PlanAnswer>(methods.plan, { uri, whole: true, ...request } satisfies PlanRequest);

  async function entry(
    request: number,
    index: number,
    name: string,
    asked: Omit<PlanRequest, 'uri'>,
    of: string,
    adoptable = asked.trial !== undefined,
  ) {
    const given = await plan(asked);
    const found = given.plan?.pipelines.find((pipeline) => pipeline.name === of);
    const made: RaceEntry =
      found === undefined
        ? { index, name, problem: given.problem?.message ?? 'No plan.', adoptable: false }
        : { index, name, plan: found, options: given.options, adoptable };
    await preview.post({ type: 'entry', request, ...made });
  }

  async function answerTo(message: FromPage): Promise<void> {
    switch (message.type) {
      case 'help': {
        const { request, pipeline, about, device } = message;
        const found = await client.request<HelpAnswer>(methods.help, { uri, pipeline, about, device });
        ({ fixes } = found);
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
      case 'writeMissing': {
        const found = await client.request<CompletionAnswer>(methods.completion, { uri, pipeline: message.pipeline });
        return found === null ? undefined : edit(found.edits);
      }
      case 'origin': {
        const { request, path } = message;
        const found = await client.request<OriginAnswer>(methods.origin, { uri, path, overrides });
        return preview.post({ type: 'origin', request, lines: found?.lines ?? [] });
      }
      case 'race': {
        const { request, pipeline } = message;
        const found = await client.request<CandidatesAnswer>(methods.candidates, { uri, pipeline });
        ({ candidates } = found);
        for (const [index, { schedule, edits }] of found.candidates.entries())
          await entry(request, index, schedule, { trial: { version: found.version, edits } }, pipeline);
        return preview.post({ type: 'entries', request, count: found.candidates.length });
      }
      case 'racePlan': {
        const { request, pipeline, search, row } = message;
        const name = `row ${row}`;
        const found = await client.request<PlanRowAnswer>(methods.planRow, { uri, search, row });
        if (found !== null && !('problem' in found)) return entry(request, 0, name, { trial: found }, pipeline, false);
        const problem = found?.problem ?? 'No answer.';
        return preview.post({ type: 'entry', request, index: 0, name, problem, adoptable: false });
      }
      case 'sweep': {
        const { request, pipeline, name, values } = message;
        for (const [index, value] of values.entries())
          await entry(request, index, String(value), { overrides: { [name]: value } }, pipeline);
        return preview.post({ type: 'entries', request, count: values.length });
      }
      case 'findPlan': {
        const { request, pipeline, more, overrides: values } = message;
        const found = await client.request<FindPlanAnswer>(methods.findPlan, {
          uri,
          search: request,
          ...(pipeline === undefined ? {} : { pipeline }),
          ...(more === undefined ? {} : { more }),
          ...(values === undefined ? {} : { overrides: values }),
        } satisfies FindPlanRequest);
        for (const { method, params } of client.notifications)
          if (method === methods.planFound && (params as PlanFound).search === request) {
            const { search: _, ...part } = params as PlanFound;
            await preview.post({ type: 'planFound', request, ...part });
          }
        if (found === null || 'outdated' in found) return preview.post({ type: 'planEdited', request, matters: true });
        return preview.post({ type: 'planEnd', request, ...found });
      }
      case 'showPlan':
      case 'writePlan': {
        const { request, row } = message;
        if (row < 0) return show();
        const found = await client.request<PlanRowAnswer>(methods.planRow, { uri, search: request, row });
        if (found === null || 'problem' in found)
          return preview.post({ type: 'planNote', request, text: found?.problem ?? 'No answer.' });
        if (message.type === 'showPlan')
          return show({ trial: found, overrides: {} }, { trying: 'A plan of the search' });
        await edit(found.edits);
        await preview.post({ type: 'planNote', request, text: 'The plan was written into the file.' });
        return preview.post({ type: 'planEdited', request, matters: false, row });
      }
      case 'searchOrder': {
        const { request, pipeline, times } = message;
        const token = `order ${request}`;
        client.progress(token, (state) => void preview.post({ type: 'order', request, state: state as OrderState }));
        const asked: OrderRequest = { uri, pipeline, times, partialResultToken: token };
        const found = await client.request<OrderResult>(methods.orderSearch, asked);
        if (found === null) return;
        if ('reason' in found) return preview.post({ type: 'order', request, reason: found.reason });
        const { end, ...state } = found;
        kept = end.keep?.edits ?? [];
        const { keep: _, ...ended } = end;
        return preview.post({ type: 'order', request, state, end: { ...ended, keeps: kept.length > 0 } });
      }
      case 'keepOrder':
        return edit(kept);
      case 'addPipeline': {
        const addition = (await plan()).contents?.addition?.edit;
        if (addition === undefined) return;
        return edit([addition]);
      }
      case 'try':
        ({ overrides } = message);
        return show();
      case 'showFix': {
        const fix = fixes[message.index] as HelpFix | undefined;
        return fix === undefined
          ? show()
          : show({ trial: { version: client.version(uri), edits: fix.edits } }, { trying: fix.title });
      }
      case 'moveSlot': {
        const { type: _, request, ...move } = message;
        const found = await client.request<MoveSlotAnswer | null>(methods.moveSlot, { uri, ...move });
        const { text: written, stages = [], problem } = found ?? {};
        await preview.post({ type: 'slotMoved', request, text: written, stages, problem });
        if (found?.edit === undefined || problem !== undefined) return;
        return show({ trial: { version: found.version, edits: [found.edit] } });
      }
      case 'applyFix':
        return edit(fixes[message.index].edits);
      case 'adopt':
        return edit(candidates[message.index].edits);
      case 'insertExample':
        client.change(uri, exampleText(`${message.name}.pipe`));
        return show();
      default:
    }
  }

  async function show(asked: Omit<PlanRequest, 'uri'> = {}, shown: { pipeline?: string; trying?: string } = {}) {
    version += 1;
    const { plan: planned, problem, options, contents, schedules, orders } = await plan({ overrides, ...asked });
    if (planned === undefined) {
      const { message = 'No plan.', range } = problem ?? {};
      return preview.post({ type: 'broken', uri, version, message, range });
    }
    return preview.post({
      type: 'plan',
      uri,
      title,
      version,
      plan: planned,
      overrides: asked.overrides ?? overrides,
      options,
      contents,
      schedules,
      orders,
      ...shown,
    });
  }

  function edit(edits: readonly TextEdit[]): Promise<void> {
    client.change(uri, applyEdits(client.text(uri), edits));
    return show();
  }

  await preview.post({ type: 'modes', docked: false, following: false, outlineAtCursor: true, revealOnClick: true });
  return {
    show: (pipeline) => show({}, { pipeline }),
    text: () => client.text(uri),
    async cursor(before) {
      const position = positionAt(client.text(uri), client.text(uri).indexOf(before));
      const groups = await client.request<PathsAnswer>(methods.pathsAt, { uri, position });
      const blocks = await client.request<BlocksAnswer>(methods.blocksAt, { uri, position, overrides });
      await preview.post({ type: 'highlight', groups, blocks });
    },
    async answer() {
      for (let round = 0; ; round += 1) {
        await settled(preview.page);
        const posted = await preview.posted();
        const questions = posted.slice(answered);
        answered = posted.length;
        if (questions.length === 0) return;
        if (round === mostRounds)
          throw new Error(`The page asks without end: ${questions.map(({ type }) => type).join(', ')}.`);
        for (const message of questions) await answerTo(message);
      }
    },
    replace(next) {
      client.change(uri, next);
      return show();
    },
    async beside(below, of) {
      if (isBelow.has(below.uri)) client.change(below.uri, below.text);
      else client.open(below.uri, below.text);
      isBelow.add(below.uri);
      const asked: PlanRequest = { uri: below.uri };
      const answer = await client.request<PlanAnswer>(methods.plan, asked);
      const { plan: found, problem, options, orders } = answer;
      const entry = { title: below.uri.slice(below.uri.lastIndexOf('/') + 1), ...of };
      const shown =
        found === undefined
          ? { problem: problem?.message ?? 'No plan.', broken: true as const }
          : { plans: found.pipelines, options, ...(orders === undefined ? {} : { orders }) };
      await preview.post({ type: 'beside', ...entry, ...shown });
    },
    async run(paths, { pair, title = 'traces' }) {
      const uris = paths.map((path) => pathToFileURL(path).href);
      const read = await client.request<RunAnswer>(methods.readRun, { uris } satisfies RunRequest);
      if (read === null) throw new Error('The server has read nothing.');
      const found = 'problem' in read ? read : { run: read };
      await preview.post({ type: 'beside', pair, title, note: 'recorded run', isRun: true, ...found });
    },
    export: (request) => client.request<ExportAnswer>(methods.export, { uri, ...request }),
    close: () => client.stop(),
  };
}

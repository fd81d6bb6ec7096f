import * as vscode from 'vscode';
import type { FromPage } from '../../webview/protocol/messages.ts';
import { exportTimeline } from '../exportTimeline.ts';
import { copyLink } from './copyLink.ts';
import { addPipeline, writeMissing, writeSlider } from './edits.ts';
import { insert } from './insert.ts';
import { slidersOnStart } from './memory.ts';
import { setSyncModes } from './modes.ts';
import { answerLines, answerOrigin, revealed } from './origins.ts';
import type { Preview, Self } from './self.ts';
import { follow, postModes, showFile } from './showing.ts';
import { show, type Target } from './source.ts';
import { titleOf } from './titles.ts';

/** The page has started, or started again after it was hidden. */
function started(self: Self, preview: Preview, { state }: Extract<FromPage, { readonly type: 'ready' }>) {
  const { context, host, memory, outbox, parts } = self;
  memory.overrides = slidersOnStart(memory, state);
  memory.linked = undefined;
  postModes(self);
  parts.orders.forget();
  parts.freshness.forget();
  parts.plans.resume();
  outbox.ready();
  host.ready(preview);
  return context.refresh().then(parts.beside.refresh);
}

/** Does what a message of the page asks for. */
export function receive(self: Self, preview: Preview, message: FromPage): Promise<void> | Thenable<void> | void {
  const { context, host, memory, parts, place } = self;
  const { uri } = memory;
  switch (message.type) {
    case 'ready':
      return started(self, preview, message);
    case 'reveal':
      return revealed(context, message).then((target) => go(self, target, message.preserveFocus));
    case 'goto': {
      const at = new vscode.Position(message.line, message.character);
      return uri === undefined ? undefined : go(self, { uri, range: new vscode.Range(at, at) }, false);
    }
    case 'try':
      memory.overrides = message.overrides;
      return context.refresh();
    case 'apply':
      return writeSlider(context, message.name, message.value);
    case 'lines':
      return answerLines(context, message.request, message.paths);
    case 'writeMissing':
      return writeMissing(context, message.pipeline);
    case 'origin':
      return answerOrigin(
        context,
        message.request,
        message.path,
        (version) => parts.help.tried(version) ?? parts.plans.tried(version),
      );
    case 'help':
    case 'showFix':
    case 'applyFix':
      return parts.help.receive(message);
    case 'moveSlot':
    case 'moveInRow':
    case 'endMove':
      return parts.movedOrders.receive(message);
    case 'searchOrder':
    case 'stopOrder':
    case 'endOrder':
    case 'keepOrder':
      return parts.orders.receive(message);
    case 'export': {
      const { pipeline, state, seconds } = message;
      if (uri === undefined) return undefined;
      const asked = { uri: uri.toString(), overrides: memory.overrides, pipeline, state, seconds };
      // The editor gives the focus of its lists back to no part of a page.
      return exportTimeline({ requests: host.requests, draw: parts.pictures.draw }, asked).then(place.focus);
    }
    case 'drawn':
      return parts.pictures.receive(message);
    case 'copyLink':
      return copyLink(host.id, message.state);
    case 'race':
    case 'racePlan':
    case 'sweep':
    case 'endRace':
    case 'adopt':
      return parts.race.receive(message);
    case 'chooseBeside':
      return preview.chooseBeside();
    case 'chooseRun':
      return preview.compareRun(message.uris?.map((each) => vscode.Uri.parse(each)));
    case 'calibrate':
      return uri === undefined
        ? undefined
        : host.calibrate(uri, { pipeline: message.pipeline, replica: message.replica, run: parts.beside.run() });
    case 'endBeside':
      parts.beside.end(message);
      return host.followed(preview);
    case 'revealBeside':
      return parts.beside.source(message.path).then((target) => go(self, target, false));
    case 'findPlan':
    case 'stopPlan':
    case 'planView':
    case 'writePlan':
    case 'showPlan':
    case 'savePlan':
      return parts.plans.receive(message);
    case 'sync':
      if (message.following !== undefined) follow(self, preview, message.following);
      return setSyncModes(message);
    case 'restart':
      return host.restart();
    case 'openRenamed':
      return memory.renamed === undefined ? undefined : showFile(self, memory.renamed);
    case 'close':
      return place.close();
    case 'addPipeline':
      return addPipeline(context);
    case 'insertExample':
    case 'importSchedule':
    case 'openExamples':
    case 'openGuide':
      return insert(message, { extension: host.extension, requests: host.requests, uri: context.uri });
    case 'error':
      host.output.error(`preview of ${uri === undefined ? 'no file' : titleOf(uri)}: ${message.message}`);
      return undefined;
  }
}

async function go({ host, place }: Self, target: Target | undefined, preserveFocus: boolean): Promise<void> {
  if (target === undefined) return;
  host.revealing(target.uri, target.range.start);
  await show(target, preserveFocus, place.column());
}

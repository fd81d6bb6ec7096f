import type { Parts } from './parts.ts';

/** Messages about another file empty the page first. */
export function enterFile(parts: Parts, next: string): void {
  const { remembered } = parts;
  if (remembered.uri !== undefined && remembered.uri !== next) leaveFile(parts);
  remembered.uri = next;
}

/** Empties the page. */
export function leaveFile(parts: Parts): void {
  const {
    besides,
    comparing,
    file,
    highlighted,
    input,
    page,
    planning,
    player,
    searching,
    sensing,
    state,
    timelines,
    workers,
  } = parts;
  timelines.clear();
  player.leave();
  file.forget();
  page.showJobs([]);
  workers.close();
  comparing.close();
  besides.close();
  planning.leave();
  searching.close();
  input.selection.clear();
  input.why.clear();
  sensing.clear();
  input.rows.clear();
  highlighted.set([], []);
  page.toolbar.missing(undefined);
  page.notice.waiting();
  state.untried();
  state.clear();
}

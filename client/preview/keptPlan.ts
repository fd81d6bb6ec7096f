import type { ToPage } from '../../webview/protocol/messages.ts';

export type PlanNews = Extract<ToPage, { readonly type: 'planFound' | 'planEnd' | 'planEdited' | 'planNote' }>;
type Kept = Extract<ToPage, { readonly type: 'planKept' }>;
type Found = Extract<PlanNews, { readonly type: 'planFound' }>;

/** All that was found by a search for plans, so that a page that was hidden, or showed another file, goes on from it. */
export interface KeptPlan {
  /** Number of the page that asked last. */
  request: number;
  /** The pipeline that was asked for; undefined: the server chooses. */
  readonly pipeline: string | undefined;
  /** The view of the search is in sight, or was. */
  isOpen: boolean;
  /** The row whose timeline is shown without being in the file. */
  tried: number | undefined;
  add(news: PlanNews): void;
  /** The search goes on: what has ended it does not count any more. */
  goesOn(request: number): void;
  /** What a page needs to be where the last one was. */
  message(uri: string): Kept;
}

export function keptPlan(first: number, pipeline: string | undefined): KeptPlan {
  const points: Found['points'][number][] = [];
  let found: Pick<Found, 'head' | 'looked' | 'total'> = { looked: 0, total: 0 };
  let end: Kept['end'];
  let edited: Kept['edited'] = { matters: false };
  let note = '';
  const kept: KeptPlan = {
    request: first,
    pipeline,
    isOpen: true,
    tried: undefined,
    add(news) {
      switch (news.type) {
        case 'planFound': {
          const { head = found.head, looked, total } = news;
          for (const point of news.points) points.push(point);
          found = { looked, total, ...(head === undefined ? {} : { head }) };
          return;
        }
        case 'planEnd': {
          const { type: _type, request: _request, ...rest } = news;
          end = rest;
          return;
        }
        case 'planEdited':
          edited = { matters: news.matters, ...(news.row === undefined ? {} : { row: news.row }) };
          if (news.matters) note = '';
          return;
        case 'planNote':
          note = news.text;
      }
    },
    goesOn(request) {
      kept.request = request;
      end = undefined;
      note = '';
    },
    message: (uri) => ({
      type: 'planKept',
      uri,
      request: kept.request,
      ...(pipeline === undefined ? {} : { pipeline }),
      open: kept.isOpen,
      ...(kept.tried === undefined ? {} : { tried: kept.tried }),
      found: { ...found, points },
      ...(end === undefined ? {} : { end }),
      edited,
      note,
    }),
  };
  return kept;
}

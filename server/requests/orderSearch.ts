/** Searches a shorter order of a pipeline for a reader who watches it. */
import type { CancellationToken } from 'vscode-languageserver';
import type { OrderProgress } from '../../engine/analyze/orderCurve.ts';
import type { Evaluation } from '../../engine/schedule/evaluation.ts';
import { orderEdits } from '../../engine/fixes/keepOrder.ts';
import { askedEffort, askedOrder, mostEffort, type OrderQuestion } from '../../engine/advice/shorterOrder.ts';
import type { OrderEnd, OrderRequest, OrderResult, OrderState } from '../../webview/protocol/requests.ts';
import type { ShorterOrders } from '../searches/shorterOrders.ts';
import { foundOrder } from './foundOrders.ts';
import { rangeIn, type View } from '../view.ts';

export interface OrderSearchHost {
  readonly orders: ShorterOrders;
  tell(state: OrderState): void;
  /** Cancelled once the reader has seen enough. */
  readonly enough?: CancellationToken;
}

export async function orderSearch(
  view: View,
  { pipeline, times }: OrderRequest,
  { orders, tell, enough }: OrderSearchHost,
  token: CancellationToken,
): Promise<OrderResult> {
  const found = view.analysis.pipelines.find(({ plan }) => plan.name === pipeline);
  if (found === undefined) return { reason: 'the file has an error' };
  const question = askedOrder(found, askedEffort(found.plan, view.options.search.effort, times));
  if ('reason' in question) return question;
  const state = (progress: OrderProgress): OrderState => stateOf(found, question, progress);
  const answer = await orders.search({ view, question, enough }, (progress) => tell(state(progress)), token);
  if (answer === undefined) return null;
  const { search, shorter } = answer;
  if (search === undefined) return { reason: 'its orders do not run' };
  const keep = shorter === undefined ? undefined : keepEdits(view, pipeline, shorter.text);
  const { status, fits, stopped } = search;
  const end: OrderEnd = {
    status,
    fits,
    ...(stopped === undefined ? {} : { stopped }),
    ...(keep === undefined ? {} : { keep }),
  };
  return { ...state(search), end };
}

/** The state of a search, as clients see it. */
export function stateOf(
  { plan: { schedule }, run }: Evaluation,
  question: OrderQuestion,
  progress: OrderProgress,
): OrderState {
  const searched = question.plan.schedule;
  const effort = searched.kind === 'policy' ? Number(searched.args['effort']) : 0;
  const { points, order } = progress;
  return {
    effort,
    mayGoOn: effort < mostEffort,
    schedule: run?.report.schedule ?? schedule.name,
    iteration: question.iteration,
    points: points.map(({ work, iteration, bound }) => [work, iteration, bound]),
    order: foundOrder(searched, order),
  };
}

/** The same edits as the quick fix makes. */
function keepEdits(view: View, pipeline: string, text: string): OrderEnd['keep'] {
  const edits = orderEdits(view.analysis, pipeline, text);
  if (edits === undefined || edits.some((edit) => edit === undefined)) return undefined;
  return {
    version: view.version,
    edits: edits.flatMap((edit) => (edit === undefined ? [] : [{ range: rangeIn(view, edit), newText: edit.text }])),
  };
}

import type { FilmOverview } from '../picture/film-format.ts'
import { recordWords } from '../report/record-text.ts'
import type { TraceRecord } from '../report/trace-record.ts'

const idPattern = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** The words of an event as `svc-sim trace` prints them: with names of agents in place of their IDs. */
export function eventWords(event: TraceRecord, { agents }: Pick<FilmOverview, 'agents'>): string {
  return recordWords(event).replaceAll(idPattern, (id) => agents[id] ?? id)
}

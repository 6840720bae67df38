import type { Check, Status } from '../api/catalog-shapes.ts'
import { shellWords } from '../words/shell-words.ts'

const signs: Readonly<Record<Status, string>> = { passing: '✓', warning: '!', critical: '✕' }

/** A status by sign, word and colour, so that none of them is needed alone. */
export function StatusMark({ status, count }: { readonly status: Status; readonly count?: number }) {
  return (
    <span class={`status ${status}`}>
      <span aria-hidden="true">{signs[status] ?? '?'}</span> {count === undefined ? status : `${count} ${status}`}
    </span>
  )
}

/** How many checks have which status, the worst first. */
export function StatusCounts({ counts }: { readonly counts: Readonly<Record<Status, number>> }) {
  const told = (['critical', 'warning', 'passing'] as const).filter((status) => counts[status] > 0)
  if (told.length === 0) return <span class="faint">{shellWords.noChecks}</span>
  return (
    <span class="counts">
      {told.map((status) => (
        <StatusMark key={status} status={status} count={counts[status]} />
      ))}
    </span>
  )
}

export function countsOf(checks: readonly Check[] | null): Readonly<Record<Status, number>> {
  const of = (status: Status): number => (checks ?? []).filter((check) => check.Status === status).length
  return { passing: of('passing'), warning: of('warning'), critical: of('critical') }
}

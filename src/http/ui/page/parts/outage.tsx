import type { Live } from '../live/use-live.ts'
import { hrefOf } from '../place/place.ts'
import { shellWords } from '../words/shell-words.ts'

/** On every page: that the servers have no leader. Some lists are answered without one, and would look like now. */
export function Outage({ leader: { value, failure } }: { readonly leader: Live<string> }) {
  const isLost = failure === undefined ? value === '' : failure.kind === 'no-leader'
  return (
    <div role="status" class={isLost ? 'outage' : ''}>
      {isLost && (
        <>
          {shellWords.outage} <a href={hrefOf('cluster')}>{shellWords.outageWhere}</a>
        </>
      )}
    </div>
  )
}

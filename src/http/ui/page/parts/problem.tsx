import type { Failure } from '../api/failure.ts'
import { useCaller } from '../live/context.ts'
import { useOwnToken } from '../live/use-own-token.ts'
import { failureWords, shellWords } from '../words/shell-words.ts'
import { Explained } from './explained.tsx'

export interface ProblemProps {
  readonly failure: Failure | undefined
  /** The right that the request needs: `key:write app/`, as the operations of the API declare it. */
  readonly needs?: string | undefined
  /** Older data are still shown. */
  readonly stale?: boolean
  /** A write failed, which the page does not repeat by itself. */
  readonly isWrite?: boolean
}

/** Says why there is no answer, which right is missing, and what to do. */
export function Problem({ failure, needs, stale = false, isWrite = false }: ProblemProps) {
  const { client, askForToken } = useCaller()
  if (failure === undefined) return null
  const [what, remedy] = sentencesOf(failure, client.product.name, isWrite)
  const mayPass = failure.kind === 'unreachable' || failure.kind === 'no-leader'
  const isAboutToken = failure.kind === 'refused' || failure.kind === 'unknown-token'
  return (
    <div class={`problem ${failure.kind}`} role="alert">
      <p>
        <strong>{failure.kind === 'refused' && !failure.withToken ? <RefusedWithout /> : what}</strong> {remedy}{' '}
        {stale && shellWords.stale}
      </p>
      {'text' in failure && <p class="said">{failure.text}</p>}
      {failure.kind === 'refused' && needs !== undefined && (
        <>
          <p>{failureWords.needs(needs)}</p>
          <Explained right={needs} />
        </>
      )}
      {mayPass && !isWrite && (
        <button type="button" onClick={() => client.askAgain()}>
          {failureWords.askAgain}
        </button>
      )}
      {isAboutToken && (
        <button type="button" onClick={askForToken}>
          {failureWords.enterToken}
        </button>
      )}
    </div>
  )
}

/** Without a token of the operator, the agent uses its default token or the anonymous one. */
function RefusedWithout() {
  const { whose } = useOwnToken()
  return <>{whose === 'agent' ? failureWords.noRightOfAgent : failureWords.noToken}</>
}

function sentencesOf(failure: Failure, name: string, isWrite: boolean): readonly [string, string] {
  switch (failure.kind) {
    case 'unreachable':
      return [failureWords.unreachable, isWrite ? failureWords.unreachableWrite : failureWords.unreachableDo]
    case 'no-leader':
      return [failureWords.noLeader, failureWords.noLeaderDo(name)]
    case 'refused':
      return [failureWords.noRight, '']
    case 'unknown-token':
      return [failureWords.unknownToken, '']
    case 'switched-off':
      return [failureWords.switchedOff, failureWords.switchedOffDo]
    case 'conflict':
      return [failureWords.conflict, failureWords.conflictDo]
    case 'absent':
      return [failureWords.absent, '']
    case 'said':
      return ['', '']
  }
}

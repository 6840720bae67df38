import { useCaller } from '../live/context.ts'
import { rarelyMs, useLive } from '../live/use-live.ts'
import { failureWords } from '../words/shell-words.ts'

/** Nothing is there to show, or the caller may see nothing: servers leave out of a list what a token may not read. */
export function Empty({ text }: { readonly text: string }) {
  const { client, askForToken } = useCaller()
  const hasToken = client.caller.token !== ''
  const access = useLive<unknown>(hasToken ? undefined : '/v1/acl/status', {}, rarelyMs)
  return (
    <div class="empty">
      <p>{text}</p>
      {access.value !== undefined && (
        <p>
          {failureWords.emptyWithoutToken}{' '}
          <button type="button" onClick={askForToken}>
            {failureWords.enterToken}
          </button>
        </p>
      )}
    </div>
  )
}

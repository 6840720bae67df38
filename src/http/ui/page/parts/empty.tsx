import { useCaller } from '../live/context.ts'
import { useOwnToken } from '../live/use-own-token.ts'
import { failureWords } from '../words/shell-words.ts'

/** Nothing is there to show, or the caller may see nothing: servers leave out of a list what a token may not read. */
export function Empty({ text }: { readonly text: string }) {
  const { askForToken } = useCaller()
  const { whose } = useOwnToken()
  return (
    <div class="empty">
      <p>{text}</p>
      {whose === 'none' && (
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

import { shellWords } from '../words/shell-words.ts'
import type { LeftTexts } from './use-typed.ts'

/** Offers what was typed on this page before it was left. */
export function LeftText({ left }: { readonly left: LeftTexts | undefined }) {
  if (left === undefined) return null
  return (
    <section class="left-text" aria-label={shellWords.leftText}>
      <p role="status">{shellWords.leftText}</p>
      <button type="button" onClick={left.takeUp}>
        {shellWords.takeUp}
      </button>{' '}
      <button type="button" onClick={left.drop}>
        {shellWords.dropText}
      </button>
    </section>
  )
}

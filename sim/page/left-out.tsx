import type { FilmOverview } from '../picture/film-format.ts'
import { shortSeconds } from './view.ts'

/** Says what of a long run the page does not have. */
export function LeftOutNote({ overview: { leftOut } }: { readonly overview: Pick<FilmOverview, 'leftOut'> }) {
  if (leftOut.length === 0) return null
  const parts = leftOut.map(({ what, count, beforeUs }) => {
    return `${count.toLocaleString('en')} ${what} before ${shortSeconds(beforeUs)} s`
  })
  return (
    <p class="left-out">
      This run is longer than a page holds. The page has its end, and leaves out {parts.join(', ')}.
    </p>
  )
}

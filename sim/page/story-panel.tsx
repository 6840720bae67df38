import type { FilmOverview } from '../picture/film-format.ts'
import { seconds, type View } from './view.ts'

/** Lines of the story that are listed around the cursor. */
const listedMax = 400

export interface StoryPanelProps {
  readonly overview: FilmOverview
  readonly view: View
  readonly onTime: (atUs: number) => void
  readonly onShow: (event: { readonly n: number; readonly t: number; readonly node: string }) => void
}

/** What failed, and why; then steps, faults and notes in the order of time. */
export function StoryPanel({ overview, view, onTime, onShow }: StoryPanelProps) {
  const { story, violations } = overview
  const now = story.findLastIndex(([atUs]) => atUs <= view.cursorUs)
  const first = Math.max(0, Math.min(now - listedMax / 2, story.length - listedMax))
  return (
    <div>
      {violations.map(({ n, atUs, code, text, chain }) => (
        <section key={n} class="violation">
          <h2>
            {code} at {seconds(atUs)} s
          </h2>
          <p>{text}</p>
          <ol class="events">
            {chain.map((link) => (
              <li key={link.n}>
                <button
                  type="button"
                  title={link.why}
                  onClick={() => onShow({ n: link.n, t: link.atUs, node: link.node })}
                >
                  {seconds(link.atUs)} <b>{link.node}</b> {link.what}
                  {link.why === '' ? null : <em> {link.why}</em>}
                </button>
              </li>
            ))}
          </ol>
        </section>
      ))}
      <h2>Story</h2>
      <ol class="events story">
        {story.slice(first, first + listedMax).map(([atUs, kind, text], at) => (
          <li key={`${atUs} ${first + at}`} class={`${kind} ${first + at === now ? 'now' : ''}`}>
            <button type="button" onClick={() => onTime(atUs)}>
              {seconds(atUs)} {text}
            </button>
          </li>
        ))}
      </ol>
    </div>
  )
}

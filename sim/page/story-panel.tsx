import type { FilmBlame, FilmOverview, FilmViolation, Tries } from '../picture/film-format.ts'
import { shortSeconds, type View } from './view.ts'

/** Lines of the story that are listed around the cursor. */
const listedMax = 400

export interface StoryPanelProps {
  readonly overview: FilmOverview
  readonly view: View
  readonly onTime: (atUs: number) => void
  /** Shows what led to the violation at this position. */
  readonly onViolation: (place: number) => void
  readonly onShow: (event: { readonly n: number; readonly t: number; readonly node: string }) => void
}

/** What failed, and why; then steps, faults and notes in the order of time. */
export function StoryPanel({ overview, view, onTime, onShow, onViolation }: StoryPanelProps) {
  const { story, violations } = overview
  const now = story.findLastIndex(([atUs]) => atUs <= view.cursorUs)
  const first = Math.max(0, Math.min(now - listedMax / 2, story.length - listedMax))
  return (
    <div>
      {violations.map((violation, place) => (
        <Violation key={violation.n} {...{ violation, place, view, onTime, onShow, onViolation }} />
      ))}
      <h2>Story</h2>
      <ol class="events story">
        {story.slice(first, first + listedMax).map(([atUs, kind, text], at) => (
          <li key={`${atUs} ${first + at}`} class={`${kind} ${first + at === now ? 'now' : ''}`}>
            <button type="button" onClick={() => onTime(atUs)}>
              <time>{shortSeconds(atUs)}</time> {text}
            </button>
          </li>
        ))}
      </ol>
    </div>
  )
}

interface ViolationProps extends Omit<StoryPanelProps, 'overview'> {
  readonly violation: FilmViolation
  readonly place: number
}

/** Of the chosen violation the chain is listed, with the numbers that its rings have in the picture. */
function Violation({ violation, place, view, onTime, onShow, onViolation }: ViolationProps) {
  const { code, atUs, text, demands, chain, blame } = violation
  const isChosen = place === view.violation
  return (
    <section class="violation">
      <h2>
        {code} is broken at {shortSeconds(atUs)} s
      </h2>
      <ViolationText text={text} />
      {demands === undefined ? null : (
        <p class="hint">
          {code} demands {demands}
        </p>
      )}
      {chain.length === 0 ? null : isChosen ? (
        <Chain {...{ chain, view, onShow }} />
      ) : (
        <button type="button" onClick={() => onViolation(place)}>
          what led to it
        </button>
      )}
      {blame === undefined ? null : <Blame blame={blame} onTime={onTime} />}
    </section>
  )
}

function Chain({ chain, view, onShow }: Pick<FilmViolation, 'chain'> & Pick<StoryPanelProps, 'view' | 'onShow'>) {
  return (
    <>
      <h3>What led to it: the numbered rings</h3>
      <ol class="events chain">
        {chain.map((link, at) => (
          <li key={link.n} class={link.n === view.selected ? 'now' : undefined}>
            <button type="button" onClick={() => onShow({ n: link.n, t: link.atUs, node: link.node })}>
              <i>{at + 1}</i> <time>{shortSeconds(link.atUs)}</time> <b>{link.node}</b> {link.what}
              {link.why === '' ? null : <em> — {link.why}</em>}
            </button>
          </li>
        ))}
      </ol>
    </>
  )
}

/** Letters of what is broken that are shown at once: some laws name every thing that they found. */
const textMax = 320

function ViolationText({ text }: { readonly text: string }) {
  if (text.length <= textMax) return <p>{text}</p>
  return (
    <details>
      <summary>{text.slice(0, textMax)}…</summary>
      <p>{text}</p>
    </details>
  )
}

function Blame({ blame, onTime }: { readonly blame: readonly FilmBlame[] } & Pick<StoryPanelProps, 'onTime'>) {
  return (
    <div class="blame">
      <h3>What the failure needs</h3>
      {blame.length === 0 ? <p class="hint">No fault and no request led to it.</p> : null}
      <ol class="events">
        {blame.map(({ atUs, what, judgement, withIt, withoutIt }) => (
          <li key={`${atUs} ${what}`} class={judgement === 'needed' ? 'needed' : undefined}>
            <button type="button" onClick={() => onTime(atUs)}>
              <time>{shortSeconds(atUs)}</time> <b>{judgement}</b> {what}
              <em>
                {' '}
                — fails in {shareOf(withIt)} runs with it, in {shareOf(withoutIt)} without
              </em>
            </button>
          </li>
        ))}
      </ol>
    </div>
  )
}

function shareOf({ fails, tries }: Tries): string {
  return tries === 0 ? 'no' : `${fails} of ${tries}`
}

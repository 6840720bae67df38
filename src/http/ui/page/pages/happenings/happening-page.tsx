import { useEffect, useState } from 'preact/hooks'
import { ChoiceField, TextField } from '../../forms/fields.tsx'
import { useCaller } from '../../live/context.ts'
import type { Happening } from '../../live/ring.ts'
import { dateText } from '../../parts/moment.tsx'
import { PageHead } from '../../parts/page-frame.tsx'
import { happeningWords as words } from '../../words/happening-words.ts'

/** The last 15 minutes, the newest first, with a pause. */
export function HappeningPage() {
  const { ring, place, setQuery } = useCaller()
  const { kind = '' } = place.query
  const [, draw] = useState(0)
  useEffect(() => ring.follow(() => draw((count) => count + 1)), [ring])
  const shown = ring.shown.filter((each) => kind === '' || each.kind === kind)
  return (
    <>
      <PageHead title={words.title}>
        <button type="button" aria-pressed={ring.paused} onClick={() => ring.setPaused(!ring.paused)}>
          {ring.paused ? words.goOn(ring.waiting) : words.pause}
        </button>
      </PageHead>
      <p>
        {words.about} {words.since} {dateText(ring.sinceMs)}.
      </p>
      <div class="filters">
        <ChoiceField label={words.kind} value={kind} set={(value) => setQuery({ kind: value })} options={words.kinds} />
        <WatchedPrefix />
      </div>
      {shown.length === 0 && <p class="empty">{words.nothing}</p>}
      <ol class="happenings">
        {shown.map((each) => (
          <Line key={`${each.atMs} ${each.text}`} happening={each} />
        ))}
      </ol>
    </>
  )
}

function Line({ happening: { atMs, text, href } }: { readonly happening: Happening }) {
  return (
    <li>
      <time dateTime={new Date(atMs).toISOString()}>{dateText(atMs)}</time>
      {href === undefined ? <span>{text}</span> : <a href={href}>{text}</a>}
    </li>
  )
}

function WatchedPrefix() {
  const { ring } = useCaller()
  const [prefix, setPrefix] = useState(ring.watchedPrefix ?? '')
  const submitted = (event: Event): void => {
    event.preventDefault()
    ring.watchKeys(prefix === '' ? undefined : prefix)
  }
  return (
    <form class="expression" onSubmit={submitted}>
      <TextField label={words.prefix} hint={words.prefixHint} value={prefix} set={setPrefix} />
      <p role="status">{ring.watchedPrefix === undefined ? words.prefixNone : words.watching(ring.watchedPrefix)}</p>
    </form>
  )
}

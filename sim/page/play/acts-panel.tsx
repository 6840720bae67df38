import { useState } from 'preact/hooks'
import type { PlayStatus } from '../../play/play-api.ts'
import { shortSeconds } from '../view.ts'
import type { Doing } from './doing.ts'
import type { PlaySession } from './session.ts'

export interface ActsPanelProps {
  readonly session: PlaySession
  readonly status: PlayStatus
  readonly doing: Doing
  readonly onTime: (atUs: number) => void
}

/** What was done, each with the way back to before it; and all of it as a scenario. */
export function ActsPanel({ session, status, doing, onTime }: ActsPanelProps) {
  const { acts } = status
  return (
    <div>
      <h2>
        What was done <small>{acts.length === 0 ? 'nothing yet' : acts.length}</small>
      </h2>
      <ol class="events acts">
        {acts.map(({ number, atUs, text, kind }) => (
          <li key={number} class={kind}>
            <button type="button" class="moment" onClick={() => onTime(atUs)}>
              <time>{shortSeconds(atUs)}</time> {text}
            </button>
            <button
              type="button"
              aria-label={`Back to before: ${text}`}
              title="Replay to before this"
              onClick={() => doing.undo({ act: number })}
            >
              ↶
            </button>
          </li>
        ))}
      </ol>
      <Saved session={session} doing={doing} />
    </div>
  )
}

/** A scenario that repeats what was done: as text to read, and as a file. */
function Saved({ session, doing }: Pick<ActsPanelProps, 'session' | 'doing'>) {
  const [yaml, setYaml] = useState<string>()
  const save = async (): Promise<void> => {
    const answer = await session.text('saved')
    if (!answer.ok) {
      doing.say({ text: answer.error, isBad: true })
      return
    }
    setYaml(answer.value)
    const address = URL.createObjectURL(new Blob([answer.value], { type: 'application/yaml' }))
    const link = Object.assign(document.createElement('a'), { href: address, download: 'played.yaml' })
    link.click()
    URL.revokeObjectURL(address)
    const secret = /^# Keep it secret: (.*)$/m.exec(answer.value)?.[1]
    const warning = secret === undefined ? '' : ` Keep it secret: ${secret}`
    doing.say({ text: `Saved as played.yaml: svc-sim run repeats it.${warning}`, isBad: secret !== undefined })
  }
  return (
    <section>
      <button type="button" id="save" onClick={() => void save()}>
        save as scenario
      </button>
      {yaml === undefined ? null : <pre id="saved">{yaml}</pre>}
    </section>
  )
}

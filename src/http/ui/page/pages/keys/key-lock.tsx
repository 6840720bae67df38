import { useState } from 'preact/hooks'
import { keyPath } from '../../api/client.ts'
import type { KeyEntry, Session } from '../../api/key-shapes.ts'
import { bytesToWrite, editedValue } from '../../explain/value.ts'
import { ChoiceField } from '../../forms/fields.tsx'
import { Confirm, Form, Result } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useLive } from '../../live/use-live.ts'
import { hrefOf } from '../../place/place.ts'
import { keyWords as words } from '../../words/key-words.ts'

/** The session that holds a key, and how to take or release its lock. */
export function KeyLock({ entry }: { readonly entry: KeyEntry }) {
  return (
    <section aria-labelledby="lock">
      <h2 id="lock">{words.lock}</h2>
      {entry.Session === undefined ? (
        <>
          <p>{words.notLocked}</p>
          <Acquire entry={entry} />
        </>
      ) : (
        <Held entry={entry} session={entry.Session} />
      )}
    </section>
  )
}

function Held({ entry, session }: { readonly entry: KeyEntry; readonly session: string }) {
  const act = useAct()
  const release = (): void => {
    const asked = {
      method: 'PUT',
      path: keyPath(entry.Key),
      query: { release: session, flags: String(entry.Flags) },
    } as const
    void act.sendCas({ ...asked, body: bytesToWrite(editedValue(entry.Value)) }, words.released)
  }
  return (
    <>
      <p>
        {words.heldBy} <a href={hrefOf('sessions', session)}>{session}</a>. {words.heldWarning}
      </p>
      <Confirm label={words.release} question={words.releaseQuestion} busy={act.busy} act={release} />
      <Result act={act} needs={words.needsWrite(entry.Key)} />
    </>
  )
}

function Acquire({ entry }: { readonly entry: KeyEntry }) {
  const act = useAct()
  const { value: sessions } = useLive<readonly Session[]>('/v1/session/list')
  const [chosen, setChosen] = useState('')
  const session = chosen || (sessions?.[0]?.ID ?? '')
  const send = (): void => {
    const asked = {
      method: 'PUT',
      path: keyPath(entry.Key),
      query: { acquire: session, flags: String(entry.Flags) },
    } as const
    void act.sendCas({ ...asked, body: bytesToWrite(editedValue(entry.Value)) }, words.acquired)
  }
  if (sessions === undefined || sessions.length === 0) return <p class="faint">{words.noSessions}</p>
  return (
    <Form title={words.acquire} act={act} needs={words.needsWrite(entry.Key)} submit={words.acquire} send={send}>
      <ChoiceField
        label={words.session}
        hint={words.sessionHint}
        value={session}
        set={setChosen}
        options={sessions.map(
          ({ ID, Name, Node }) => [ID, `${Name === '' ? ID : `${Name} (${ID})`}, ${Node}`] as const,
        )}
      />
    </Form>
  )
}

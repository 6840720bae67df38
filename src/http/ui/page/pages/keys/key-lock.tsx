import { useState } from 'preact/hooks'
import { pathOf } from '../../api/client.ts'
import type { KeyEntry, Session } from '../../api/key-shapes.ts'
import { ChoiceField } from '../../forms/fields.tsx'
import { Confirm, Form, Result } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useLive } from '../../live/use-live.ts'
import { hrefOf } from '../../place/place.ts'
import { keyWords as words } from '../../words/key-words.ts'
import { lockAnswer, lockWrite } from './lock-write.ts'

interface KeyLockProps {
  readonly entry: KeyEntry
  reread(): Promise<void>
}

/** The session that holds a key, and how to take or release its lock. */
export function KeyLock({ entry, reread }: KeyLockProps) {
  return (
    <section aria-labelledby="lock">
      <h2 id="lock">{words.lock}</h2>
      {entry.Session === undefined ? (
        <>
          <p>{words.notLocked}</p>
          <Acquire entry={entry} reread={reread} />
        </>
      ) : (
        <Held entry={entry} session={entry.Session} reread={reread} />
      )}
    </section>
  )
}

/** The session that holds a key, in words; undefined: none does. */
export function useHolder(session: string | undefined): string | undefined {
  const { value: found } = useLive<readonly Session[]>(session && `/v1/session/info${pathOf(session)}`)
  if (session === undefined) return undefined
  const [holder] = found ?? []
  return holder === undefined ? words.holderUnknown(session) : words.holder(holder.Name || session, holder.Node)
}

/** Before the fields, so that it is read before a value is changed. */
export function LockNote({ session, holder }: { readonly session: string; readonly holder: string }) {
  return (
    <p class="warning">
      {words.heldBy} <a href={hrefOf('sessions', session)}>{holder}</a>. {words.heldWarning}
    </p>
  )
}

function Held({ entry, session, reread }: KeyLockProps & { readonly session: string }) {
  const act = useAct()
  const release = (): void =>
    void act.send(lockWrite('unlock', entry, session), words.released, {
      judge: (answer) => lockAnswer('unlock', answer),
      written: reread,
    })
  return (
    <>
      <p>
        {words.heldBy} <a href={hrefOf('sessions', session)}>{words.holderUnknown(session)}</a>.
      </p>
      <Confirm label={words.release} question={words.releaseQuestion} busy={act.busy} act={release} />
      <Result act={act} needs={words.needsWrite(entry.Key)} />
    </>
  )
}

function Acquire({ entry, reread }: KeyLockProps) {
  const act = useAct()
  const { value: sessions } = useLive<readonly Session[]>('/v1/session/list')
  const [chosen, setChosen] = useState('')
  if (sessions === undefined || sessions.length === 0) return <p class="faint">{words.noSessions}</p>
  // One that has ended meanwhile is not a choice any more.
  const session = sessions.find(({ ID }) => ID === chosen)?.ID ?? sessions[0]?.ID ?? ''
  const send = (): void =>
    void act.send(lockWrite('lock', entry, session), words.acquired, {
      judge: (answer) => lockAnswer('lock', answer),
      written: reread,
    })
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

import { useLayoutEffect } from 'preact/hooks'
import { keyPath } from '../../api/client.ts'
import type { KeyEntry } from '../../api/key-shapes.ts'
import { commandLine, withOperands } from '../../explain/command-line.ts'
import { Result } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useCaller } from '../../live/context.ts'
import { useLive } from '../../live/use-live.ts'
import { useOfCaller } from '../../live/use-of-caller.ts'
import { Command } from '../../parts/command.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Facts } from '../../parts/facts.tsx'
import { PageHead, Shown } from '../../parts/page-frame.tsx'
import { keyWords as words } from '../../words/key-words.ts'
import { Crumbs } from './crumbs.tsx'
import { Gone } from './gone-key.tsx'
import { KeyEditor } from './key-editor.tsx'
import { KeyLock, LockNote, useHolder } from './key-lock.tsx'
import { NewKey } from './new-key.tsx'

export function KeyPage({ name }: { readonly name: string }) {
  const live = useLive<readonly KeyEntry[]>(keyPath(name))
  const entry = live.value?.[0]
  const isAbsent = live.failure?.kind === 'absent'
  const last = useLastSeen(name, entry, isAbsent)
  const restoring = useAct()
  return (
    <>
      <PageHead title={`${words.key} ${name}`} />
      <Crumbs name={name} />
      {isAbsent && last === undefined && (
        <>
          <Empty text={words.absent} />
          <NewKey prefix={name} />
        </>
      )}
      {isAbsent && last !== undefined && <Gone entry={last} act={restoring} />}
      {!isAbsent && (
        <>
          <Result act={restoring} />
          <Shown live={live} needs={words.needsRead(name)}>
            {() => entry && <Entry entry={entry} reread={live.reread} />}
          </Shown>
        </>
      )}
      <Command line={withOperands(commandLine('kv get', '-detailed'), name)} />
    </>
  )
}

interface EntryProps {
  readonly entry: KeyEntry
  reread(): Promise<void>
}

function Entry({ entry, reread }: EntryProps) {
  const holder = useHolder(entry.Session)
  return (
    <>
      {entry.Session !== undefined && holder !== undefined && <LockNote session={entry.Session} holder={holder} />}
      <KeyEditor entry={entry} reread={reread} holder={holder} />
      <KeyLock entry={entry} reread={reread} />
      <Facts
        rows={[
          [words.createdAt, entry.CreateIndex],
          [words.changedAt, entry.ModifyIndex],
          [words.lockedTimes, entry.LockIndex],
        ]}
      />
    </>
  )
}

/** What the tab saw last of a key, so that an operator may restore what this token was shown. */
function useLastSeen(name: string, entry: KeyEntry | undefined, isAbsent: boolean): KeyEntry | undefined {
  const { deleted } = useCaller()
  const [last, setLast] = useOfCaller<KeyEntry>()
  if (entry !== undefined && entry !== last) setLast(entry)
  // At once with what is shown: an effect after the next frame is dropped if the operator has left the page by then.
  useLayoutEffect(() => {
    if (entry !== undefined) deleted.delete(name)
    else if (isAbsent && last !== undefined) deleted.set(name, last)
  }, [deleted, entry, isAbsent, last])
  return last ?? deleted.get(name)
}

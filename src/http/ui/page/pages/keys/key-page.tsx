import { keyPath } from '../../api/client.ts'
import type { KeyEntry } from '../../api/key-shapes.ts'
import { commandLine } from '../../explain/command-line.ts'
import { bytesToWrite, editedValue } from '../../explain/value.ts'
import { Result } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useLive } from '../../live/use-live.ts'
import { useOfCaller } from '../../live/use-of-caller.ts'
import { Command } from '../../parts/command.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Facts } from '../../parts/facts.tsx'
import { PageHead, Shown } from '../../parts/page-frame.tsx'
import { keyWords as words } from '../../words/key-words.ts'
import { Crumbs } from './crumbs.tsx'
import { KeyEditor, type KeyEditorProps } from './key-editor.tsx'
import { KeyLock, LockNote } from './key-lock.tsx'
import { NewKey } from './new-key.tsx'

export function KeyPage({ name }: { readonly name: string }) {
  const live = useLive<readonly KeyEntry[]>(keyPath(name))
  const entry = live.value?.[0]
  // Kept after it is gone, so that an operator may restore what this token was shown.
  const [last, setLast] = useOfCaller<KeyEntry>()
  if (entry !== undefined && entry !== last) setLast(entry)
  const isAbsent = live.failure?.kind === 'absent'
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
      {isAbsent && last !== undefined && <Gone entry={last} />}
      {!isAbsent && (
        <Shown live={live} needs={words.needsRead(name)}>
          {() => entry && <Entry entry={entry} reread={live.reread} />}
        </Shown>
      )}
      <Command line={commandLine('kv get', '-detailed', name)} />
    </>
  )
}

function Entry({ entry, reread }: KeyEditorProps) {
  return (
    <>
      {entry.Session !== undefined && <LockNote session={entry.Session} />}
      <KeyEditor entry={entry} reread={reread} />
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

/** The value that this page has seen last can be written again, unless the key exists by then. */
function Gone({ entry }: { readonly entry: KeyEntry }) {
  const act = useAct()
  const restore = (): void => {
    const query = { cas: '0', flags: String(entry.Flags) }
    const body = bytesToWrite(editedValue(entry.Value))
    void act.sendCas({ method: 'PUT', path: keyPath(entry.Key), query, body }, words.restored(entry.Key))
  }
  return (
    <>
      <p role="status">
        {words.removed(entry.Key)} {words.restoreAbout}
      </p>
      <button type="button" disabled={act.busy} onClick={restore}>
        {words.restore}
      </button>
      <Result act={act} needs={words.needsWrite(entry.Key)} />
    </>
  )
}

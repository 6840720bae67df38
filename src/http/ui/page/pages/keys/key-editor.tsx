import { useEffect, useState } from 'preact/hooks'
import { keyPath } from '../../api/client.ts'
import type { KeyEntry } from '../../api/key-shapes.ts'
import { bytesToWrite, editedValue } from '../../explain/value.ts'
import { TextField } from '../../forms/fields.tsx'
import { Confirm, Form } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useCaller } from '../../live/context.ts'
import { keyWords as words } from '../../words/key-words.ts'
import { draftAfterWrite, draftOf, draftUpon, isOutdated } from './draft.ts'
import { blockedOf, ValueFields } from './value-fields.tsx'

export interface KeyEditorProps {
  readonly entry: KeyEntry
  /** Tells the page a state of the key that was read after a write. */
  heard(entry: KeyEntry): void
}

/** Edits a key by check-and-set: the write does nothing if the key has changed since it was read. */
export function KeyEditor({ entry, heard }: KeyEditorProps) {
  const { client } = useCaller()
  const act = useAct()
  const [draft, setDraft] = useState(() => draftOf(entry))
  const { base, value, flags } = draft
  // Of the draft at that time: the operator may type between what was drawn and this effect.
  useEffect(() => setDraft((now) => draftUpon(now, entry)), [entry])
  const query = { cas: String(base.ModifyIndex) }
  const path = keyPath(entry.Key)
  const send = (): void => {
    const body = bytesToWrite(value)
    // Read again: the answer of a write does not tell its index, which the next check-and-set needs.
    const written = async (): Promise<void> => {
      setDraft((now) => draftAfterWrite(now, draft, body))
      const read = await client.ask<readonly KeyEntry[]>({ path })
      if (read.ok && read.value[0] !== undefined) heard(read.value[0])
    }
    void act.sendCas({ method: 'PUT', path, query: { ...query, flags }, body }, words.saved, written)
  }
  const remove = (): void => void act.sendCas({ method: 'DELETE', path, query }, words.removed(entry.Key))
  return (
    <Form
      title={words.value}
      act={act}
      needs={words.needsWrite(entry.Key)}
      submit={words.save}
      blocked={blockedOf(value, flags)}
      send={send}
      others={<Confirm label={words.remove} question={words.removeQuestion(entry.Key)} busy={act.busy} act={remove} />}
    >
      <ValueFields value={value} set={(next) => setDraft({ ...draft, value: next })} />
      <TextField
        label={words.flags}
        hint={words.flagsHint}
        value={flags}
        set={(next) => setDraft({ ...draft, flags: next })}
      />
      {isOutdated(draft, entry) && (
        <Meanwhile
          entry={entry}
          takeTheirs={() => {
            act.clear()
            setDraft(draftOf(entry))
          }}
          keepMine={() => {
            act.clear()
            setDraft({ ...draft, base: entry })
          }}
        />
      )}
    </Form>
  )
}

interface MeanwhileProps {
  readonly entry: KeyEntry
  takeTheirs(): void
  keepMine(): void
}

/** The key has changed under the operator's hands: both values stand side by side, and the operator decides. */
function Meanwhile({ entry, takeTheirs, keepMine }: MeanwhileProps) {
  return (
    <div class="problem conflict wide" role="alert">
      <p>
        <strong>{words.changedMeanwhile(entry.ModifyIndex)}</strong>
      </p>
      <h3>{words.theirs}</h3>
      <pre>{editedValue(entry.Value).text}</pre>
      <div class="actions">
        <button type="button" onClick={takeTheirs}>
          {words.takeTheirs}
        </button>
        <button type="button" onClick={keepMine}>
          {words.keepMine}
        </button>
      </div>
    </div>
  )
}

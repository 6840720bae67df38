import { useEffect, useState } from 'preact/hooks'
import { keyPath } from '../../api/client.ts'
import type { KeyEntry } from '../../api/key-shapes.ts'
import { bytesToWrite, type EditedValue, editedValue } from '../../explain/value.ts'
import { TextField } from '../../forms/fields.tsx'
import { Confirm, Form } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { keyWords as words } from '../../words/key-words.ts'
import { blockedOf, ValueFields } from './value-fields.tsx'

/** What the operator has typed, and the state of the key that it was typed upon. */
interface Draft {
  readonly base: KeyEntry
  readonly value: EditedValue
  readonly flags: string
}

/** Edits a key by check-and-set: the write does nothing if the key has changed since it was read. */
export function KeyEditor({ entry }: { readonly entry: KeyEntry }) {
  const act = useAct()
  const [draft, setDraft] = useState(() => draftOf(entry))
  const { base, value, flags } = draft
  // What nobody has typed into follows the key.
  useEffect(() => {
    if (isUntouched(draft)) setDraft(draftOf(entry))
  }, [entry])
  const isOutdated = entry.ModifyIndex !== base.ModifyIndex && !isUntouched(draft)
  const query = { cas: String(base.ModifyIndex) }
  const path = keyPath(entry.Key)
  const send = async (): Promise<void> => {
    const body = bytesToWrite(value)
    const answer = await act.sendCas({ method: 'PUT', path, query: { ...query, flags }, body }, words.saved)
    // The next answer of the blocking query becomes the base of further edits.
    if (answer.ok) setDraft({ ...draft, base: { ...base, Value: textToBase64(body), Flags: flags } })
  }
  const remove = (): void => void act.sendCas({ method: 'DELETE', path, query }, words.removed(entry.Key))
  return (
    <Form
      title={words.value}
      act={act}
      needs={words.needsWrite(entry.Key)}
      submit={words.save}
      blocked={blockedOf(value, flags)}
      send={() => void send()}
      others={<Confirm label={words.remove} question={words.removeQuestion(entry.Key)} busy={act.busy} act={remove} />}
    >
      <ValueFields value={value} set={(next) => setDraft({ ...draft, value: next })} />
      <TextField
        label={words.flags}
        hint={words.flagsHint}
        value={flags}
        set={(next) => setDraft({ ...draft, flags: next })}
      />
      {isOutdated && (
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

function draftOf(entry: KeyEntry): Draft {
  return { base: entry, value: editedValue(entry.Value), flags: String(entry.Flags) }
}

function isUntouched({ base, value, flags }: Draft): boolean {
  return value.text === editedValue(base.Value).text && flags === String(base.Flags)
}

function textToBase64(bytes: Uint8Array | undefined): string {
  return btoa(Array.from(bytes ?? [], (byte) => String.fromCharCode(byte)).join(''))
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
